import type { JsonObject } from '../../../contracts/json.js';
import { describeGraph } from '../../../planning/graph/describe-graph.js';
import { drawAbility } from '../../../planning/graph/draw-ability.js';
import { previewPlan } from '../../../planning/preview/preview-plan.js';
import { EnvironmentVariables } from '../../../planning/secrets/secret-source.js';
import { describeAbility } from '../../answers/describe-ability.js';
import { findAbility } from '../../answers/find-ability.js';
import { listAbilities } from '../../answers/list-abilities.js';
import { planAnswer } from '../../answers/plan-answer.js';
import {
  abilitiesAnswer,
  abilityAnswer,
  abilityParams,
  environmentQuery,
  graphAnswer,
  planAnswerFormat,
  planBody,
} from '../formats.js';
import { environmentOf, type HttpDoor } from '../http-door.js';
import { defineRoute, type Route } from '../route.js';

/** These routes read files only. */
export const abilityRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/abilities',
    summary: 'List the abilities, high-level ones first.',
    right: 'read',
    query: environmentQuery,
    answers: { 200: { means: 'All of them, or those of the environment.', schema: abilitiesAnswer } },
    async handle({ door, query: { environment } }) {
      return { status: 200, body: listAbilities(door.registry(), environment, door.environment) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/abilities/{id}',
    summary: 'The contract of an ability, and how it would run.',
    right: 'read',
    params: abilityParams,
    query: environmentQuery,
    answers: { 200: { means: 'As it is defined and planned.', schema: abilityAnswer } },
    async handle({ door, params: { id }, query }) {
      const { registry, environment, variables } = await findIn(door, id, query.environment);
      return { status: 200, body: describeAbility(registry, id, environment, variables) };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/abilities/{id}/plan',
    summary: 'All that would happen with an input; runs nothing.',
    right: 'read',
    params: abilityParams,
    body: planBody,
    answers: { 200: { means: 'The plan; `status` says whether it can be formed.', schema: planAnswerFormat } },
    async handle({ door, caller, params: { id: ability }, body: { input = {}, environment: requested } }) {
      const { registry, environment } = await findIn(door, ability, requested);
      // Each task of an agent runs in a session.
      const kind = caller.kind === 'agent' ? 'session' : caller.kind;
      const user = { ...caller.person, ...(kind && { caller: kind }) };
      const planned = previewPlan(registry, { ability, environment, input: input as JsonObject, user, env: door.env });
      return { status: 200, body: planAnswer(planned) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/abilities/{id}/graph',
    summary: 'The steps of an ability as a Mermaid flowchart.',
    right: 'read',
    params: abilityParams,
    query: environmentQuery,
    answers: { 200: { means: 'The drawing.', schema: graphAnswer } },
    async handle({ door, params: { id }, query }) {
      const { registry, environment, variables } = await findIn(door, id, query.environment);
      const { subject, problem } = describeGraph(registry, id, environment, query.environment !== undefined, variables);
      const { version, environment: drawnFor } = subject;
      const body = { ability: id, version, environment: drawnFor, mermaid: drawAbility(subject), problem };
      return { status: 200, body };
    },
  }),
];

/** @throws AbilityError as {@link findAbility} and {@link environmentOf}. */
async function findIn(door: HttpDoor, id: string, requested: string | undefined) {
  const registry = door.registry();
  await findAbility(registry, id);
  const environment = environmentOf(door, registry, requested);
  return { registry, environment, variables: new EnvironmentVariables(registry.root, environment, door.env) };
}
