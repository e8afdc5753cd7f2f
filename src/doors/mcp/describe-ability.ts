import { z } from 'zod';
import { type Offered, offeredIn } from '../../choosing/read-abilities.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { Plan, PlanEnvironment, PlanOperation } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { resolvePlan } from '../../planning/resolve/resolve-plan.js';
import { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { whoIsAsked } from '../../rules/plans/who-is-asked.js';
import { allSteps } from '../../rules/steps/step-tree.js';
import { didYouMean } from '../../text/nearest.js';
import { problemFields } from './answers.js';
import type { McpDoor, ToolAnswer, ToolCall } from './mcp-door.js';
import { deciders } from './task-answer.js';

export const describeInput = z.strictObject({ id: z.string() });

/** `ability_describe`: the contract of an ability, its guards, and who approves. Reads files only. */
export async function describeAbility({ door }: ToolCall, { id }: z.output<typeof describeInput>): Promise<ToolAnswer> {
  const registry = door.registry();
  const { level, definition } = findOffered(door, id);
  const contract: JsonObject = {
    id,
    level,
    version: definition.version,
    summary: definition.summary,
    input_schema: definition.input_schema as JsonObject,
    output_schema: (definition.output_schema as JsonObject | undefined) ?? null,
    ...('examples' in definition && definition.examples && { examples: definition.examples as unknown as Json }),
    ...('notes' in definition && definition.notes !== undefined && { notes: definition.notes }),
  };
  try {
    const variables = new EnvironmentVariables(registry.root, door.environment, door.env);
    const { plan, warnings } = resolvePlan(registry, id, door.environment, variables);
    return { data: { ...contract, ...planFields(plan), ...(warnings.length > 0 && { warnings }) }, isError: false };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return { data: { ...contract, cannot_run: problemFields(error.toProblem(), door) }, isError: false };
  }
}

/** An ability that can run here. @throws AbilityError `ability.not_found`, or the error of its file. */
export function findOffered(door: Pick<McpDoor, 'registry' | 'environment'>, id: string): Offered {
  const registry = door.registry();
  const offered = offeredIn(registry, door.environment);
  const found = offered.find((ability) => ability.id === id);
  if (found) return found;
  const broken = registry.broken.get(`ability:${id}`);
  if (broken) throw new AbilityError(broken);
  const ids = offered.map((ability) => ability.id);
  throw new AbilityError({
    code: 'ability.not_found',
    message: `No ability ${id} can be run in ${door.environment}`,
    suggestion: didYouMean(id, ids) ?? 'Look for one with ability_search.',
  });
}

function planFields(plan: Plan): JsonObject {
  const { ability, environment, operations } = plan;
  const hooks = [ability.hooks, ...Object.values(operations).map((operation) => operation.hooks)];
  return {
    effects: ability.effects,
    environment: environment.name,
    calls: Object.keys(operations).filter((key) => key !== ability.id),
    guards: [...new Set(hooks.flatMap(({ pre_create, pre_call }) => [...pre_create, ...pre_call]).map(({ id }) => id))],
    ...undosOf(plan),
    approvals: approvalsOf(plan),
  };
}

/** What takes calls back if the task fails, and who is asked before; empty without any. */
function undosOf({ environment, operations, workflows = {}, ...plan }: Plan): JsonObject {
  const undos = [plan, ...Object.values(workflows)].flatMap(allSteps).flatMap(({ step, path }): JsonObject[] => {
    if (step.verb !== 'call' || !step.undo) return [];
    const { call: ability, approval } = step.undo;
    const effects = operations[ability]?.effects ?? null;
    const own = operations[step.call] as PlanOperation;
    const may = own.hooks.pre_call.length > 0 ? 'maybe' : 'no';
    const covered = approval ? 'no' : environment.approve.includes(own.effects) ? 'yes' : may;
    const asks = approval ? decidersOf(environment) : null;
    return [{ of: path, ability, effects, covered_by_approval_of_call: covered, approval: asks }];
  });
  return undos.length === 0 ? {} : { undos };
}

/** Approvals that are certain, but that of an undo; `ability_plan` also shows those that guards may ask for. */
function approvalsOf(plan: Plan): JsonObject[] {
  const certain = whoIsAsked(plan).filter(({ hook, path }) => hook === null && !path.endsWith('.undo'));
  const calls = certain.map(({ what, effects, ...who }) => [what, { because: effects, ...decidersOf(who) }] as const);
  const ofCalls = new Map(calls.filter(([, { because }]) => because !== null));
  const steps = certain.filter(({ effects }) => effects === null);
  return [
    ...[...ofCalls].map(([before, asked]) => ({ before, ...asked })),
    ...steps.map(({ path, what, ...who }) => ({ at: path, title: what, ...decidersOf(who) })),
  ];
}

function decidersOf({
  approvers,
  quorum,
  self_approval,
}: Pick<PlanEnvironment, 'approvers' | 'quorum' | 'self_approval'>): JsonObject {
  const who = deciders({ approvers: approvers.listed, people: approvers.people });
  return { who, people_needed: quorum, requester_may: self_approval };
}
