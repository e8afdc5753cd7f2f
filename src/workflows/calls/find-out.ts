import { CancellationScope, CancelledFailure, sleep } from '@temporalio/workflow';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { LostCall, PlanOperation, PlanUnknown } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import { RETRY } from '../../rules/calls/call-defaults.js';
import { isAnswer, judgeAnswer, questionAbout, type Verdict } from '../../rules/calls/judge-answer.js';
import { canonicalJson } from '../../rules/canonical.js';
import { askPath, isInTurn } from '../../rules/steps/step-tree.js';
import { isTaskKey } from '../../rules/tasks/task-ids.js';
import { reportStep } from '../reports/report-spans.js';
import { asStepFailure, isStepFailure, isUnknown, StepFailure, stepStatusOf } from '../steps/step-failure.js';
import { CleanupBudget } from '../task/budget.js';
import { BranchStop } from '../task/stop-branches.js';
import type { TaskRun } from '../task/task-run.js';
import type { OperationCall } from './schedule-call.js';

type Call = (run: TaskRun, call: OperationCall) => Promise<Json>;

interface Calls {
  make: Call;
  ask: Call;
}

/**
 * Makes a call, and asks what became of it whenever its outcome is lost: it is made again only if the answer says that
 * it did not take place, within its attempts. Source: docs/definitions.md#when-an-outcome-is-lost.
 * @param make the call alone. @param ask a call with the hooks around it. @throws as `make`.
 */
export async function callUntilKnown(
  run: TaskRun,
  call: OperationCall,
  unknown: PlanUnknown,
  { make, ask }: Calls,
): Promise<Json> {
  const most = call.retry?.attempts ?? RETRY.attempts;
  let next = call;
  for (let after = 1; ; after += 1) {
    const since = Date.now();
    try {
      return await make(run, next);
    } catch (error) {
      if (!isUnknown(error)) throw error;
      const lost = { idempotency_key: `${run.task.id}/${call.path}`, input: call.input };
      const took = await findOut(run, call, { unknown, lost, failure: error, waits: true, ask });
      if (took) return took.output;
      if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('Cut before it took effect');
      const made = run.steps.entry(call.path).attempts ?? 1;
      const timeoutMs = next.timeoutMs && next.timeoutMs - (Date.now() - since);
      if (made >= most || (timeoutMs !== undefined && timeoutMs <= 0)) throw notMade(error.problem, unknown);
      const retry = call.retry && { ...call.retry, attempts: most - made };
      next = { ...call, timeoutMs, retry, earlier: { lost: after, made } };
    }
  }
}

/** Whether a retried task lost the call at this path, and it is to be asked about. */
export function isInDoubt({ steps }: TaskRun, { path, operation }: OperationCall): boolean {
  return operation.unknown !== undefined && steps.progress[askPath(path)]?.doubt !== undefined;
}

/** Asks about that call first. @param make the call with the hooks around it. @throws as `make`. */
export async function settleDoubt(run: TaskRun, call: OperationCall, { make, ask }: Calls): Promise<Json> {
  const unknown = call.operation.unknown as PlanUnknown;
  const lost = run.steps.entry(askPath(call.path)).doubt as LostCall;
  // A list may have other items now.
  if (isInTurn(call.path) && canonicalJson(lost.input) !== canonicalJson(call.input)) throw otherItem(call, lost);
  const failure = new StepFailure(lostBefore(lost));
  const took = await findOut(run, call, { unknown, lost, failure, waits: false, ask });
  return took ? took.output : make(run, call);
}

interface Question {
  unknown: PlanUnknown;
  lost: LostCall;
  /** What is thrown if the answer cannot tell, with what was asked and answered. */
  failure: StepFailure;
  /** Whether it waits before the first question, too. */
  waits: boolean;
  ask: Call;
}

/**
 * Not cancellable: whether the effect took place matters most to a task that is stopped. @returns the output of a call that
 * took place; undefined: it did not. @throws StepFailure if that is still unknown.
 */
