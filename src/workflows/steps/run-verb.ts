import { CancellationScope } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type {
  ApprovalStep,
  GroupStep,
  ParallelStep,
  PlanStep,
  PlanTemplate,
  RaceStep,
  SwitchStep,
} from '../../contracts/plan.js';
import { nameOfStep } from '../../rules/steps/step-tree.js';
import { type ApprovalRequest, awaitApproval, subjectOf } from '../approvals/await-approval.js';
import { editOfTask, noteEdits } from '../approvals/edit.js';
import { type Cause, causeOf } from '../calls/lost-calls.js';
import { evaluate, evaluateCondition, evaluateCount, evaluateDuration, evaluateText } from './evaluate.js';
import { type Frame, frameInside, runSteps } from './frame.js';
import { runCall } from './run-call.js';
import { runForeach } from './run-foreach.js';
import { runMany } from './run-many.js';
import { runRepeat } from './run-repeat.js';
import { runWait } from './run-wait.js';
import { BranchStopped, EndOfTask, isStepFailure, isUnknown, StepFailure } from './step-failure.js';

/** Not async, to save promises. @throws as {@link runStep}. Source: docs/workflow-language.md#calls. */
export function runVerb(step: PlanStep, path: string, frame: Frame): Promise<Json> | Json {
  switch (step.verb) {
    case 'call':
      return runCall(step, path, frame);
    case 'approval':
      return runApproval(step, path, frame);
    case 'parallel':
      return runParallel(step, path, frame);
    case 'race':
      return runRace(step, path, frame);
    case 'foreach':
      return runForeach(step, path, frame);
    case 'switch':
      return runSwitch(step, path, frame);
    case 'repeat':
      return runRepeat(step, path, frame);
    case 'wait':
      return runWait(step, path, frame);
    case 'steps':
      return step.template
        ? runTemplate(step, step.template, frameInside(frame, path))
        : runSteps(step.steps, frameInside(frame, path));
    case 'let':
      return evaluate(step.let, frame);
    case 'end':
      throw new EndOfTask(evaluate(step.end.output, frame));
    case 'fail': {
      const { code, message, details } = step.fail;
      const said = details === undefined ? {} : { details: evaluate(details, frame) };
      throw new StepFailure({ code, message: evaluateText(message, frame), ...said });
    }
  }
}

/** The step that holds its parameters has no output. @returns its output, else the last one of its steps. */
async function runTemplate(step: GroupStep, template: PlanTemplate, frame: Frame): Promise<Json> {
  const [first] = step.steps;
  if (template.given && first) await frame.runStep(first, frame);
  const last = await runSteps(template.given ? step.steps.slice(1) : step.steps, frame);
  return template.output === undefined ? last : evaluate(template.output, frame);
}

/** Runs branches at once. @returns the outputs by branch. Source: docs/workflow-language.md#calls. */
async function runParallel(step: ParallelStep, path: string, frame: Frame): Promise<Json> {
  const { run } = frame;
  const { branches, max_parallel, on_failure: onFailure } = step;
  const max = max_parallel === undefined ? branches.length : evaluateCount(max_parallel, frame);
  const outputs = new Map<string, Json>();
  for (const index of run.steps.progress[path]?.failed?.items ?? []) {
    const branch = branches[index];
    if (branch) run.steps.recall(branch, `${path}/${nameOfStep(branch.id)}`);
  }
  await runMany(path, branches.length, { max, onFailure }, frameInside(frame, path), async (index, inside) => {
    const branch = branches[index] as (typeof branches)[number];
    const { output } = await inside.runStep(branch, inside);
    outputs.set(nameOfStep(branch.id), output);
  });
  return Object.fromEntries(branches.map(({ id }) => [nameOfStep(id), outputs.get(nameOfStep(id)) ?? null]));
}

/**
 * Runs the first case that holds; the steps of the others are `skipped`. @returns the last output of an executed
 * step; null without a match. Source: docs/workflow-language.md#calls; docs/workflow-language.md#branching-and-ending.
 */
async function runSwitch({ cases }: SwitchStep, path: string, frame: Frame): Promise<Json> {
  const { run } = frame;
  const chosen = cases.find((item) => item.if === undefined || evaluateCondition(item.if, frame));
  for (const { steps } of cases.filter((item) => item !== chosen)) {
    for (const step of steps) run.steps.skip(step, `${path}/`);
  }
  return chosen ? runSteps(chosen.steps, frameInside(frame, path)) : null;
}

