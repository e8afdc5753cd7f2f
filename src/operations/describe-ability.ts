import { z } from 'zod';
import type { Effect } from '../contracts/effects.js';
import type { Plan } from '../contracts/plan.js';
import { AbilityError } from '../contracts/problem.js';
import { findAbility, loadedAbility } from '../definitions/find-ability.js';
import type { Registry } from '../definitions/registry.js';
import { withoutMarks } from '../definitions/step-lists.js';
import { describeGraph } from '../planning/graph/describe-graph.js';
import { drawAbility as draw } from '../planning/graph/draw-ability.js';
import { resolvePlan } from '../planning/resolve/resolve-plan.js';
import { EnvironmentVariables } from '../planning/secrets/secret-source.js';
import { inferPlacement } from '../planning/steps/placement.js';
import { digestOf } from '../rules/canonical.js';
import type { StepTree } from '../rules/steps/step-tree.js';
import { unlessRefused } from '../text/attempt.js';
import { defined } from '../text/defined.js';
import { ability } from './concerns.js';
import * as fields from './fields.js';
import { answer, environmentOf, type OpenProject, operation } from './operation.js';

/**
 * Reads files only. `plan` and `digest` are null if it cannot run in the environment: see `problem`; `steps` are then those
 * of the definition.
 */
export function abilityIn(registry: Registry, id: string, environment: string, variables: EnvironmentVariables) {
  const found = loadedAbility(registry, id)?.value;
  const definition = found && 'steps' in found ? withoutMarks(found) : found;
  const placement = inferPlacement(registry, id, environment);
  try {
    const { plan, warnings } = resolvePlan(registry, id, environment, variables);
    const implementations = implementationsOf(registry, plan);
    const planned = { digest: digestOf(plan), plan, implementations, steps: null, warnings, problem: null };
    return { definition, environment, placement, ...planned };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const steps = definedSteps(registry, id, environment, variables);
    const none = { digest: null, plan: null, implementations: {}, steps, warnings: [] };
    return { definition, environment, placement, ...none, problem: error.toProblem() };
  }
}

/** What implementations say of themselves and no plan has, by the operations of a plan. */
function implementationsOf({ implementations, configs, operations }: Registry, plan: Plan) {
  const described = Object.values(plan.operations).map(({ key, implementation: { id } }) => {
    const separate = implementations.get(id)?.value;
    const body = id === key ? (configs.get(key)?.value.impl ?? operations.get(key)?.value.implementation) : separate;
    const summary = id === key ? undefined : separate?.summary;
    return [key, defined({ summary, limitations: body?.limitations })] as const;
  });
  return Object.fromEntries(described);
}

/** Null if not even the definition can be read. */
function definedSteps(registry: Registry, id: string, environment: string, variables: EnvironmentVariables) {
  return unlessRefused(
    (): Pick<StepTree, 'steps' | 'finally'> => {
      const { steps, finally: cleanup } = describeGraph(registry, id, environment, false, variables).subject;
      return { steps, finally: cleanup };
    },
    () => null,
  );
}

/** The strongest effect; null if it cannot be planned. @param env is searched for credentials. */
export function effectsOf(registry: Registry, id: string, environment: string, env: NodeJS.ProcessEnv): Effect | null {
  const operation = registry.operations.get(id)?.value;
  if (operation) return operation.effects;
  const variables = new EnvironmentVariables(registry.root, environment, env);
  return unlessRefused(() => resolvePlan(registry, id, environment, variables).plan.ability.effects) ?? null;
}

export const describeAbility = operation({
  summary: 'The contract of an ability, and how it would run.',
  right: 'read',
  concerns: ability,
  at: 'GET /v1/abilities/{id}',
  input: z.strictObject({ id: fields.id, environment: fields.environment.optional() }),
  answers: answer(
    'As it is defined and planned.',
    z.looseObject({ definition: z.looseObject({}), environment: z.string() }),
  ),
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

export const drawAbility = operation({
  summary: 'The steps of an ability as a Mermaid flowchart.',
  right: 'read',
  concerns: ability,
  at: 'GET /v1/abilities/{id}/graph',
  input: z.strictObject({ id: fields.id, environment: fields.environment.optional() }),
  answers: answer('The drawing.', z.looseObject({ ability: z.string(), mermaid: z.string() })),
  async run(project, _, { id, environment: requested }) {
    const { registry, environment, variables } = await findIn(project, id, requested);
    const { subject, problem } = describeGraph(registry, id, environment, requested !== undefined, variables);
    const { version, environment: drawnFor } = subject;
    return { ability: id, version, environment: drawnFor, tried_in: environment, mermaid: draw(subject), problem };
  },
});
