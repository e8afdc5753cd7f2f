import { z } from 'zod';
import type { JsonObject } from '../../contracts/json.js';
import type { ApprovalPreview, HookPreview, PlanPreview, StepPreview } from '../../contracts/preview.js';
import { previewPlan } from '../../planning/preview/preview-plan.js';
import { tellProblem } from './answers.js';
import { findOffered } from './describe-ability.js';
import type { ToolAnswer, ToolCall } from './mcp-door.js';

/** What `ability_plan` takes. */
export const planInput = z.strictObject({ id: z.string(), input: z.record(z.string(), z.unknown()).optional() });

/** So many calls of a plan are told. */
const MOST_CALLS = 100;

/**
 * `ability_plan`: what would happen with an input, as far as that is certain before. Reads files only, runs no hook.
 *
 * @throws AbilityError as preflight would.
 */
export async function plan(
  { door, caller }: ToolCall,
  { id, input = {} }: z.output<typeof planInput>,
): Promise<ToolAnswer> {
  const { environment, env } = door;
  findOffered(door, id);
  // In a session, as ability_run would have it.
  const user = { ...caller, caller: 'session' } as const;
  const preview = previewPlan(door.registry(), { ability: id, environment, input: input as JsonObject, user, env });
  const calls = callsOf([...preview.steps, ...preview.finally]);
  return {
    told: {
      status: preview.status,
      id,
      environment,
      effects: preview.effects,
      reference: preview.reference,
      input: preview.input,
      problems: preview.problems.map((problem) => tellProblem(problem, door)),
      warnings: preview.warnings,
      guards: guardsOf(preview),
      approvals: approvalsOf(preview),
      calls: calls.slice(0, MOST_CALLS).map(({ path, runs, call }) => ({
        step: path,
        runs,
        ability: call?.ability ?? '',
        effects: call?.effects ?? null,
      })),
      ...(calls.length > MOST_CALLS && { calls_left_out: calls.length - MOST_CALLS }),
    },
    isError: preview.status === 'unavailable',
  };
}

/** Every step of a preview, in the order in which they may run. */
function stepsIn(steps: readonly StepPreview[]): StepPreview[] {
  return steps.flatMap((step) => [
    step,
    ...step.groups.flatMap((group) => stepsIn(group.steps)),
    ...stepsIn([...(step.call?.workflow?.steps ?? []), ...(step.call?.workflow?.finally ?? [])]),
  ]);
}

function callsOf(steps: readonly StepPreview[]): StepPreview[] {
  return stepsIn(steps).filter(({ call }) => call !== null);
}

/** What guards say already: those that let it pass for certain are left out. */
function guardsOf(preview: PlanPreview): JsonObject[] {
  const steps = stepsIn([...preview.steps, ...preview.finally]);
  const hooks = [
    ...preview.creation.flatMap((part) => part.hooks),
    ...preview.start.hooks,
    ...steps.flatMap(({ call }) => call?.hooks ?? []),
  ];
  return unique(hooks.filter((hook) => hook.decision !== 'allow' && hook.phase !== 'PostAbilityCall').map(tellHook));
}

function tellHook({ id, decision, reason, suggestion, depends_on }: HookPreview): JsonObject {
  return {
    id,
    decision: decision ?? 'asked when it runs',
    ...(reason !== null && { reason }),
    ...(suggestion !== null && { suggestion }),
    ...(depends_on.length > 0 && { depends_on }),
  };
}

function approvalsOf(preview: PlanPreview): JsonObject[] {
  const steps = stepsIn([...preview.steps, ...preview.finally]);
  const asked = [preview.start.approval, ...steps.flatMap((step) => [step.approval, step.call?.approval ?? null])];
  return unique(asked.filter((approval) => approval !== null).map(tellApproval));
}

function tellApproval({
  title,
  asked,
  reasons,
  approvers,
  people,
  quorum,
  self_approval,
}: ApprovalPreview): JsonObject {
  const who = approvers.length === 0 ? 'any person' : (people.length > 0 ? people : approvers).join(', ');
  return { title, asked, because: reasons, who, people_needed: quorum, requester_may: self_approval };
}

/** Without those that say the same. */
function unique(told: readonly JsonObject[]): JsonObject[] {
  return [...new Map(told.map((one) => [JSON.stringify(one), one])).values()];
}
