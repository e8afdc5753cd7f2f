import { userInfo } from 'node:os';
import type { SessionNote, ToolAnswer } from '../../contracts/session.js';
import type { AgentTool } from './agent-tools.js';
import { keptIndex } from './keep-index.js';
import { type Printed, printAnswer, type Verdict } from './print-answer.js';
import { readEvent } from './read-event.js';

/** What `ability guard` is called with. */
export interface GuardCall {
  tool: AgentTool;
  /** The folder of the project. */
  root: string;
  /** That was asked for; left out: the project's own choice. */
  environment?: string | undefined;
  env: NodeJS.ProcessEnv;
  /** What was on stdin. */
  text: string;
  /** Tells a session of an answer, without waiting. @returns what to say where that cannot be. */
  note?: (note: SessionNote) => string | undefined;
}

/**
 * Answers one hook event of an agent's tool. Never throws: what goes wrong is a deny that says what went wrong.
 */
export async function runGuard({ tool, root, environment, env, text, note }: GuardCall): Promise<Printed> {
  const event = readEvent(text, tool);
  if (event.kind === 'other') return { stdout: '{}\n', stderr: '', exit: 0 };
  if (event.kind === 'fault')
    return refusal(`ability guard: this call was not let through, since ${event.fault}.`, tool);
  const { call } = event;
  try {
    const index = await keptIndex(root, environment, async () => {
      const { buildIndex } = await import('./build-index.js');
      return buildIndex(root, environment, env);
    });
    const { judgeCall } = await import('./judge-call.js');
    const user = { name: env.ABILITY_USER || osUser(), source: 'claimed' } as const;
    const session = env.ABILITY_SESSION || null;
    const verdict = await judgeCall(call, { root, index, env, user, session, moment: Date.now() });
    const isNoted = session !== null && verdict.guards.length > 0;
    const unsaid = isNoted ? note?.({ root, session, answer: answerOf(verdict, tool, call.name) }) : undefined;
    const said = unsaid === undefined ? verdict : saying(unsaid, verdict);
    return printAnswer(said, tool, call.event, call.mayAsk);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return refusal(`ability guard failed, and a guard that cannot answer denies the call: ${reason}`, tool);
  }
}

function saying(more: string, verdict: Verdict): Verdict {
  if (verdict.decision === 'none') return { ...verdict, warnings: [...verdict.warnings, more] };
  return { ...verdict, reason: `${verdict.reason} ${more}` };
}

function answerOf({ decision, guards }: Verdict, tool: AgentTool, name: string): ToolAnswer {
  const said = { none: 'allow', ask: 'need_user_confirm', deny: 'deny' } as const;
  return { at: new Date().toISOString(), tool, name: name.slice(0, 200), decision: said[decision], guards };
}

function refusal(reason: string, tool: AgentTool): Printed {
  return printAnswer({ decision: 'deny', reason, warnings: [] }, tool, undefined, false);
}

function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
