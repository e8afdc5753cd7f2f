import { reasonOf } from '../../contracts/problem.js';
import type { SessionNote, ToolAnswer } from '../../contracts/session.js';
import { findProjectRoot } from '../../definitions/find-project.js';
import { findScope } from '../../definitions/find-scope.js';
import { keptAnswer } from '../../operations/keep-answer.js';
import { currentUser } from '../../operations/read-caller.js';
import { readUtf8 } from '../../text/lossless-json/read-json.js';
import type { AgentTool } from './agent-tools.js';
import type { GuardLine } from './guard-line.js';
import { denied, type Printed, printAnswer, type Verdict } from './print-answer.js';
import { readEvent } from './read-event.js';

interface GuardCall {
  tool: AgentTool;
  root: string;
  /** Left out: the project's default. */
  environment?: string | undefined;
  scope?: string;
  env: NodeJS.ProcessEnv;
  /** The event as received on stdin. */
  text: string;
  /** Sends a session an answer, without waiting. @returns why it was not sent; undefined: it was. */
  note?: (note: SessionNote) => string | undefined;
}

/** Answers one hook event of an agent's tool. Never throws: an error is a denial with its reason. */
export async function runGuard({ tool, root, environment, scope, env, text, note }: GuardCall): Promise<Printed> {
  const event = readEvent(text, tool);
  if (event.kind === 'other') return { stdout: '{}\n', stderr: '', exit: 0 };
  if (event.kind === 'fault')
    return denied(`ability guard: this call was not let through, since ${event.fault}.`, tool);
  const { call } = event;
  try {
    // The number is that of the index's shape. What needs addresses or credentials looks them up: they are not stored.
    const kept = { root, file: 'guard.json', about: ['3', environment ?? ''] };
    const index = await keptAnswer(kept, async () => {
      const { buildIndex } = await import('./build-index.js');
      return buildIndex(root, environment, env);
    });
    const { judgeCall } = await import('./judge-call.js');
    const session = env.ABILITY_SESSION || null;
    const place = { root, index, env, ...(scope !== undefined && { scope }) };
    const verdict = await judgeCall(call, { ...place, user: currentUser(env), session, moment: Date.now() });
    const isNoted = session !== null && verdict.guards.length > 0;
    const unsent = isNoted ? note?.({ root, session, answer: answerOf(verdict, tool, call.name) }) : undefined;
    return printAnswer(unsent === undefined ? verdict : adding(unsent, verdict), tool, call.event, call.mayAsk);
  } catch (error) {
    return failed(error, tool);
  }
}

function adding(more: string, verdict: Verdict): Verdict {
  if (verdict.decision === 'none') return { ...verdict, warnings: [...verdict.warnings, more] };
  return { ...verdict, reason: `${verdict.reason} ${more}` };
}

function answerOf({ decision, guards }: Verdict, tool: AgentTool, name: string): ToolAnswer {
  const decisions = { none: 'allow', ask: 'need_user_confirm', deny: 'deny' } as const;
  return { at: new Date().toISOString(), tool, name: name.slice(0, 200), decision: decisions[decision], guards };
}

function failed(error: unknown, tool: AgentTool): Printed {
  return denied(`ability guard failed, and a guard that cannot answer denies the call: ${reasonOf(error)}`, tool);
}

/** Larger than the event of any call. */
export const MAX_EVENT_BYTES = 32 * 1024 * 1024;

/** Answers the event on stdin. Never throws. */
export async function guardProcess(
  { tool, project, env: environment, scope: flag }: GuardLine,
  { cwd, env, stdin }: { cwd: string; env: NodeJS.ProcessEnv; stdin: AsyncIterable<Buffer | string> },
): Promise<Printed> {
  try {
    const text = await readAll(stdin);
    const root = findProjectRoot(cwd, project);
    const scope = findScope(root, cwd, flag, env);
    const send = env.ABILITY_SESSION ? (await import('./note-session.js')).noteSession : undefined;
    const noting = send && { note: (note: SessionNote) => send(note, env) };
    const chosen = environment ?? (env.ABILITY_ENV || undefined);
    return await runGuard({ tool, root, environment: chosen, scope, env, text, ...noting });
  } catch (error) {
    return failed(error, tool);
  }
}

async function readAll(stdin: AsyncIterable<Buffer | string>): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stdin) {
    parts.push(Buffer.from(part));
    length += parts.at(-1)?.length ?? 0;
    if (length > MAX_EVENT_BYTES) throw new Error(`the event has more than ${MAX_EVENT_BYTES} bytes`);
  }
  return readUtf8(Buffer.concat(parts), { code: 'usage.invalid', what: 'the event' });
}
