import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isJsonObject } from '../../../contracts/json.js';
import type { Plan } from '../../../contracts/plan.js';
import type { PlanPreview } from '../../../contracts/preview.js';
import { type AbilityError, reasonOf, usageError } from '../../../contracts/problem.js';
import type { WantedPlan } from '../../../contracts/task.js';
import { parseJson } from '../../../disk/read-json.js';
import { digestOf } from '../../../rules/canonical.js';

export interface PlanFlag {
  wanted: WantedPlan;
  plan?: Plan;
}

const FORM = /^([0-9a-f]{64})(?:\.([0-9a-f]{64}))?$/;

/**
 * Reads `--plan`: the digest of a plan, with that of its input after a dot, or `@file` of `ability plan --json`.
 * @throws AbilityError `usage.invalid`, also if the digests in the file do not match.
 */
export function readPlanFlag(given: string, cwd: string): PlanFlag {
  if (given.startsWith('@')) return readFile(given.slice(1), cwd);
  const [, plan, input] = FORM.exec(given) ?? [];
  if (plan === undefined) throw refusal(`--plan ${given} is no digest of a plan`);
  return { wanted: { plan, ...(input !== undefined && { input }) } };
}

function readFile(path: string, cwd: string): PlanFlag {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw refusal(`--plan: ${path} cannot be read: ${reasonOf(error)}`);
  }
  const value: unknown = parseJson(text);
  if (!isPlanFile(value)) throw refusal(`--plan: ${path} contains no plan`);
  const { plan, input } = value;
  const wanted = { plan: digestOf(plan), input: digestOf(input) };
  if (wanted.plan !== value.digest || wanted.input !== value.input_digest) {
    throw refusal(`--plan: ${path} was changed since it was written: its plan or input does not match its digests`);
  }
  return { wanted, plan };
}

/** Checks only the parts read here; the digest verifies the whole. */
function isPlanFile(value: unknown): value is Pick<PlanPreview, 'plan' | 'input' | 'digest' | 'input_digest'> {
  if (!isJsonObject(value) || !isJsonObject(value.plan) || !isJsonObject(value.input)) return false;
  const { operations } = value.plan;
  const isOperation = (one: unknown): boolean => isJsonObject(one) && isJsonObject(one.implementation);
  return isJsonObject(operations) && Object.values(operations).every(isOperation);
}

function refusal(message: string): AbilityError {
  return usageError(
    message,
    'Pass the `reference` or the `digest` that `ability plan` prints, or @file of its --json.',
  );
}
