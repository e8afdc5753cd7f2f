import type { Plan, PlanHook } from '../../../contracts/plan.js';
import { AbilityError } from '../../../contracts/problem.js';
import type { Registry } from '../../../definitions/registry.js';
import type { EnvironmentVariables } from '../../../planning/secrets/secret-source.js';
import { describeConcurrency } from '../../../rules/concurrency/describe-concurrency.js';
import { oneLine } from '../../../rules/shown-text.js';
import type { StepTree } from '../../../rules/steps/find-step.js';
import { findAbility } from '../../answers/find-ability.js';
import { describeDefinition, describeImplementation, describePrompts } from '../output/describe-definition.js';
import { describeProblem, typedBy } from '../output/describe-problem.js';
import { plainText } from '../output/plain-text.js';
import { renderStepTree } from '../output/render-step-tree.js';
import { type Context, environmentOf, openRegistry, variablesOf } from '../program/context.js';

/** `ability show ID`: the contract of an ability, and how it would run in an environment. Reads files only. */
export async function run(context: Context, [id]: [string]): Promise<void> {
  const registry = await openRegistry(context);
  const definition = await findAbility(registry, id);
  const environment = await environmentOf(context, registry);
  const variables = await variablesOf(context, registry, environment);
  const { describeAbility } = await import('../../answers/describe-ability.js');
  const described = describeAbility(registry, id, environment, variables);
  const { plan, placement, problem } = described;
  const { terminal, flags } = context;
  if (flags.json) {
    terminal.printJson(described);
    return;
  }
  const lines = [
    `${terminal.style('bold', id)} v${definition.version}`,
    plainText(definition.summary),
    `environments: ${definition.scope.environments?.join(', ') ?? 'all'}`,
    `input: ${JSON.stringify(definition.input_schema)}`,
    ...(definition.output_schema ? [`output: ${JSON.stringify(definition.output_schema)}`] : []),
    ...describeDefinition(definition),
    ...(plan ? describePlan(plan, registry) : [`in ${environment}: ${placement.placement}`]),
    ...renderStepTree(plan ?? (await definedSteps(registry, id, environment, variables)), terminal.style),
  ];
  terminal.print(lines.join('\n'));
  for (const warning of described.warnings)
    terminal.note(`${terminal.style('yellow', 'warning')} ${plainText(warning, '  ')}`);
  if (problem)
    terminal.note(`In ${environment} it cannot run:\n${describeProblem(typedBy(context, problem), terminal.style)}`);
}

/** The defined steps, where planning failed; empty if even those cannot be read. */
async function definedSteps(
  registry: Registry,
  id: string,
  environment: string,
  variables: EnvironmentVariables,
): Promise<StepTree> {
  const { describeGraph } = await import('../../../planning/graph/describe-graph.js');
  try {
    return describeGraph(registry, id, environment, false, variables).subject;
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return { steps: [], finally: [] };
  }
}

function describePlan(plan: Plan, registry: Registry): string[] {
  const { environment, placement, operations, ability, concurrency } = plan;
  const calls = Object.values(operations).flatMap(({ key, effects, implementation, hooks }) => {
    const guards = namesOf([...hooks.pre_create, ...hooks.pre_call, ...hooks.post_call]);
    return [
      `  ${key}: ${implementation.kind} ${implementation.id}, ${effects}${guards}`,
      ...describeImplementation(bodyOf(registry, key, implementation.id), implementation),
    ];
  });
  const { pre_create, pre_call, post_call } = ability.hooks;
  const own = namesOf([...pre_create, ...pre_call, ...post_call]);
  const asks = environment.approve.length > 0 ? `; ${environment.approve.join(', ')} need approval` : '';
  const turns = concurrency ? [`  ${oneLine(describeConcurrency(concurrency))}`] : [];
  return [`in ${environment.name}: ${placement}${own}${asks}`, ...describePrompts(ability.prompts), ...turns, ...calls];
}

function bodyOf({ implementations, configs, operations }: Registry, key: string, id: string) {
  if (id !== key) return implementations.get(id)?.value;
  return configs.get(key)?.value.impl ?? operations.get(key)?.value.implementation;
}

function namesOf(hooks: PlanHook[]): string {
  return hooks.length === 0 ? '' : `, hooks: ${hooks.map(({ id }) => id).join(', ')}`;
}
