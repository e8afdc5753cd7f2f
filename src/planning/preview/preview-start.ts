import type { JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import type { ConcurrencyPreview, StartPreview } from '../../contracts/preview.js';
import type { Problem } from '../../contracts/problem.js';
import { unlessRefused } from '../../text/attempt.js';
import { concurrencyKey } from '../steps/concurrency-key.js';
import { evaluateTemplatePartially } from './partial-evaluation.js';
import { type Asker, previewGuardApproval, previewHooks } from './preview-hooks.js';
import { PreviewScope } from './preview-scope.js';

/** Hooks around a workflow, and its approval. @param created reasons for approval from creation hooks. */
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

/** The lock of a task, with its key if that is known; null for a task without `concurrency`. */
export function previewConcurrency(plan: Plan, input: JsonObject | undefined): ConcurrencyPreview | null {
  if (!plan.concurrency) return null;
  const { key: template, limit, on_busy } = plan.concurrency;
  return { template, limit, on_busy, ...keyOf(template, plan, input) };
}

function keyOf(
  template: string,
  plan: Plan,
  input: JsonObject | undefined,
): { key: string | null; problem: Problem | null } {
  const { is } = evaluateTemplatePartially(template, PreviewScope.of(plan, input).known);
  if (is === 'open' || !input) return { key: null, problem: null };
  return unlessRefused(
    () => ({ key: concurrencyKey(template, input, plan), problem: null }),
    (refusal) => ({ key: null, problem: refusal.toProblem() }),
  );
}
