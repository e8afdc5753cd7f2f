import type { HookAnswer } from '../../../contracts/hooks.js';
import type { JsonObject } from '../../../contracts/json.js';
import { isShown, toolCallOf } from '../../../definitions/tool-mapping/map-tool.js';
import type { ForeignHandler } from '../../../planning/hooks/foreign-guards.js';
import { isGuardPhase } from '../../../rules/hooks/fold-answers.js';
import { allowedAnswer, failedAnswer } from '../../../rules/hooks/handlers.js';
import { oneLine } from '../../../rules/shown-text.js';
import type { ScriptHookDependencies } from '../ask-script.js';
import { type HookRun, isOfTask, valuesOf } from '../hook-context.js';
import { askForeign } from './ask-foreign.js';
import type { ProvenGuards } from './proven-guards.js';
import type { Question, Verdict } from './read-verdict.js';
import { eventNameOf, sessionEvent, toolEvent } from './tool-event.js';

/**
 * Asks a hook of Claude Code about a call or a session event. Before a call it must first prove that it denies its
 * `must_deny` cases, else it has failed. Source: docs/hooks.md#guards-written-for-claude-code-or-codex;
 * docs/hooks.md#importing-them.
 */
export async function answerForeign(
  dependencies: ScriptHookDependencies,
  proven: ProvenGuards,
  { id, handler, run }: { id: string; handler: ForeignHandler; run: HookRun },
): Promise<HookAnswer> {
  const allow = allowedAnswer(id, run);
  const question = questionOf(handler, run, dependencies.root);
  if (!question) return allow;
  const { phase, signal, logs } = run;
  const values = valuesOf(run);
  if (isGuardPhase(phase)) {
    const fault = await proven.faultOf(id, handler, values.environment, signal);
    if (fault !== undefined) return failedAnswer(id, run, fault, PROVE);
  }
  const asked = { id, handler, step: `hooks/${phase}.${id}`, values, signal, logs, ...question };
  return answerOf(await askForeign(dependencies, asked), allow, handler);
}

const PROVE = 'Correct the hook or what it needs; `ability lint --check-hooks` says what it answers.';

/** @returns undefined: the hook does not apply. @throws AbilityError if the call cannot be translated. */
export function questionOf(
  { foreign }: Pick<ForeignHandler, 'foreign'>,
  run: HookRun,
  root: string,
): { question: Question; event: JsonObject } | undefined {
  const isClosed = foreign.format === 'codex';
  const event = eventNameOf(foreign, run);
  if (!event) return undefined;
  if (!isOfTask(run)) {
    const question: Question = { event, toolInput: undefined, isClosed };
    const around = { root, session: run.session, call: run.session };
    return { question, event: sessionEvent(event, run.payload, around) };
  }
  if (!foreign.shown) throw new Error('its plan does not say as which tool it sees the call');
  const call = toolCallOf(foreign.shown, run.input);
  if (!isShown(foreign.shown, call)) return undefined;
  const around = { root, session: run.session ?? run.task, call: `${run.task}/${run.path}` };
  const question: Question = { event, toolInput: call.tool_input, isClosed };
  return { question, event: toolEvent(event, call, around, run.outcome) };
}

/** Translates a verdict; the plan defines silence. @param allow the answer that lets the event pass. */
export function answerOf(
  verdict: Verdict,
  allow: HookAnswer,
  { foreign }: Pick<ForeignHandler, 'foreign'>,
): HookAnswer {
  const { hook_id: id, phase } = allow;
  if (verdict.kind === 'fault') return failedAnswer(id, allow, verdict.fault);
  const warnings = verdict.messages.map(oneLine);
  const more = {
    ...(warnings.length > 0 && { warnings }),
    ...(verdict.context !== undefined && phase === 'PromptSubmit' && { hook_signals: { context: verdict.context } }),
  };
  if (verdict.kind === 'silent') {
    if (foreign.silence === 'allow' || !isGuardPhase(phase)) return { ...allow, ...more };
    const reason = 'It did not decide, which counts as a deny (`abstain`).';
    const suggestion = 'Its author can set `must_deny`, or `abstain: allow` if no decision means no objection.';
    return { ...allow, decision: 'deny', reason, suggestion, ...more };
  }
  const reason = verdict.reason === undefined ? {} : { reason: oneLine(verdict.reason) };
  if (isGuardPhase(phase)) return { ...allow, decision: verdict.decision, ...reason, ...more };
  if (verdict.decision === 'allow') return { ...allow, ...more };
  // A prompt is never stopped, and a finished event cannot be. Source: C-11.
  if (phase === 'PromptSubmit') return { ...allow, decision: verdict.decision, ...reason, ...more };
  const said = `The hook ${id} objects${reason.reason === undefined ? '' : `: ${reason.reason}`}`;
  return { ...allow, ...more, warnings: [...warnings, said] };
}
