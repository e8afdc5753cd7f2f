import { condition, isCancellation, sleep } from '@temporalio/workflow';
import type {
  CallContext,
  EnterAnswer,
  EnterRequest,
  FindLinkRequest,
  ModifyAnswer,
} from '../../contracts/activities.js';
import { ACTIVITIES } from '../../contracts/names.js';
import { GUARD_APPROVAL_MS } from '../../rules/calls/call-limits.js';
import { awaitApproval } from '../approvals/await-approval.js';
import { editOfTask, noteEdits } from '../approvals/edit.js';
import { localActivity, untilKeyed } from '../calls/local-activities.js';
import { askGuards, confirmation } from '../hooks/ask-hooks.js';
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
  const { plan, start } = run.task;
  if (plan.ability.kind === 'operation') return;
  run.life.state = 'guarding';
  const { pre_create } = plan.ability.hooks;
  const created = (start.child ? [] : start.seal.confirmations).map((one) => confirmation(one, pre_create));
  const reasons = [...(await askGuards(run, aroundTask(run))), ...created];
  if (reasons.length === 0) return;
  const { name: environment, approvers, quorum } = plan.environment;
  const { id: ability, effects } = plan.ability;
  const lists = reasons.map(({ edit }) => edit);
  const approval = await awaitApproval(
    run,
    {
      path: 'run',
      title: `${ability} in ${environment}`,
      what: { ability, implementation: null, environment, effects, input: run.input.value },
      reasons: reasons.map(({ text }) => text),
      approvers,
      quorum,
      expiresMs: GUARD_APPROVAL_MS,
      comment: 'optional',
      edit: editOfTask(run, lists, reasons),
    },
    branchStop,
  );
  noteEdits(run, approval);
}

/**
 * Determines `steps.<id>.link` before the first step, so that a parallel branch can read it at once; an event, so
 * only for plans with `links`. If the worker does not know it, it stays null, with a warning.
 */
export async function learnLink({ task, steps, warnings }: TaskRun): Promise<void> {
  const link = await findLink(task.context);
  if (link !== null) steps.link = link;
  else if (!warnings.list.includes(NO_LINK)) warnings.add(NO_LINK);
}

const NO_LINK =
  '`steps.<id>.link` is null also while an approval is open: the worker does not know the address of a page; set ABILITY_PAGE_ADDRESS or TEMPORAL_UI_ADDRESS there';

async function findLink(context: CallContext): Promise<string | null> {
  try {
    return await localActivity<FindLinkRequest, string | null>(ACTIVITIES.findLink)(context);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return null;
  }
}
