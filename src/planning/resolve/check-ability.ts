import type { Json, JsonObject } from '../../contracts/json.js';
import { AbilityError, type SourceLocation } from '../../contracts/problem.js';
import { abilityIds } from '../../definitions/find-ability.js';
import type { AgentProfile } from '../../definitions/formats/agent.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { unlessRefused } from '../../text/attempt.js';
import { didYouMean } from '../../text/nearest.js';
import { checkAgainst, checkSchema } from '../input/schemas.js';
import { notThere, relocated } from '../steps/check-names.js';

/** @throws AbilityError `scope.environment` if the ability is not available there. Source: R-000-28. */
export function checkScope(
  id: string,
  ability: Loaded<{ scope: { environments?: string[] | undefined } }>,
  environment: string,
): void {
  const allowed = ability.value.scope.environments;
  if (!allowed || allowed.includes(environment)) return;
  throw new AbilityError({
    code: 'scope.environment',
    message: `${id} is not available in ${environment}, only in ${allowed.join(', ')}`,
    location: ability.locate(['scope', 'environments']),
    suggestion: `Run in ${allowed.join(' or ')}: --env ${allowed[0]}.`,
  });
}

/** @throws AbilityError `definition.invalid` for an invalid schema. */
export function checkSchemas(
  ability: Loaded<{ input_schema: LowLevel['input_schema']; output_schema?: LowLevel['output_schema'] }>,
): void {
  for (const key of ['input_schema', 'output_schema'] as const) {
    const schema = ability.value[key];
    if (!schema) continue;
    unlessRefused(
      () => checkSchema(schema, `\`${key}\``),
      (refusal) => {
        const { path = [] } = (refusal.details ?? {}) as { path?: string[] };
        const location = ability.locate([key, ...path]);
        throw new AbilityError({ ...refusal.toProblem(), details: undefined, location }, { cause: refusal });
      },
    );
  }
}

/** @throws AbilityError `definition.invalid`, `definition.unknown_reference` for an undefined callee. */
export function checkAgent(registry: Registry, agent: Loaded<AgentProfile>): void {
  checkSchemas(agent);
  checkExamples(agent);
  const ids = abilityIds(registry);
  for (const [index, id] of agent.value.operations.entries()) {
    if (ids.includes(id)) continue;
    const location = agent.locate(['operations', index]);
    const suggestion = didYouMean(id, ids);
    throw notThere(registry, `ability:${id}`, { message: `There is no ability \`${id}\``, location, suggestion });
  }
}

/** Readers learn the contract from examples. @throws AbilityError `definition.invalid`. Source: R-000-37. */
export function checkExamples(ability: Loaded<Pick<HighLevel, 'examples' | 'input_schema' | 'output_schema'>>): void {
  const { examples = [], input_schema, output_schema } = ability.value;
  const check = (schema: JsonObject | undefined, value: Json | undefined, path: PropertyKey[]): void => {
    if (schema === undefined || value === undefined) return;
    const what = `The example ${path.join('.')}`;
    relocated(ability.locate(path), () => checkAgainst(schema, value, { code: 'definition.invalid', what }));
  };
  for (const [index, { input, output }] of examples.entries()) {
    check(input_schema, input, ['examples', index, 'input']);
    check(output_schema, output, ['examples', index, 'output']);
  }
}

/** Refuses it before anything is started. @throws AbilityError `ability.no_steps`. */
export function refuseWithoutSteps(registry: Registry, id: string): void {
  const workflow = registry.workflows.get(id);
  if (workflow?.value.steps.length === 0) throw noSteps(id, workflow.locate([]));
}

/** The error for a workflow without steps: its contract may be written first. Source: C-50. */
export function noSteps(id: string, location: SourceLocation): AbilityError {
  return new AbilityError({
    code: 'ability.no_steps',
    message: `${id} has no steps, so it can be found and not run`,
    location,
    suggestion: 'Write its `steps`; docs/workflow-language.md has the language.',
  });
}
