import type { Plan } from '../../contracts/plan.js';
import type { TaskRecord } from '../../contracts/record.js';
import type { TaskResult } from '../../contracts/task.js';
import { credentialsOf, type MaskedSecrets } from '../../planning/secrets/credentials.js';
import { Masker } from '../../planning/secrets/masking/masker.js';

/** Masks the known secrets in input, output and texts of a record. Source: R-000-86. */
export function maskRecord(record: TaskRecord, secrets: (environment: string) => MaskedSecrets): TaskRecord {
  const { plan, input, warnings, result } = record;
  const masker = new Masker(secretsOf(plan, secrets(plan.environment.name)));
  const masked = <T>(value: T): T => masker.maskDeep(value) as T;
  return { ...record, input: masked(input), warnings: masked(warnings), result: result && maskResult(result, masked) };
}

function maskResult(result: TaskResult, masked: <T>(value: T) => T): TaskResult {
  const { output, error, warnings, approvals, hooks, steps } = result;
  return {
    ...result,
    output: masked(output),
    error: masked(error),
    warnings: masked(warnings),
    approvals: masked(approvals),
    hooks: hooks.map((hook) => ({ ...hook, ...(hook.reason !== undefined && { reason: masked(hook.reason) }) })),
    steps: steps.map((step) => ({ ...step, ...(step.error && { error: masked(step.error) }) })),
  };
}

/** Secrets that the operations of a plan use, as far as this worker has them. */
export function secretsOf(plan: Plan, source: MaskedSecrets): string[] {
  const references = credentialsOf(plan).map(({ reference }) => reference);
  return [...new Set(references)].flatMap((reference) => source.valuesOf(reference));
}