/**
 * Waits for people. @returns who decided, with their comment. Source: docs/approvals.md;
 * docs/workflow-language.md#calls.
 */
async function runApproval(step: ApprovalStep, path: string, frame: Frame): Promise<Json> {
  const { run } = frame;
  const request = requestOf(step, path, frame);
  run.steps.note(path, step.id, { status: 'waiting' });
  const expiresMs = frame.budget.capWait(evaluateDuration(step.approval.expires, frame));
  const edit = editOfTask(run, request.reasons);
  const approval = await awaitApproval(run, { ...request, expiresMs, edit }, frame.branchStop);
  noteEdits(run, approval);
  const last = approval.decisions.at(-1);
  const by = last === undefined || last.by === 'unnamed' ? 'unnamed' : last.by.name;
  const filled = Object.assign({}, ...approval.decisions.map((decision) => decision.fields));
  return { decision: 'approve', by, comment: last?.comment ?? null, fields: filled };
}

/** What an approval step asks; how long is its own matter. */
export function requestOf({ id, approval }: ApprovalStep, path: string, frame: Frame): ApprovalRequest {
  const { run } = frame;
  const { title, approvers, quorum, comment, fields, while_open, edit } = approval;
  return {
    path,
    step: id,
    title: evaluateText(title, frame),
    what: subjectOf(run, run.input.value),
    reasons: [{ text: `The step ${id} of ${run.task.plan.ability.id} asks.`, edit }],
    ...{ approvers, quorum, comment, fields, while_open },
  };
}

/** How a branch ended: with an output or an error; undefined if it did not run. */
type BranchEnd = { id: string; output: Json } | { id: string; error: unknown } | undefined;

/**
 * Runs branches concurrently; the first to end wins, even by failing, and the others are cancelled. A branch whose
 * `if` is false takes no part. Cutting a branch that must not be cut fails the race with `outcome.unknown`, whichever
 * branch won. Source: docs/workflow-language.md#parallel-steps-and-races; docs/architecture.md#the-way-of-a-task.
 * @returns the winner's name and output; nulls if no branch took part.
 */
async function runRace({ id, branches }: RaceStep, path: string, frame: Frame): Promise<Json> {
  const { run } = frame;
  const inside = frameInside(frame, path);
  let first: BranchEnd;
  let cause: Cause | undefined;
  const outer = CancellationScope.current();
  const scopes = branches.map(() => new CancellationScope());
  const ends = await Promise.all(
    branches.map(async (branch, index) => {
      const scope = scopes[index] as CancellationScope;
      const end = await scope.run(() => runBranch(branch, inside));
      if (first || !end || ('error' in end && end.error instanceof BranchStopped)) return end;
      first = end;
      if (!outer.consideredCancelled) cause = causeOfEnd(end, id, path);
      for (const other of scopes) if (other !== scope) other.cancel();
      return end;
    }),
  );
  const winner = first as BranchEnd;
  const losers = ends.flatMap((end) => (end && end !== winner && 'error' in end ? [end.error] : []));
  if (cause) for (const error of losers) run.lost.explain(error, cause);
  const ended = [winner && 'error' in winner && winner.error, ...losers];
  const lost = ended.find(isUnknown);
  for (const error of losers) if (error !== lost) run.warnings.addUnknown(error);
  if (lost) throw lost;
  if (!winner) frame.branchStop.check();
  if (winner && 'error' in winner) throw winner.error;
  return winner ? { winner: winner.id, output: winner.output } : { winner: null, output: null };
}

/** Why the branches of a race were cut: one was faster, or had failed. */
function causeOfEnd(end: NonNullable<BranchEnd>, race: string, path: string): Cause {
  if ('error' in end && isStepFailure(end.error)) return causeOf(end.error.problem);
  return { code: 'race.lost', message: `The branch ${end.id} won the race ${race}`, step: race, path };
}

async function runBranch(branch: PlanStep, inside: Frame): Promise<BranchEnd> {
  const id = nameOfStep(branch.id);
  try {
    const { ran, output } = await inside.runStep(branch, inside);
    return ran ? { id, output } : undefined;
  } catch (error) {
    return { id, error };
  }
}
