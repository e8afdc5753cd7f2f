import type { SessionNote } from '../../contracts/session.js';
import { findProjectRoot } from '../../definitions/find-project.js';
import type { GuardLine } from './guard-line.js';
import { type Printed, printAnswer } from './print-answer.js';
import { runGuard } from './run-guard.js';

/** No tool calls itself with more. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Answers the event on stdin. Never throws. */
export async function guardProcess(
  { tool, project, env: environment }: GuardLine,
  { cwd, env, stdin }: { cwd: string; env: NodeJS.ProcessEnv; stdin: AsyncIterable<Buffer | string> },
): Promise<Printed> {
  try {
    const text = await readAll(stdin);
    const root = findProjectRoot(cwd, project);
    const note = env.ABILITY_SESSION ? (await import('./note-session.js')).noteSession : undefined;
    const noted = note && { note: (each: SessionNote) => note(each, env) };
    const chosen = environment ?? (env.ABILITY_ENV || undefined);
    return await runGuard({ tool, root, environment: chosen, env, text, ...noted });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const said = `ability guard failed, and a guard that cannot answer denies the call: ${reason}`;
    return printAnswer({ decision: 'deny', reason: said, warnings: [] }, tool, undefined, false);
  }
}

async function readAll(stdin: AsyncIterable<Buffer | string>): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stdin) {
    parts.push(Buffer.from(part));
    length += parts.at(-1)?.length ?? 0;
    if (length > MOST_BYTES) throw new Error(`the event has more than ${MOST_BYTES} bytes`);
  }
  return Buffer.concat(parts).toString('utf8');
}