async function findOut(run: TaskRun, call: OperationCall, question: Question): Promise<{ output: Json } | undefined> {
  const { unknown, lost, failure, waits } = question;
  const path = askPath(call.path);
  const id = askPath(call.id);
  const { call: key, attempts, wait_ms: waitMs } = unknown;
  let verdict = { is: 'neither', why: '' } as Verdict;
  // The next run could not tell the lost call from one that was not made.
  run.life.pendingWork += 1;
  try {
    await CancellationScope.nonCancellable(async () => {
      for (let number = 1; number <= attempts && verdict.is === 'neither'; number += 1) {
        run.steps.note(path, id, { status: 'waiting', call: key, doubt: lost });
        if (waits || number > 1) await sleep(waitMs, { summary: `${path}: question ${number} of ${attempts}` });
        verdict = await askOnce(run, call, question);
      }
    });
    const isKnown = verdict.is !== 'neither';
    const { status } = run.steps.entry(path);
    run.steps.note(path, id, { status: isKnown ? 'succeeded' : status });
    if (verdict.is === 'neither') throw stillUnknown(run, failure, unknown, verdict);
    delete run.steps.entry(path).doubt;
    run.warnings.add(foundOut(call.path, unknown, verdict));
    return verdict.is === 'happened' ? verdict : undefined;
  } finally {
    run.life.pendingWork -= 1;
    reportStep(run.steps, { id, verb: 'call' }, path, { instance: path, within: undefined });
  }
}

async function askOnce(run: TaskRun, call: OperationCall, { unknown, lost, ask }: Question): Promise<Verdict> {
  const { plan } = run.task;
  const [path, id] = [askPath(call.path), askPath(call.id)];
  const operation = plan.operations[unknown.call] as PlanOperation;
  const about = { ...lost, operation: call.operation.key };
  const alone = { retry: undefined, timeoutMs: undefined, mayBeCut: false, groups: [], branchStop: new BranchStop() };
  try {
    const input: JsonObject = questionAbout(unknown, lost);
    const budget = new CleanupBudget(plan.limits);
    const output = await ask(run, { ...alone, path, id, operation, input, budget, about });
    run.steps.note(path, id, { status: 'succeeded', output });
    return judgeAnswer(unknown, lost, { output, error: null });
  } catch (thrown) {
    const error = asStepFailure(thrown);
    if (!isStepFailure(error)) throw error;
    const { problem } = error;
    run.steps.note(path, id, { status: stepStatusOf(problem.code), output: null, error: problem });
    if (isAnswer(problem.code, error.isAnswer)) return judgeAnswer(unknown, lost, { output: null, error: problem });
    return { is: 'neither', why: `it did not answer: ${problem.code}: ${problem.message}` };
  }
}

function foundOut(path: string, { call }: PlanUnknown, { is }: Verdict): string {
  return is === 'happened'
    ? `The outcome of ${path} was lost, and ${call} says that it took place: its output is from that answer`
    : `The outcome of ${path} was lost, and ${call} says that it did not take place, so it may be made again`;
}

/** Adds what was asked and answered, to the failure itself: others may explain it further. */
function stillUnknown(
  { task }: TaskRun,
  failure: StepFailure,
  { call, attempts }: PlanUnknown,
  { why }: Extract<Verdict, { is: 'neither' }>,
): StepFailure {
  const { problem } = failure;
  const later = isTaskKey(task.id) ? `, or have it asked again: ability task reconcile ${task.id}` : '';
  problem.message += `; ${call} was asked ${attempts === 1 ? 'once' : `${attempts} times`} and could not tell: ${why}`;
  problem.details = { ...(problem.details as object | undefined), asked: { call, times: attempts, answer: why } };
  problem.suggestion = `Check by hand whether the effect took place before you run anything again${later}.`;
  return failure;
}

/** The last known problem of a call that did not take place. */
function notMade({ details, message }: Problem, { call }: PlanUnknown): StepFailure {
  const { seen } = (details ?? {}) as { seen?: Problem };
  const { code = 'timeout.call', ...known } = seen ?? {};
  return new StepFailure({
    ...known,
    code,
    message: `${seen?.message ?? message}; ${call} says that it did not take place`,
  });
}

function lostBefore({ idempotency_key: key }: LostCall): Problem {
  return { code: 'outcome.unknown', message: `Whether the call ${key} took place could not be determined` };
}

function otherItem({ path }: OperationCall, lost: LostCall): StepFailure {
  const message = `${lostBefore(lost).message}, and the input of ${path} is another one now`;
  const suggestion = 'Check by hand whether the effect took place, then say it to `ability task retry`.';
  return new StepFailure({ code: 'outcome.unknown', message, suggestion });
}
