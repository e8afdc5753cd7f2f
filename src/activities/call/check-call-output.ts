import type { CallRequest } from '../../contracts/activities.js';
import type { Json } from '../../contracts/json.js';
import type { Plan, PlanOperation } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { checkAgainst } from '../../planning/input/schemas.js';
import { judgeAnswer } from '../../rules/calls/judge-answer.js';
import { evaluateCondition } from '../../rules/expressions/evaluate.js';
import { CallFailure } from './call-failure.js';
import type { CallInput } from './call-input.js';

type CheckedCall = Pick<CallInput, 'input' | 'environment' | 'log' | 'outputBytes'>;

/** Fills in defaults. @throws CallFailure `output.too_large`, `fail_if.matched`, `<kind>.output_invalid`. */
export function checkOutput(
  { key, implementation, output_schema }: PlanOperation,
  call: CheckedCall,
  output: Json,
): Json {
  refuseLarge(key, call, output);
  const { fail_if: condition, kind } = implementation;
  if (condition !== undefined) {
    const values = { output, input: call.input, environment: { ...call.environment } };
    if (evaluateCondition(condition, values)) {
      const seen = call.log.excerpt(JSON.stringify(output), 300);
      const message = `${key} answered, and \`fail_if\` says that it failed: ${seen}`;
      throw new CallFailure({ code: 'fail_if.matched', message, details: { output } });
    }
  }
  if (!output_schema) return output;
  const code = `${kind}.output_invalid`;
  try {
    return checkAgainst(output_schema, output, { code, what: `The output of ${key}` });
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const stderr = call.log.tailOf('stderr');
    const message = stderr ? `${error.message}\n${stderr}` : error.message;
    throw new CallFailure({ ...error.toProblem(), message }, { cause: error });
  }
}

function refuseLarge(key: string, call: CheckedCall, output: Json): void {
  const bytes = Buffer.byteLength(JSON.stringify(output) ?? 'null');
  if (bytes <= call.outputBytes) return;
  const message = `The output of ${key} has ${bytes} bytes; the maximum is ${call.outputBytes}`;
  throw new CallFailure({ code: 'output.too_large', message });
}

/** What a question finds must fit the contract of the lost call. @throws CallFailure `<kind>.output_invalid`. */
export function checkFound({ operations }: Plan, about: NonNullable<CallRequest['about']>, output: Json): void {
  const { operation: key, ...lost } = about;
  const of = Object.hasOwn(operations, key) ? operations[key] : undefined;
  const verdict = of?.unknown && judgeAnswer(of.unknown, lost, { output, error: null });
  if (verdict?.is !== 'happened' || !of?.output_schema) return;
  const code = `${of.implementation.kind}.output_invalid`;
  const what = `The output of ${key} that was found`;
  try {
    checkAgainst(of.output_schema, verdict.output, { code, what });
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    throw new CallFailure(error.toProblem(), { cause: error });
  }
}
