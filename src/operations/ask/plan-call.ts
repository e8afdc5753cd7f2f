import { readInputs, readOptional, requiredOf, schemaOfInput } from '../../choosing/read-inputs.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { ApprovalPreview, PlanPreview, StepPreview } from '../../contracts/preview.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import { loadedAbility } from '../../definitions/find-ability.js';
import type { Registry } from '../../definitions/registry.js';
import { previewPlan } from '../../planning/preview/preview-plan.js';
import type { PlannedCall, Request } from './ask-shapes.js';

export interface OpenInput {
  ability_id: string;
  name: string;
  schema: JsonObject;
  given: JsonObject;
}

export type Planning = { plan: PlannedCall } | { open: OpenInput } | { problem: Problem };

const REQUEST_INPUTS: readonly string[] = ['request', 'prompt'];

/** Asks for inputs that the request does not state unambiguously. @param known overrides the text. */
export function planCall(
  request: Pick<Request, 'registry' | 'environment' | 'user' | 'env'>,
  ability: string,
  text: string,
  known: JsonObject = {},
): Planning {
  const { registry, environment, env } = request;
  const schema = schemaOf(registry, ability);
  const said = { ...requestInput(schema, text), ...readInputs(schema, text).given };
  const given = { ...readOptional(schema, text, said), ...said, ...known };
  const [missing] = [...requiredOf(schema).map(({ name }) => name), ...requiredByBranch(schema, given)].filter(
    (name) => !Object.hasOwn(given, name),
  );
  if (missing !== undefined)
    return { open: { ability_id: ability, name: missing, schema: schemaOfInput(schema, missing), given } };
  try {
    // The task will run in the session of the request.
    const user = { ...request.user, caller: 'session' } as const;
    const preview = previewPlan(registry, { ability, environment, input: given, user, env });
    const [problem] = preview.problems;
    return problem ? { problem } : { plan: callOf(preview) };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return { problem: error.toProblem() };
  }
}

function schemaOf(registry: Registry, id: string): JsonObject {
  return loadedAbility(registry, id)?.value.input_schema ?? {};
}

/** What the fitting branch of `oneOf` or `anyOf` requires: of several, the one that lacks least. */
function requiredByBranch(schema: JsonObject, given: JsonObject): string[] {
  const branches = [schema.oneOf, schema.anyOf].flatMap((list) =>
    Array.isArray(list) ? list.filter(isJsonObject) : [],
  );
  const required = branches
    .filter((branch) => mayBe(branch, given))
    .map(({ required: names }) => {
      return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
    });
  const lacks = (names: readonly string[]): number => names.filter((name) => !Object.hasOwn(given, name)).length;
  return required.sort((one, other) => lacks(one) - lacks(other))[0] ?? [];
}

function mayBe(branch: JsonObject, given: JsonObject): boolean {
  return Object.entries(given).every(([name, value]) => {
    const { const: wanted } = schemaOfInput(branch, name);
    return wanted === undefined || wanted === value;
  });
}

function requestInput(schema: JsonObject, text: string): Record<string, Json> {
  const found = requiredOf(schema).find(({ name }) => REQUEST_INPUTS.includes(name));
  return found?.schema.type === 'string' ? { [found.name]: text } : {};
}

function callOf(preview: PlanPreview): PlannedCall {
  const { ability, input, effects, reference, warnings, start, steps, finally: last } = preview;
  const expected = [...(start.approval ? [start.approval] : []), ...approvalsIn([...steps, ...last])];
  return {
    ability_id: ability.id,
    input,
    effects,
    reference,
    approvals: expected.map(({ title, asked, approvers }) => ({ title, asked, approvers })),
    warnings,
  };
}

function* approvalsIn(steps: readonly StepPreview[]): Generator<ApprovalPreview> {
  for (const { approval, call, undo, groups, runs } of steps) {
    if (runs === 'no') continue;
    if (approval) yield approval;
    if (call?.approval) yield call.approval;
    if (undo?.approval) yield undo.approval;
    if (call?.workflow) {
      if (call.workflow.approval) yield call.workflow.approval;
      yield* approvalsIn([...call.workflow.steps, ...call.workflow.finally]);
    }
    for (const group of groups) if (group.runs !== 'no') yield* approvalsIn(group.steps);
  }
}
