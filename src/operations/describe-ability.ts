import { z } from 'zod';
import type { Effect } from '../contracts/effects.js';
import { AbilityError } from '../contracts/problem.js';
import { loadedAbility } from '../definitions/find-ability.js';
import type { Registry } from '../definitions/registry.js';
import { withoutMarks } from '../definitions/step-lists.js';
import { resolvePlan } from '../planning/resolve/resolve-plan.js';
import { EnvironmentVariables } from '../planning/secrets/secret-source.js';
import { inferPlacement } from '../planning/steps/infer-placement.js';
import { digestOf } from '../rules/canonical.js';
import { ability } from './concerns.js';
import * as fields from './fields.js';
import { findAbility } from './find-ability.js';
import { environmentOf, type OpenProject, operation } from './operation.js';

/** Reads files only. `plan` and `digest` are null if it cannot run in the environment: see `problem`. */
export function abilityIn(registry: Registry, id: string, environment: string, variables: EnvironmentVariables) {
  const found = loadedAbility(registry, id)?.value;
  const definition = found && 'steps' in found ? withoutMarks(found) : found;
  const placement = inferPlacement(registry, id, environment);
  try {
    const { plan, warnings } = resolvePlan(registry, id, environment, variables);
    return { definition, environment, placement, digest: digestOf(plan), plan, warnings, problem: null };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const none = { digest: null, plan: null, warnings: [] };
    return { definition, environment, placement, ...none, problem: error.toProblem() };
  }
}

/** The strongest effect; null if it cannot be planned. @param env is searched for credentials. */
export function effectsOf(registry: Registry, id: string, environment: string, env: NodeJS.ProcessEnv): Effect | null {
  const operation = registry.operations.get(id)?.value;
  if (operation) return operation.effects;
  try {
    const variables = new EnvironmentVariables(registry.root, environment, env);
    return resolvePlan(registry, id, environment, variables).plan.ability.effects;
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return null;
  }
}

export const describeAbility = operation({
  summary: 'The contract of an ability, and how it would run.',
  right: 'read',
  concerns: ability,
  at: 'GET /v1/abilities/{id}',
  input: z.strictObject({ id: fields.id, environment: fields.environment.optional() }),
  answers: {
    200: {
      means: 'As it is defined and planned.',
      schema: z.looseObject({ definition: z.looseObject({}), environment: z.string() }),
    },
  },
  async run(project, _, { id, environment: requested }) {
    const { registry, environment, variables } = await findIn(project, id, requested);
    return abilityIn(registry, id, environment, variables);
  },
});

/** @throws AbilityError as {@link findAbility} and {@link environmentOf}. */
export async function findIn(project: OpenProject, id: string, requested: string | undefined) {
  const registry = project.registry();
  await findAbility(registry, id);
  const environment = environmentOf(project, registry, requested);
  return { registry, environment, variables: new EnvironmentVariables(registry.root, environment, project.env) };
}
