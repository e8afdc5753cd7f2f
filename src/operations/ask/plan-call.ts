import { namesRequiredBy, readAll, requiredOf, schemaOfInput } from '../../choosing/read-inputs.js';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import type { PlanPreview } from '../../contracts/preview.js';
import type { Problem } from '../../contracts/problem.js';
import { loadedAbility } from '../../definitions/find-ability.js';
import { previewPlan } from '../../planning/preview/preview-plan.js';
import { approvalsIn } from '../../planning/preview/steps-in.js';
import { unlessRefused } from '../../text/attempt.js';
import type { PlannedCall, Request } from './ask-shapes.js';

export interface OpenInput {
  ability_id: string;
  name: string;
  schema: JsonObject;
  given: JsonObject;
}

export type Planning = { plan: PlannedCall } | { open: OpenInput } | { problem: Problem };

/** They take the request as it is. */
const REQUEST_INPUTS: readonly string[] = ['request', 'prompt'];

/** Asks for inputs that the request does not state unambiguously. @param known overrides the text. */
export function planCall(
  request: Pick<Request, 'registry' | 'environment' | 'user' | 'env'>,
  ability: string,
  text: string,
  known: JsonObject = {},
): Planning {
  const { registry, environment, env } = request;
  const schema = loadedAbility(registry, ability)?.value.input_schema ?? {};
  const whole = requiredOf(schema).find(({ name }) => REQUEST_INPUTS.includes(name));
  const asked = whole?.schema.type === 'string' ? { [whole.name]: text } : {};
  const given = { ...readAll(schema, text, asked), ...known };
  const [missing] = [...requiredOf(schema).map(({ name }) => name), ...requiredByBranch(schema, given)].filter(
    (name) => !Object.hasOwn(given, name),
  );
  if (missing !== undefined)
    return { open: { ability_id: ability, name: missing, schema: schemaOfInput(schema, missing), given } };
  return unlessRefused<Planning, Planning>(
    () => {
      // The task will run in the session of the request.
      const user = { ...request.user, caller: 'session' } as const;
      const preview = previewPlan(registry, { ability, environment, input: given, user, env });
      const [problem] = preview.problems;
      return problem ? { problem } : { plan: callOf(preview) };
    },
    (refusal) => ({ problem: refusal.toProblem() }),
  );
}

/** What the fitting branch of `oneOf` or `anyOf` requires: of several, the one that lacks least. */
function requiredByBranch({ oneOf, anyOf }: JsonObject, given: JsonObject): string[] {
  const branches = [oneOf, anyOf].flat().filter(isJsonObject);
  const required = branches.filter((branch) => mayBe(branch, given)).map(namesRequiredBy);
  const lacks = (names: readonly string[]): number => names.filter((name) => !Object.hasOwn(given, name)).length;
  return required.sort((one, other) => lacks(one) - lacks(other))[0] ?? [];
}

function mayBe(branch: JsonObject, given: JsonObject): boolean {
  return Object.entries(given).every(([name, value]) => {
    const { const: wanted } = schemaOfInput(branch, name);
    return wanted === undefined || wanted === value;
  });
}

function callOf(preview: PlanPreview): PlannedCall {
  const { ability, input, effects, reference, warnings } = preview;
  const approvals = approvalsIn(preview).map(({ title, asked, approvers }) => ({ title, asked, approvers }));
  return { ability_id: ability.id, input, effects, reference, approvals, warnings };
}
