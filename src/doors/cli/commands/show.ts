import type { Plan, PlanHooks } from '../../../contracts/plan.js';
import type { Ability } from '../../../definitions/find-ability.js';
import { describeUnknown } from '../../../rules/calls/call-defaults.js';
import { describeConcurrency } from '../../../rules/concurrency/describe-concurrency.js';
import { oneLine } from '../../../rules/shown-text.js';
import type { StepTree } from '../../../rules/steps/step-tree.js';
import { defined } from '../../../text/defined.js';
import {
  describeDefinition,
  describeImplementation,
  describePrompts,
  renderStepTree,
} from '../output/describe-definition.js';
import { describeProblem, noteWarnings, typedBy } from '../output/describe-problem.js';
import { plainText } from '../output/plain-text.js';
import { type Context, environmentGiven, printAnswer } from '../program/context.js';
import { withDefinitions } from '../program/project-client.js';

type Bodies = Readonly<Record<string, Parameters<typeof describeImplementation>[0]>>;

const NO_STEPS: StepTree = { steps: [], finally: [] };

/** `ability show ID`: the contract of an ability, and how it would run in an environment. Reads files only, or asks a door. */
export async function show(context: Context, [id]: [string]): Promise<void> {
  const wanted = environmentGiven(context);
  const described = await withDefinitions(context, (project) =>
    project.call('describeAbility', { id, ...defined({ environment: wanted }) }),
  );
  const { environment, plan, placement, problem, implementations, steps } = described;
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
    ...(plan ? describePlan(plan, implementations) : [`in ${environment}: ${placement.placement}`]),
    ...renderStepTree(plan ?? steps ?? NO_STEPS, terminal.style),
  ];
  terminal.print(lines.join('\n'));
  noteWarnings(context, described);
  if (problem)
    terminal.note(`In ${environment} it cannot run:\n${describeProblem(typedBy(context, problem), terminal.style)}`);
}

function describePlan(plan: Plan, bodies: Bodies): string[] {
  const { environment, placement, operations, ability, concurrency } = plan;
  const calls = Object.values(operations).flatMap(({ key, effects, implementation, hooks, unknown }) => [
    `  ${key}: ${implementation.kind} ${implementation.id}, ${effects}${namesOf(hooks)}`,
    ...(unknown ? [`    ${describeUnknown(unknown)}`] : []),
    ...describeImplementation(bodies[key], implementation),
  ]);
  const own = namesOf(ability.hooks);
  const asks = environment.approve.length > 0 ? `; ${environment.approve.join(', ')} need approval` : '';
  const turns = concurrency ? [`  ${oneLine(describeConcurrency(concurrency))}`] : [];
  return [`in ${environment.name}: ${placement}${own}${asks}`, ...describePrompts(ability.prompts), ...turns, ...calls];
}

function namesOf({ pre_create, pre_call, post_call }: PlanHooks): string {
  const hooks = [...pre_create, ...pre_call, ...post_call];
  return hooks.length === 0 ? '' : `, hooks: ${hooks.map(({ id }) => id).join(', ')}`;
}

/** `ability graph ID`: the steps of an ability as a Mermaid flowchart. Reads files only, or asks a door. */
export async function graph(context: Context, [id]: [string]): Promise<void> {
  const { flags, terminal, door } = context;
  // The variable stands for the default of the project, which a drawing of an ability that cannot run there may ignore.
  const wanted = door ? environmentGiven(context) : flags.env;
  const drawn = await withDefinitions(context, (project) =>
    project.call('drawAbility', { id, ...defined({ environment: wanted }) }),
  );
  const { mermaid, problem, tried_in: environment } = drawn;
  printAnswer(context, drawn, () => mermaid);
  if (!problem || flags.json) return;
  const why = describeProblem(typedBy(context, problem));
  terminal.note(`Drawn as it is defined; in ${environment} it cannot run:\n${why}`);
}
