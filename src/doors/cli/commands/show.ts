import type { Plan, PlanHooks } from '../../../contracts/plan.js';
import type { Ability } from '../../../definitions/find-ability.js';
import type { Registry } from '../../../definitions/registry.js';
import { describeUnknown } from '../../../rules/calls/describe-unknown.js';
import { describeConcurrency } from '../../../rules/concurrency/describe-concurrency.js';
import { oneLine } from '../../../rules/shown-text.js';
import type { StepTree } from '../../../rules/steps/find-step.js';
import { defined } from '../../../text/defined.js';
import { describeDefinition, describeImplementation, describePrompts } from '../output/describe-definition.js';
import { describeProblem, typedBy } from '../output/describe-problem.js';
import { plainText } from '../output/plain-text.js';
import { renderStepTree } from '../output/render-step-tree.js';
import { type Context, environmentGiven, openAbility } from '../program/context.js';
import { withDefinitions } from '../program/project-client.js';
import { unlessRefused } from '../program/unless-refused.js';

/** What only the files of the project say: summaries and limitations of implementations, steps that cannot be planned. */
interface Further {
  bodyOf(key: string, id: string): Parameters<typeof describeImplementation>[0];
  definedSteps(): StepTree;
}

const NOTHING: Further = { bodyOf: () => undefined, definedSteps: () => ({ steps: [], finally: [] }) };

/** `ability show ID`: the contract of an ability, and how it would run in an environment. Reads files only, or asks a door. */
export async function run(context: Context, [id]: [string]): Promise<void> {
  const { described, further } = context.door ? await describeThere(context, id) : await describeHere(context, id);
  const { environment, plan, placement, problem } = described;
  const { terminal, flags } = context;
  if (flags.json) return terminal.printJson(described);
  const definition = described.definition as Ability;
  const lines = [
    `${terminal.style('bold', id)} v${definition.version}`,
    plainText(definition.summary),
    `environments: ${definition.scope.environments?.join(', ') ?? 'all'}`,
    `input: ${JSON.stringify(definition.input_schema)}`,
    ...(definition.output_schema ? [`output: ${JSON.stringify(definition.output_schema)}`] : []),
    ...describeDefinition(definition),
    ...(plan ? describePlan(plan, further) : [`in ${environment}: ${placement.placement}`]),
    ...renderStepTree(plan ?? further.definedSteps(), terminal.style),
  ];
  terminal.print(lines.join('\n'));
  for (const warning of described.warnings)
    terminal.note(`${terminal.style('yellow', 'warning')} ${plainText(warning, '  ')}`);
  if (problem)
    terminal.note(`In ${environment} it cannot run:\n${describeProblem(typedBy(context, problem), terminal.style)}`);
}

async function describeThere(context: Context, id: string) {
  const environment = environmentGiven(context);
  const described = await withDefinitions(context, (project) =>
    project.call('describeAbility', { id, ...defined({ environment }) }),
  );
  return { described, further: NOTHING };
}

async function describeHere(context: Context, id: string) {
  const { registry, environment, variables } = await openAbility(context, id);
  const { abilityIn } = await import('../../../operations/describe-ability.js');
  const { describeGraph } = await import('../../../planning/graph/describe-graph.js');
  const further: Further = {
    bodyOf: (key, implementation) => bodyOf(registry, key, implementation),
    definedSteps: () =>
      unlessRefused<StepTree, StepTree>(
        () => describeGraph(registry, id, environment, false, variables).subject,
        NOTHING.definedSteps,
      ),
  };
  return { described: abilityIn(registry, id, environment, variables), further };
}

function describePlan(plan: Plan, further: Further): string[] {
  const { environment, placement, operations, ability, concurrency } = plan;
  const calls = Object.values(operations).flatMap(({ key, effects, implementation, hooks, unknown }) => [
    `  ${key}: ${implementation.kind} ${implementation.id}, ${effects}${namesOf(hooks)}`,
    ...(unknown ? [`    ${describeUnknown(unknown)}`] : []),
    ...describeImplementation(further.bodyOf(key, implementation.id), implementation),
  ]);
  const own = namesOf(ability.hooks);
  const asks = environment.approve.length > 0 ? `; ${environment.approve.join(', ')} need approval` : '';
  const turns = concurrency ? [`  ${oneLine(describeConcurrency(concurrency))}`] : [];
  return [`in ${environment.name}: ${placement}${own}${asks}`, ...describePrompts(ability.prompts), ...turns, ...calls];
}

function bodyOf({ implementations, configs, operations }: Registry, key: string, id: string) {
  if (id !== key) return implementations.get(id)?.value;
  return configs.get(key)?.value.impl ?? operations.get(key)?.value.implementation;
}

function namesOf({ pre_create, pre_call, post_call }: PlanHooks): string {
  const hooks = [...pre_create, ...pre_call, ...post_call];
  return hooks.length === 0 ? '' : `, hooks: ${hooks.map(({ id }) => id).join(', ')}`;
}
