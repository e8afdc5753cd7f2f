# __TITLE__
# Reads on stdin what happens (__FIELDS__); answers on stdout.
import json
import sys

event = json.load(sys.stdin)

__ANSWER__

print(json.dumps(answer))
