// Takes the lock at each path it reads from stdin and says on stdout whether it got it: `held` or `other <pid>`.
// Releases nothing; ends with stdin, and at once after `exit`.
import { createInterface } from 'node:readline';

const { isHeld, takeLock } = await import(process.argv[2]);
process.stdout.write(`ready ${process.pid}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'exit') process.exit(0);
  const result = takeLock(line);
  process.stdout.write(isHeld(result) ? 'held\n' : `other ${result.holder.pid}\n`);
}
