import { z } from 'zod';
import type { JsonObject } from '../../contracts/json.js';
import type { ApprovalPreview, HookPreview, PlanPreview, UndoPreview } from '../../contracts/preview.js';
import { approvalsIn, hooksIn, previewPlan, stepsIn } from '../../planning/preview/preview-plan.js';
import { problemFields } from './answers.js';
import { findOffered } from './describe-ability.js';
import type { ToolAnswer, ToolCall } from './mcp-door.js';
import { deciders } from './task-answer.js';

export const planInput = z.strictObject({ id: z.string(), input: z.record(z.string(), z.unknown()).optional() });

const MAX_CALLS = 100;

/** `ability_plan`: effects of an input. Only reads files, runs no hook. @throws AbilityError as preflight. */
export async function plan(
  { door, caller }: ToolCall,
  { id, input = {} }: z.output<typeof planInput>,
): Promise<ToolAnswer> {
  const { environment, env } = door;
  findOffered(door, id);
  // As `ability_run` does, in a session.
  const user = { ...caller, caller: 'session' } as const;
  const preview = previewPlan(door.registry(), { ability: id, environment, input: input as JsonObject, user, env });
  const calls = stepsIn(preview).filter(({ call }) => call !== null);
  return {
    data: {
      status: preview.status,
      id,
      environment,
      effects: preview.effects,
      reference: preview.reference,
      input: preview.input,
      problems: preview.problems.map((problem) => problemFields(problem, door)),
      warnings: preview.warnings,
      guards: guardsOf(preview),
      approvals: unique(approvalsIn(preview).map(approvalFields)),
      calls: calls.slice(0, MAX_CALLS).map(({ path, runs, call, undo }) => ({
        step: path,
        runs,
        ability: call?.ability ?? '',
        effects: call?.effects ?? null,
        ...(undo && { undo: undoFields(undo) }),
      })),
      ...(calls.length > MAX_CALLS && { calls_left_out: calls.length - MAX_CALLS }),
    },
    isError: preview.status === 'unavailable',
  };
}

/** Guards that do not certainly allow the call. */
function guardsOf(preview: PlanPreview): JsonObject[] {
  const hooks = hooksIn(preview).filter(({ decision, phase }) => decision !== 'allow' && phase !== 'PostAbilityCall');
  return unique(hooks.map(hookFields));
}

function hookFields({ id, decision, reason, suggestion, depends_on }: HookPreview): JsonObject {
  return {
    id,
    decision: decision ?? 'asked when it runs',
    ...(reason !== null && { reason }),
    ...(suggestion !== null && { suggestion }),
    ...(depends_on.length > 0 && { depends_on }),
  };
}

/** What takes a call back if the task fails, and who would be asked before. */
function undoFields({ call, effects, approval, covered }: UndoPreview): JsonObject {
  const asks = approval ? approvalFields(approval) : null;
  return { ability: call, effects, covered_by_approval_of_call: covered, approval: asks };
}

function approvalFields(approval: ApprovalPreview): JsonObject {
  const { title, asked, reasons, quorum, self_approval } = approval;
  const who = deciders(approval);
  return { title, asked, because: reasons, who, people_needed: quorum, requester_may: self_approval };
}

function unique(data: readonly JsonObject[]): JsonObject[] {
  return [...new Map(data.map((one) => [JSON.stringify(one), one])).values()];
}
