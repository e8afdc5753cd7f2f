import {
  ActivityFailure,
  ApplicationFailure,
  type SearchAttributePair,
  TypedSearchAttributes,
} from '@temporalio/common';
import { vi } from 'vitest';
import { ACTIVITIES } from '../../../../src/contracts/names.js';
import type { Problem } from '../../../../src/contracts/problem.js';
import type { Formed, PreflightAnswer, PreflightRequest } from '../../../../src/contracts/task.js';
import { World } from '../../../property/fake-workflow.js';
import { examplePlan } from '../../rules/example-plan.js';

export const PLAN = examplePlan();
export const FORMED: Formed = { seal: { key_id: 'k', mac: 'm' }, plan: PLAN };

/** How long a preflight takes, in milliseconds. */
export const PREFLIGHT_MS = 10;

/** What a client of ours sets at the start. */
export const OURS = {
  memo: { ability: 'signup', environment: 'staging', requested_by: 'ada' },
  typedSearchAttributes: attributes({
    AbilityProject: 'acme',
    AbilityStatus: 'running',
    AbilityEnvironment: 'staging',
    AbilityModule: 'integration',
  }),
};

export function attributes(values: Record<string, string>): TypedSearchAttributes {
  return new TypedSearchAttributes(
    Object.entries(values).map(([name, value]) => ({ key: { name, type: 'KEYWORD' }, value }) as SearchAttributePair),
  );
}

/** A world in which a task begins. @param info what Temporal knows of its run. @param answer that of its preflight. */
export function beginningWorld(info: object = OURS, answer: PreflightAnswer | Error = FORMED) {
  const world = new World(undefined, undefined, (ms) => void vi.setSystemTime(ms));
  world.info = info;
  const preflight = vi.fn(async (_: PreflightRequest) => {
    await new Promise<void>((resolve) => void world.after(PREFLIGHT_MS, resolve));
    if (answer instanceof Error) throw answer;
    return answer;
  });
  world.answers.set(ACTIVITIES.preflight, preflight as never);
  return { world, preflight };
}

/** The failure of a preflight that refused. */
export function refusal(problem: Problem, refused_in?: object): Error {
  const { code: type, message } = problem;
  const details = [problem, { ...(refused_in && { refused_in }) }];
  return failureOf(ApplicationFailure.create({ type, message, nonRetryable: true, details }));
}

export function failureOf(cause: Error): ActivityFailure {
  return new ActivityFailure('failed', ACTIVITIES.preflight, '1', 'NON_RETRYABLE_FAILURE', 'fake', cause);
}
