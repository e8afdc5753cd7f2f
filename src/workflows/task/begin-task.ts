import { condition, isCancellation, sleep } from '@temporalio/workflow';
import type { EnterAnswer, EnterRequest, FindLinkRequest, ModifyAnswer } from '../../contracts/activities.js';
import { ACTIVITIES } from '../../contracts/names.js';
import { type ApprovalRequest, awaitApproval, subjectOf } from '../approvals/await-approval.js';
import { editOfTask, noteEdits } from '../approvals/edit.js';
import { localActivity, untilKeyed } from '../calls/local-activities.js';
import { confirmation, type Reason } from '../hooks/ask-hooks.js';
import { askWithinLimits } from '../hooks/raise-limit.js';
import { recordChange } from '../input-changes/continue-changed.js';
import { readActivityFailure, StepFailure } from '../steps/step-failure.js';
import { aroundTask } from './run-steps-and-cleanup.js';
import type { BranchStop } from './stop-branches.js';
import type { TaskRun } from './task-run.js';

/**
 * Waits until `ability run` starts a created task; pending changes of its input come first. The timer is not
 * cancelled then, which would add an event; it ends with the task. @returns the preflight of a changed input.
 */
export async function waitForRun(run: TaskRun): Promise<'run' | 'expired' | ModifyAnswer> {
  const { task, life, input } = run;
  try {
    if (task.start.changed?.changes.length && !task.start.carried) await recordChange(run);
    if (!isSettled(run)) await eitherRunOrExpired(run);
  } finally {
    input.mayChange = false;
  }
  if (input.next) return input.next;
  return life.runRequested ? 'run' : 'expired';
}

async function eitherRunOrExpired(run: TaskRun): Promise<void> {
  let expired = false;
  sleep(leftToRun(run), { summary: 'expires unless it is run' }).then(
    () => (expired = true),
    () => {},
  );
  await condition(() => isSettled(run, expired));
}

function isSettled({ life, input }: TaskRun, expired = false): boolean {
  return input.pendingChanges === 0 && (life.runRequested || expired || input.next !== undefined);
}

/** Time left to run the task; a change of the input does not extend it. */
function leftToRun({ task: { plan, start, createdAt } }: TaskRun): number {
  const { expires_ms: limit } = plan.limits;
  if (!start.changed) return limit;
  return Math.max(1, Date.parse(createdAt) + limit - Date.now());
}

/** Makes its record. @throws StepFailure `input.invalid`. */
export async function enterChild({ task, input, warnings }: TaskRun): Promise<void> {
  const enter = localActivity<EnterRequest, EnterAnswer>(ACTIVITIES.enter);
  try {
    const answer = await untilKeyed(() => enter({ ...task.context, input: input.value }));
    input.value = answer.input;
    warnings.add(...answer.warnings);
  } catch (error) {
    const end = readActivityFailure(error);
    if (end.kind === 'problem') throw new StepFailure(end.problem);
    throw error;
  }
}

/** Also requests the confirmations of creation hooks. */
export async function guardTask(run: TaskRun, branchStop: BranchStop): Promise<void> {
  if (run.task.plan.ability.kind === 'operation') return;
  run.life.state = 'guarding';
  const asking = { branchStop, budget: run.budget };
  const reasons = guardReasons(run, await askWithinLimits(run, aroundTask(run), asking));
  if (reasons.length === 0) return;
  const request = { ...guardRequest(run, reasons), edit: editOfTask(run, reasons) };
  noteEdits(run, await awaitApproval(run, request, branchStop));
}

/** Why people are asked before a high-level ability. @param fromGuards reasons of its guards. */
export function guardReasons({ task: { plan, start } }: TaskRun, fromGuards: readonly Reason[]): Reason[] {
  const { pre_create } = plan.ability.hooks;
  return [...fromGuards, ...(start.child ? [] : start.seal.confirmations).map((one) => confirmation(one, pre_create))];
}

/** What they are asked. */
export function guardRequest(run: TaskRun, reasons: readonly Reason[]): ApprovalRequest {
  const { ability, environment } = run.task.plan;
  const title = `${ability.id} in ${environment.name}`;
  return { path: 'run', title, what: subjectOf(run, run.input.value), reasons };
}

/**
 * Determines `steps.<id>.link` before the first step, so that a parallel branch can read it at once; an event, so
 * only for plans with `links`. If the worker does not know it, it stays null, with a warning.
 */
export async function learnLink({ task, steps, warnings }: TaskRun): Promise<void> {
  const find = localActivity<FindLinkRequest, string | null>(ACTIVITIES.findLink);
  const link = await find(task.context).catch((error: unknown) => {
    if (isCancellation(error)) throw error;
    return null;
  });
  if (link !== null) steps.link = link;
  else if (!warnings.list.includes(NO_LINK)) warnings.add(NO_LINK);
}

const NO_LINK =
  '`steps.<id>.link` is null also while an approval is open: the worker does not know the address of a page; set ABILITY_PAGE_ADDRESS or TEMPORAL_UI_ADDRESS there';
