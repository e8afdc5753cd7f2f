import type { Plan } from '../../contracts/plan.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { resolvePlan } from '../resolve/resolve-plan.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import { compileSteps } from '../steps/compile-steps.js';
import type { Callee, GraphSubject } from './draw-ability.js';

/** The graph of an ability, with the reason if it is not what would run in the environment. */
export interface DescribedGraph {
  subject: GraphSubject;
  problem: Problem | null;
}

/**
 * Describes an ability for its graph: as planned for an environment, or as defined where it cannot be planned there.
 *
 * @param variables as for {@link resolvePlan}.
 * @param strict refuse an ability that cannot be planned: the caller named the environment.
 * @throws AbilityError for an unknown ability, for broken definitions, and with `strict` as {@link resolvePlan}.
 */
export function describeGraph(
  registry: Registry,
  id: string,
  environment: string,
  strict: boolean,
  variables?: EnvironmentVariables,
): DescribedGraph {
  try {
    return { subject: ofPlan(resolvePlan(registry, id, environment, variables).plan), problem: null };
  } catch (error) {
    if (strict || !(error instanceof AbilityError)) throw error;
    const subject = ofDefinition(registry, id);
    if (!subject) throw error;
    return { subject, problem: error.toProblem() };
  }
}

function ofPlan({ ability, environment, operations, steps, finally: cleanup, concurrency }: Plan): GraphSubject {
  const { id, version, kind } = ability;
  const callees = Object.values(operations).map(({ key, effects, implementation }): [string, Callee] => {
    const asks = environment.approve.includes(effects) ? { asksIn: environment.name } : {};
    return [key, { effects, implementation: implementation.id, ...asks }];
  });
  const own = kind === 'operation' ? callOfItself(id) : { steps, finally: cleanup };
  return { id, version, environment: environment.name, concurrency, ...own, callees: Object.fromEntries(callees) };
}

/** Undefined if it is not defined, or broken. */
function ofDefinition(registry: Registry, id: string): GraphSubject | undefined {
  const effects = [...registry.operations].map(([key, { value }]): [string, Callee] => [
    key,
    { effects: value.effects },
  ]);
  const callees = Object.fromEntries(effects);
  const operation = registry.operations.get(id)?.value;
  if (operation) return { id, version: operation.version, environment: null, ...callOfItself(id), callees };
  const workflow = registry.workflows.get(id);
  if (!workflow) return undefined;
  const { steps, finally: cleanup, concurrency } = compileSteps(registry, workflow);
  return { id, version: workflow.value.version, environment: null, concurrency, steps, finally: cleanup, callees };
}

/** A low-level ability is one call of itself. */
function callOfItself(id: string): Pick<GraphSubject, 'steps' | 'finally'> {
  return { steps: [{ id: 'run', verb: 'call', call: id, with: {} }], finally: [] };
}
