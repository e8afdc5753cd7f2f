import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isJsonObject, type Json } from '../../../../contracts/json.js';
import type { Plan } from '../../../../contracts/plan.js';
import type { PlanPreview } from '../../../../contracts/preview.js';
import { AbilityError, reasonOf, usageError } from '../../../../contracts/problem.js';
import type { WantedPlan } from '../../../../contracts/task.js';
import type { Registry } from '../../../../definitions/registry.js';
import { parseJson } from '../../../../disk/read-json.js';
import { digestOf } from '../../../../rules/canonical.js';
import { type PlanChange, partsOf, planDigest } from '../../../../rules/plans/plan-digest.js';
import { findDifferences } from '../../../../text/value-differences.js';
import { type Context, environmentOf, openRegistry, variablesOf } from '../../program/context.js';
import { cut } from '../plain-text.js';

const MAX_SHOWN = 10;
const MAX_CHARACTERS = 80;

/**
 * Adds the differences to a refusal `plan.changed`. The worker knows only the expected digest; the plan is in the
 * given file, or still follows from the definitions here. @throws AbilityError of the creation.
 */
export async function explainingChange<T>(context: Context, flag: string, create: () => Promise<T>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof AbilityError) || error.code !== 'plan.changed') throw error;
    const differences = await describeChange(context, await openRegistry(context), flag, error.details as PlanChange);
    const message = [error.message, ...differences].join('\n  ');
    throw new AbilityError({ ...error.toProblem(), message }, { cause: error });
  }
}

async function describeChange(
  context: Context,
  registry: Registry,
  flag: string,
  { wanted, found, parts, ability }: PlanChange,
): Promise<string[]> {
  const { plan: saved } = readPlanFlag(flag, context.cwd);
  if (wanted.plan === found.plan) return [];
  const here = await planHere(context, registry, ability);
  const digestHere = here && planDigest(here);
  const before = saved ?? (digestHere === wanted.plan ? here : undefined);
  if (!before) return ['The definitions here are not those of the plan either.'];
  if (here && digestHere === found.plan) return differences(before, here);
  const other =
    digestHere === wanted.plan ? ['The definitions here are those of the plan; those of the worker differ:'] : [];
  return [...other, ...changedParts(before, parts)];
}

async function planHere(context: Context, registry: Registry, ability: string): Promise<Plan | undefined> {
  const { resolvePlan } = await import('../../../../planning/resolve/resolve-plan.js');
  try {
    const environment = await environmentOf(context, registry);
    return resolvePlan(registry, ability, environment, await variablesOf(context, registry, environment)).plan;
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return undefined;
  }
}

function differences(before: Plan, after: Plan): string[] {
  const asJson = (plan: Plan): Json => JSON.parse(JSON.stringify(plan)) as Json;
  const found = findDifferences('plan', asJson(before), asJson(after));
  const lines = found.slice(0, MAX_SHOWN).map(({ at, expected, actual }) => {
    return `${at.replace(/^plan\./, '')}: ${shorten(expected)} -> ${shorten(actual)}`;
  });
  return found.length > MAX_SHOWN ? [...lines, `and ${found.length - MAX_SHOWN} more`] : lines;
}

function changedParts(before: Plan, parts: Record<string, string> | undefined): string[] {
  const own = partsOf(before);
  if (!own || !parts) return [];
  const names = [...new Set([...Object.keys(own), ...Object.keys(parts)])].filter((name) => own[name] !== parts[name]);
  return names.length > 0 ? [`It differs in ${names.join(', ')}.`] : [];
}

function shorten(value: Json | undefined): string {
  return value === undefined ? 'nothing' : cut(JSON.stringify(value), MAX_CHARACTERS);
}

interface PlanFlag {
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
