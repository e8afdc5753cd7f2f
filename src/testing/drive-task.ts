import { type Connection, viewTask } from '../client/index.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import type { CaseApprovals, CaseSignals } from './approvals-and-signals.js';
import { findPendingWork } from './pending-work.js';
import type { TestClock } from './test-clock.js';

/** Limit of a case in real time; its simulated waits take none. */
const LONGEST_MS = 5 * 60_000;
const LOOK_MS = 5;
/** Workflow code that fails for longer is not going to recover. */
const FAULT_MS = 3000;

/**
 * Drives a task to its end: lets it work, decides its approvals, sends its signals, and moves the clock to the
 * next due moment, never past it, so that nothing expires that the case decides. @returns undefined once it has
 * ended, else why it never will. @throws the reason of the signal.
 */
export async function driveTask(
  connection: Connection,
  clock: TestClock,
  task: string,
  approvals: CaseApprovals,
  signals: CaseSignals,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  const deadline = Date.now() + LONGEST_MS;
  let wellAt = Date.now();
  for (;;) {
    signal.throwIfAborted();
    const { open, isBusy, wakesAt, fault } = await findPendingWork(connection.temporal, task);
    if (open.length === 0) return undefined;
    if (fault === undefined) wellAt = Date.now();
    else if (Date.now() - wellAt > FAULT_MS) return stuck(`the workflow code fails: ${fault}`);
    if (Date.now() > deadline) return stuck(`it was still at work after ${LONGEST_MS / 60_000} minutes`);
    if (isBusy) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      continue;
    }
    if (await sayAll(connection, open, approvals, signals)) continue;
    const [undecided] = approvals.undecided;
    if (undecided) return undecided;
    if (wakesAt === undefined) {
      return stuck(
        'it waits for something other than time, such as a signal',
        'Send it: `signals: [{ name: NAME, payload: JSON }]`.',
      );
    }
    await clock.skip(Math.max(1, wakesAt - (await clock.now())));
  }
}

/** Makes the decisions and sends the signals that are due. @returns whether there were any. */
async function sayAll(
  connection: Connection,
  open: readonly string[],
  approvals: CaseApprovals,
  signals: CaseSignals,
): Promise<boolean> {
  let said = false;
  for (const workflow of open) {
    const { result } = await viewTask(connection, workflow, 'anyone');
    const decided = await approvals.decideOn(workflow, result.approvals);
    const sent = await signals.sendTo(workflow, result);
    said ||= decided || sent;
  }
  return said;
}

function stuck(why: string, suggestion = 'Look at the step that was last at work.'): Problem {
  return new AbilityError({
    code: 'test.no_end',
    message: `The task does not end: ${why}`,
    suggestion,
  }).toProblem();
}
