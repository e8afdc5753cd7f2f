process.stdout.write('{"guard_decision": "allow"}\n');
