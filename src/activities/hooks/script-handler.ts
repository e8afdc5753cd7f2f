import type { HookAnswer } from '../../contracts/hooks.js';
import { failedAnswer } from '../../rules/hooks/handlers.js';
import { oneLine } from '../../rules/shown-text.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { duplicateKeys } from '../../text/lossless-json/replace-parts.js';
import type { CallLog } from '../call/call-log.js';
import { askScript, type ScriptHookDependencies, withTail } from './ask-script.js';
import { answerForeign } from './claude-code/answer-foreign.js';
import { ProvenGuards } from './claude-code/proven-guards.js';
import { valuesOf } from './hook-context.js';
import type { AnswerScript } from './hook-dependencies.js';
import { type HookSubject, readHookResult } from './read-hook-result.js';

export type { ScriptHookDependencies } from './ask-script.js';

/**
 * Runs script handlers: EventContext as JSON on stdin, HookResult as JSON on stdout; those of another tool in its own
 * protocol. Source: R-002-22; docs/hooks.md#guards-written-for-claude-code-or-codex.
 */
export function createAnswerScript(
  dependencies: ScriptHookDependencies,
  proven = new ProvenGuards(dependencies),
): AnswerScript {
  return (...subject) => {
    const [id, { foreign, ...handler }, , run] = subject;
    if (!foreign) return answerScript(dependencies, ...subject);
    return answerForeign(dependencies, proven, { id, handler: { ...handler, foreign }, run });
  };
}

async function answerScript(
  dependencies: ScriptHookDependencies,
  ...[id, handler, context, run]: Parameters<AnswerScript>
): Promise<HookAnswer> {
  const { phase, path, signal, logs, trace } = run;
  const { stdout, fault, exitCode, log } = await askScript(dependencies, {
    id,
    step: `hooks/${phase}.${id}`,
    handler,
    stdin: JSON.stringify(context),
    values: valuesOf(run),
    signal,
    logs,
    trace,
  });
  const failed = exitCode === 0 ? fault : (fault ?? `it ended with exit code ${exitCode}`);
  if (failed !== undefined) return failedAnswer(id, run, withTail(failed, log));
  return readAnswer(id, stdout, { phase, path, ability: context.ability_id }, log);
}

function readAnswer(id: string, stdout: string, subject: HookSubject, log: CallLog): HookAnswer {
  let value: unknown;
  let twice: string[];
  try {
    value = JSON.parse(stdout);
    twice = duplicateKeys(stdout).map((key) => log.mask(key));
    value = log.maskDeep(value);
    refuseUnsafeKeys(value);
  } catch {
    const seen = stdout.trim() === '' ? 'nothing' : `\`${oneLine(log.excerpt(stdout.trim(), 200))}\``;
    return failedAnswer(id, subject, `it printed ${seen}, which is no HookResult`);
  }
  return readHookResult(id, value, subject, twice);
}
