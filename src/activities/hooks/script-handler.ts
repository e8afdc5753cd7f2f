import type { HookAnswer } from '../../contracts/hooks.js';
import type { ScriptFacts } from '../../planning/scripts/texts/evaluate-script.js';
import { failedAnswer } from '../../rules/hooks/hook-facts.js';
import { oneLine } from '../../rules/shown-text.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { duplicateKeys } from '../../text/lossless-json/duplicate-keys.js';
import type { CallLog } from '../call/call-log.js';
import { askScript, type ScriptHookDependencies, withTail } from './ask-script.js';
import { answerForeign } from './claude-code/answer-foreign.js';
import { ProvenGuards } from './claude-code/proven-guards.js';
import { environmentIn, type HookRun, isOfTask } from './hook-context.js';
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
    const [id, handler, , run] = subject;
    const { foreign } = handler;
    if (!foreign) return answerScript(dependencies, ...subject);
    const facts = (pinned: string): ScriptFacts => factsOf(run, pinned);
    return answerForeign(dependencies, proven, { id, handler: { ...handler, foreign }, run, facts });
  };
}

async function answerScript(
  dependencies: ScriptHookDependencies,
  ...[id, { script, timeout_ms }, context, run]: Parameters<AnswerScript>
): Promise<HookAnswer> {
  const at = { phase: run.phase, path: run.path };
  const { stdout, fault, exitCode, log } = await askScript(dependencies, {
    step: `hooks/${run.phase}.${id}`,
    script,
    timeoutMs: timeout_ms,
    environment: context.environment.name,
    stdin: JSON.stringify(context),
    names: () => ({ ABILITY_HOOK_ID: id, ABILITY_ENVIRONMENT: context.environment.name }),
    facts: (pinned) => factsOf(run, pinned),
    signal: run.signal,
    logs: run.logs,
    trace: run.trace,
  });
  const failed = exitCode === 0 ? fault : (fault ?? `it ended with exit code ${exitCode}`);
  if (failed !== undefined) return failedAnswer(id, at, withTail(failed, log));
  return readAnswer(id, stdout, { ...at, ability: context.ability_id }, log);
}

/** A hook fires for abilities with various inputs, so any input may be absent. */
function factsOf(run: HookRun, pinned: string): ScriptFacts {
  const isTask = isOfTask(run);
  return {
    values: {
      input: isTask ? run.input : run.payload,
      environment: { ...environmentIn(run) },
      task: isTask ? { key: run.task, ability: run.plan.ability.id } : null,
    },
    inputSchema: null,
    placeholders: { pinned },
  };
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
