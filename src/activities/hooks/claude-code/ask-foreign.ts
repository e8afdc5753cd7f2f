import { homedir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../contracts/json.js';
import type { ForeignHandler } from '../../../planning/hooks/foreign-guards.js';
import { askScript, type ScriptHookDependencies, type ScriptQuestion, withTail } from '../ask-script.js';
import { type Question, readVerdict, type Verdict } from './read-verdict.js';

export interface ForeignQuestion extends Pick<ScriptQuestion, 'id' | 'step' | 'values' | 'signal' | 'logs'> {
  handler: ForeignHandler;
  /** Its input on stdin. */
  event: JsonObject;
  question: Question;
}

/** Maximum lines of stderr that are used as a reason. */
const MAX_LINES = 24;

/**
 * Runs a hook as Claude Code does: event on stdin, in the project root, with HOME, CLAUDE_PROJECT_DIR and
 * CLAUDE_PLUGIN_ROOT. Masks known secrets in the verdict.
 * @throws CallFailure `script.*`, AbilityError, where it cannot be started.
 */
export async function askForeign(
  dependencies: ScriptHookDependencies,
  { event, question, ...rest }: ForeignQuestion,
): Promise<Verdict> {
  const { script, foreign } = rest.handler;
  const { stdout, exitCode, fault, log } = await askScript(dependencies, {
    ...rest,
    stdin: JSON.stringify(event),
    names: (pinned, secrets) => ({
      HOME: secrets.inherited('HOME') ?? homedir(),
      ...script.env.set,
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
  if (verdict.kind === 'silent' || verdict.reason === undefined) return { ...verdict, messages, ...context };
  return { ...verdict, messages, ...context, reason: log.mask(verdict.reason) };
}
