import type { ExitCode } from '../../../contracts/exit-codes.js';
import type { Context } from '../context.js';
import { type DecideFlags, runDecision } from './decide.js';

/** `ability deny KEY`. */
export function run(context: Context, [key = '']: string[], flags: DecideFlags): Promise<ExitCode> {
  return runDecision(context, key, 'deny', flags);
}
