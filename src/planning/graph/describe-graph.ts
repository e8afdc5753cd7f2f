import type { Plan } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import type { AgentProfile } from '../../definitions/formats/agent.js';
import type { Registry } from '../../definitions/registry.js';
import { MODEL_PREFIX } from '../../rules/agents.js';
import { unlessRefused } from '../../text/attempt.js';
import { nameTools, stepsOfAgent } from '../resolve/resolve-agent.js';
import { resolvePlan } from '../resolve/resolve-plan.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import { compileSteps } from '../steps/compile-steps.js';
import type { Callee, GraphSubject } from './draw-ability.js';

/** `problem` says why the ability cannot be planned; the graph then shows the definitions. */
export interface DescribedGraph {
  subject: GraphSubject;
  problem: Problem | null;
}

/**
 * Describes an ability as planned, or as defined if it cannot be planned and `strict` is not set.
 * @param variables as for {@link resolvePlan}. @throws AbilityError for unknown abilities and broken definitions.
 */
export function describeGraph(
  registry: Registry,
  id: string,
  environment: string,
  strict: boolean,
  variables?: EnvironmentVariables,
): DescribedGraph {
  return unlessRefused(
    () => ({ subject: ofPlan(resolvePlan(registry, id, environment, variables).plan), problem: null }),
    (refusal) => {
      const subject = strict ? undefined : ofDefinition(registry, id);
      if (!subject) throw refusal;
      return { subject, problem: refusal.toProblem() };
    },
  );
}

function ofPlan({ ability, environment, operations, steps, finally: cleanup, concurrency }: Plan): GraphSubject {
  const { id, version, kind } = ability;
  const callees = Object.values(operations).map(({ key, effects, implementation }): [string, Callee] => {
    const asks = environment.approve.includes(effects) ? { approvalIn: environment.name } : {};
    return [key, { effects, implementation: implementation.id, ...asks }];
  });
  const own = kind === 'operation' ? callOfItself(id) : { steps, finally: cleanup };
  return { id, version, environment: environment.name, concurrency, ...own, callees: Object.fromEntries(callees) };
}

/** Undefined if the ability is unknown or broken. */
function ofDefinition(registry: Registry, id: string): GraphSubject | undefined {
  const effects = [...registry.operations].map(([key, { value }]): [string, Callee] => [
    key,
    { effects: value.effects },
  ]);
  const callees = Object.fromEntries(effects);
  const operation = registry.operations.get(id)?.value;
  if (operation) return { id, version: operation.version, environment: null, ...callOfItself(id), callees };
  const agent = registry.agents.get(id)?.value;
  if (agent) return ofAgent(agent, callees);
  const workflow = registry.workflows.get(id);
  if (!workflow) return undefined;
  const { steps, finally: cleanup, concurrency } = compileSteps(registry, workflow);
  return { id, version: workflow.value.version, environment: null, concurrency, steps, finally: cleanup, callees };
}

function ofAgent(
  { id, version, model, operations, limits }: AgentProfile,
  callees: GraphSubject['callees'],
): GraphSubject {
  const key = `${MODEL_PREFIX}${model}`;
  const tools = nameTools([...new Set(operations)].map((ability) => ({ ability })));
  const steps = stepsOfAgent(key, tools, limits.max_turns);
  const called: GraphSubject['callees'] = { ...callees, [key]: { effects: 'external_read' } };
  return { id, version, environment: null, steps, finally: [], callees: called };
}

function callOfItself(id: string): Pick<GraphSubject, 'steps' | 'finally'> {
  return { steps: [{ id: 'run', verb: 'call', call: id, with: {} }], finally: [] };
}
