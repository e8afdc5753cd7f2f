import { isFileValue } from '../../contracts/files.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { CallStep, Plan, PlanOperation, PlanRetry } from '../../contracts/plan.js';
import type { CallPreview, ScriptPreview } from '../../contracts/preview.js';
import type { Problem } from '../../contracts/problem.js';
import { attemptsOf, callInput, RETRY, stepLimit } from '../../rules/calls/call-defaults.js';
import { formatDuration, parseDuration } from '../../rules/duration.js';
import { unlessRefused } from '../../text/attempt.js';
import { operationInput } from '../resolve/check-parameters.js';
import { evaluateScript, plainTextOf, type ScriptFacts, type ValuePiece, writeScript } from '../scripts/texts.js';
import { problemsOf } from '../steps/check-names.js';
import { evaluatePartially, type Known, type PartialInput, previewText } from './partial-evaluation.js';
import { type Asker, previewGuardApproval, previewHooks } from './preview-hooks.js';

interface PreviewedCall {
  plan: Plan;
  operation: PlanOperation;
  given: PartialInput;
  known: Known;
  user: Asker;
  step?: Pick<CallStep, 'retry' | 'timeout'>;
  /** Further reasons for an approval, such as those of hooks at creation. */
  reasons?: readonly string[];
  /** Its `foreach` asks once for what the environment asks. */
  isAskedBefore?: boolean;
}

/** Why the environment asks before each call of an operation; empty: it does not. */
export function reasonsOfEnvironment({ environment }: Plan, { effects }: PlanOperation): string[] {
  return environment.approve.includes(effects) ? [`${environment.name} asks for approval of ${effects} calls.`] : [];
}

export function previewCall(call: PreviewedCall): CallPreview {
  const { plan, operation, given, user, step = {}, known, reasons = [] } = call;
  const { environment } = plan;
  const input = given.input && callInput(operation, given.input);
  const subject = { plan, operation, input, user };
  const before = previewHooks(operation.hooks.pre_call, 'PreAbilityCall', subject);
  const after = previewHooks(operation.hooks.post_call, 'PostAbilityCall', subject);
  const own = call.isAskedBefore ? [] : reasonsOfEnvironment(plan, operation);
  const attempts = attemptsOf(operation, step.retry?.attempts);
  return {
    ability: operation.key,
    kind: 'operation',
    effects: operation.effects,
    with: withDefaults(call),
    input_problem: inputProblem(given, (input) => operationInput(operation, input)),
    attempts,
    retry: attempts > 1 ? retryOf(step.retry, known) : null,
    limit_ms: limitOf(plan, operation, step.timeout, known),
    hooks: [...before, ...after],
    approval: previewGuardApproval(
      `${operation.key} in ${environment.name}`,
      [...own, ...reasons],
      before,
      environment,
    ),
    unknown: unknownOf(operation),
    script: previewScript(call, input),
    workflow: null,
  };
}

function unknownOf({ unknown }: PlanOperation): CallPreview['unknown'] {
  if (!unknown) return null;
  const { call, attempts, wait_ms } = unknown;
  return { call, attempts, wait_ms };
}

export function withDefaults({
  operation,
  given: { shown },
}: Pick<PreviewedCall, 'operation' | 'given'>): CallPreview['with'] {
  // It may be one template with an unknown value.
  return isJsonObject(shown.value) ? { ...shown, value: callInput(operation, shown.value) } : shown;
}

/** Why the input would be refused; null if it would not, or if that is not known yet. */
export function inputProblem(given: PartialInput, check: (input: JsonObject) => unknown): Problem | null {
  const { shown, input } = given;
  if (shown.problem) return shown.problem;
  if (!input || Object.keys(shown.open).length > 0) return null;
  return problemsOf(() => check(input))[0] ?? null;
}

function retryOf(written: PlanRetry | undefined, known: Known): CallPreview['retry'] {
  if (!written) {
    const { firstMs, factor, maxMs } = RETRY;
    return { first: formatDuration(firstMs), factor, max: formatDuration(maxMs), errors: null };
  }
  const { first, factor, max, errors = null, if: condition, jitter } = written;
  const more = { ...(condition !== undefined && { if: condition }), ...(jitter && { jitter }) };
  return { first: previewText(first, known), factor, max: previewText(max, known), errors, ...more };
}

/** Null if the time-out is a template that only the run can evaluate. */
function limitOf(plan: Plan, operation: PlanOperation, timeout: string | undefined, known: Known): number | null {
  if (timeout === undefined) return stepLimit(plan.limits, operation, undefined);
  return unlessRefused(
    () => stepLimit(plan.limits, operation, parseDuration(previewText(timeout, known))),
    () => null,
  );
}

/**
 * A script's texts as in the run; secrets as references, values that only the run has as names in braces. Null for other
 * kinds, and for an input of which nothing is known. @param input may have hidden members.
 */
function previewScript(
  { operation, given, known }: PreviewedCall,
  input: JsonObject | undefined,
): ScriptPreview | null {
  const { implementation, input_schema: inputSchema } = operation;
  if (implementation.kind !== 'script' || !input || given.shown.problem) return null;
  const { script } = implementation;
  const program = [...script.interpreter, script.path];
  const env = { ...script.env.set, ...script.env.secrets };
  const found = evaluatePartially((): Json => {
    const evaluated = evaluateScript(script, factsOf(inputSchema, input, known));
    const { args, stdin = null, env } = writeScript(evaluated, shownText);
    return { args, stdin, env };
  });
  const nothing = { command: null, stdin: null, env, depends_on: [], problem: null };
  if (found.is === 'open') return { ...nothing, depends_on: found.depends_on };
  if (found.is === 'failing') return { ...nothing, problem: found.problem };
  const { args, stdin, env: own } = found.value as unknown as { args: string[]; stdin: string | null; env: object };
  return { ...nothing, command: [...program, ...args], stdin, env: { ...env, ...own } };
}

/** Shows a file by its name: only the run makes the copy whose path the script gets. */
function shownText(piece: ValuePiece): string {
  return isFileValue(piece.value) ? `{file ${piece.value.name}}` : plainTextOf(piece);
}

function factsOf(inputSchema: JsonObject, input: JsonObject, { values }: Known): ScriptFacts {
  const { environment = null, task } = values;
  return {
    values: { input, environment, task: isJsonObject(task) ? task : {} },
    inputSchema,
    placeholders: {
      // Lazy, so that an unknown part of the input hides only texts that use it.
      get payload() {
        return JSON.stringify(input);
      },
    },
  };
}
