import { homedir } from 'node:os';
import { join } from 'node:path';
import type { PlanForeignHook } from '../../../contracts/foreign-hooks.js';
import type { JsonObject } from '../../../contracts/json.js';
import type { PlanHandler } from '../../../contracts/plan.js';
import { askScript, type ScriptHookDependencies, type ScriptQuestion, withTail } from '../ask-script.js';
import { type Question, readVerdict, type Verdict } from './read-verdict.js';

/** A script handler that speaks the protocol of another tool. */
export type ForeignHandler = Extract<PlanHandler, { kind: 'script' }> & { foreign: PlanForeignHook };

export interface ForeignQuestion extends Pick<ScriptQuestion, 'step' | 'environment' | 'facts' | 'signal' | 'logs'> {
  id: string;
  handler: ForeignHandler;
  /** Its input on stdin. */
  event: JsonObject;
  question: Question;
}

/** Maximum lines of stderr that are used as a reason. */
const MAX_LINES = 24;

/**
 * Runs a hook as Claude Code does: event on stdin, in the project root, with HOME, CLAUDE_PROJECT_DIR and
 * CLAUDE_PLUGIN_ROOT. Masks known secrets in the verdict. Source:
 * docs/hooks.md#guards-written-for-claude-code-or-codex.
 * @throws CallFailure `script.*`, AbilityError, where it cannot be started.
 */
export async function askForeign(
  dependencies: ScriptHookDependencies,
  { id, handler, event, question, ...rest }: ForeignQuestion,
): Promise<Verdict> {
  const { script, timeout_ms, foreign } = handler;
  const { stdout, exitCode, fault, log } = await askScript(dependencies, {
    ...rest,
    script,
    timeoutMs: timeout_ms,
    stdin: JSON.stringify(event),
    names: (pinned, secrets) => ({
      HOME: secrets.inherited('HOME') ?? homedir(),
      ...script.env.set,
      ABILITY_HOOK_ID: id,
      ABILITY_ENVIRONMENT: rest.environment,
      CLAUDE_PROJECT_DIR: dependencies.root,
      ...(foreign.plugin_root !== undefined && { CLAUDE_PLUGIN_ROOT: join(pinned, foreign.plugin_root) }),
    }),
  });
  // Exit code 2 denies regardless of faults.
  if (fault !== undefined && exitCode !== 2) return { kind: 'fault', fault: withTail(fault, log) };
  const ending = { exitCode: exitCode ?? 1, stdout, stderr: log.tailOf('stderr', MAX_LINES) };
  const verdict = readVerdict(ending, question);
  if (verdict.kind === 'fault') return { kind: 'fault', fault: withTail(log.mask(verdict.fault), log) };
  const messages = verdict.messages.map((text) => log.mask(text));
  const context = verdict.context === undefined ? {} : { context: log.mask(verdict.context) };
  if (verdict.kind === 'silent') return { ...verdict, messages, ...context };
  return {
    ...verdict,
    messages,
    ...context,
    ...(verdict.reason !== undefined && { reason: log.mask(verdict.reason) }),
  };
}
