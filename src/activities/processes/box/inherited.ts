import { openSync, readdirSync, readFileSync } from 'node:fs';
import { attempt } from '../../../text/attempt.js';

/** In the flags of a descriptor. Source: open(2). */
const CLOSE_ON_EXEC = 0o2000000;

let replaced: ('ignore' | number)[] | undefined;

/**
 * Descriptors from 3 on for the `stdio` of a child process, so that what the worker itself inherited is /dev/null there.
 * Node closes only what it opened, and the first few others.
 */
export function withoutInherited(): readonly ('ignore' | number)[] {
  replaced ??= findInherited();
  return replaced;
}

function findInherited(): ('ignore' | number)[] {
  const open = readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > 2 && passesOn(fd));
  const nothing = openSync('/dev/null', 'r+');
  const last = Math.max(2, ...open);
  return Array.from({ length: last - 2 }, (_, index) => (open.includes(index + 3) ? nothing : 'ignore'));
}

function passesOn(fd: number): boolean {
  const text = attempt(() => readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'));
  const [, flags] = /^flags:\s*([0-7]+)/m.exec(text ?? '') ?? [];
  return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
}
