import type { JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import type { StartPreview } from '../../contracts/preview.js';
import type { Asker } from './asker.js';
import { previewGuardApproval } from './preview-approval.js';
import { previewHooks } from './preview-hooks.js';

/**
 * The hooks around a workflow as a whole, and the approval before its first step.
 *
 * @param created why people are asked already, by hooks before creation.
 */
export function previewStart(
  plan: Plan,
  input: JsonObject | undefined,
  user: Asker,
  created: readonly string[],
): StartPreview {
  const { ability, environment } = plan;
  const subject = { plan, operation: undefined, input, user };
  const before = previewHooks(ability.hooks.pre_call, 'PreAbilityCall', subject);
  const after = previewHooks(ability.hooks.post_call, 'PostAbilityCall', subject);
  const approval = previewGuardApproval(`${ability.id} in ${environment.name}`, created, before, environment);
  return { hooks: [...before, ...after], approval };
}
