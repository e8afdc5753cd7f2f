import { z } from 'zod';
import type { JsonObject } from '../contracts/json.js';
import type { PlanPreview } from '../contracts/preview.js';
import { previewPlan } from '../planning/preview/preview-plan.js';
import { ability } from './concerns.js';
import { findIn } from './describe-ability.js';
import * as fields from './fields.js';
import { answer, kindOf, operation } from './operation.js';

/** Reads files only. */
export const planAbility = operation({
  summary: 'All that would happen with an input; runs nothing.',
  right: 'read',
  concerns: ability,
  at: 'POST /v1/abilities/{id}/plan',
  input: z.strictObject({
    id: fields.id,
    input: fields.input.optional(),
    environment: fields.environment.optional(),
  }),
  answers: answer(
    'The plan; `status` says whether it can be formed.',
    z.looseObject({ status: z.string(), code: z.string().nullable() }),
  ),
  async run(project, caller, { id: ability, input = {}, environment: requested }) {
    const { registry, environment } = await findIn(project, ability, requested);
    const kind = kindOf(caller);
    const user = { ...caller.person, ...(kind && { caller: kind }) };
    const { env } = project;
    return planAnswer(previewPlan(registry, { ability, environment, input: input as JsonObject, user, env }));
  },
});

/** A preview with the code, reason and suggestion of its first problem, as in the answer to a creation. */
export function planAnswer({ format, status, ...rest }: PlanPreview) {
  const [problem] = rest.problems;
  return {
    format,
    status,
    code: problem?.code ?? null,
    reason: problem?.message ?? null,
    suggestion: problem?.suggestion ?? null,
    ...rest,
  };
}
