import type { ItemFailure, LoopCounts, LoopProgress } from '../../contracts/loops.js';
import type { Plan, PlanStep } from '../../contracts/plan.js';
import { isStepEnd } from '../../contracts/states.js';
import type { Progress, StepProgress, StepSummary } from '../../contracts/task.js';
import { rangesOf } from '../../rules/number-ranges.js';
import { callOfUndo, isInTurn, isLoop, nameOfStep } from '../../rules/steps/step-tree.js';
import { defined } from '../../text/defined.js';
import { accountOf, type ItemsUnderWay } from '../loops/loop-account.js';
import { countTurns, wallTimeOf } from '../loops/turn-counts.js';
import { durationOf, errorOf, isBeside, isUndo } from '../steps/step-notes.js';

/** Number of failures listed for all loops of a task together, so that a result stays small. */
const MAX_FAILURES = 100;
/** Beyond this many calls beside those of steps in loops, a step has one row for all its turns there as well. */
const MAX_BESIDE = 50;

/**
 * One row per step of the plan, for any number of turns; undone calls and questions about lost
 * ones have their own rows. Steps that did not run
 * are `skipped` once the task has ended. @param underWay the items that are under way in this run.
 */
export function summarize(
  plan: Plan,
  listed: readonly { step: PlanStep; path: string }[],
  progress: Progress,
  isEnded: boolean,
  underWay?: ItemsUnderWay,
): StepSummary[] {
  const turns = countTurns(progress);
  const summaryOf = (id: string, path: string, call: string | null, entry: StepProgress | undefined): StepSummary => {
    const { status = isEnded ? 'skipped' : 'pending', attempts = 0, child: task } = entry ?? {};
    const duration_ms = (entry && durationOf(entry)) ?? null;
    return { id, path, call, ...defined({ task }), status, attempts, duration_ms, ...errorOf(entry) };
  };
  const summaryOfTurns = (id: string, path: string, call: string | null): StepSummary => {
    const count = turns.get(path);
    if (!count) return { ...summaryOf(id, path, call, undefined), turns: 0 };
    const { turns: times, attempts, status, error, failed, failures, covered = 0 } = count;
    const duration_ms = isStepEnd(status) ? wallTimeOf(count) : null;
    const listed = { ...defined({ error, failed_turns: failed }), ...listOf(failures, covered) };
    return { id, path, call, status, attempts, duration_ms, turns: times, ...listed };
  };
  const allBeside = Object.entries(progress).filter(([path, { status }]) => isBeside(path) && status !== 'pending');
  const inTurns = allBeside.filter(([path]) => isInTurn(path)).length;
  const beside = inTurns > MAX_BESIDE ? allBeside.filter(([path]) => !isInTurn(path)) : allBeside;
  const besideInTurns = inTurns > MAX_BESIDE ? [...turns.keys()].filter(isBeside) : [];
  const besideRows = beside.map(([path, entry]) => summaryOf(nameOfStep(path), path, entry.call ?? null, entry));
  if (plan.ability.kind === 'operation') {
    return [summaryOf('run', 'run', plan.ability.id, progress.run), ...besideRows];
  }
  return limitFailures([
    ...listed.map(({ step, path }) => {
      const call = step.verb === 'call' ? step.call : null;
      if (path.includes('*')) {
        const row = summaryOfTurns(step.id, path, call);
        return { ...row, ...loopOf(step, row, turns.get(path)?.loop, undefined) };
      }
      const entry = progress[path];
      const row = summaryOf(step.id, path, call, entry);
      return { ...row, ...loopOf(step, row, entry && accountOf(entry), entry, underWay) };
    }),
    ...besideRows,
    ...besideInTurns.map((path) => summaryOfTurns(nameOfStep(path), path, besideCall(plan, listed, path))),
  ]);
}

/** The ability that undoes the call of a step, or is asked about it. */
function besideCall({ operations }: Plan, listed: readonly { step: PlanStep; path: string }[], path: string) {
  const step = listed.find((one) => callOfUndo(path) === one.path || path.startsWith(`${one.path}.`))?.step;
  if (step?.verb !== 'call') return null;
  return (isUndo(path) ? step.undo?.call : operations[step.call]?.unknown?.call) ?? null;
}

/** A loop's turns for its row; empty for other steps. */
function loopOf(
  step: PlanStep,
  { path, status }: StepSummary,
  account: LoopProgress | undefined,
  entry: StepProgress | undefined,
  underWay?: ItemsUnderWay,
): Pick<StepSummary, 'items' | 'failures' | 'failures_left_out'> {
  if (!isLoop(step) || !account) return {};
  const { total = 0, skipped, failures, ended } = account;
  const { succeeded = 0, ...others } = ended;
  const bad = Object.entries(others).reduce((sum, [kind, count]) => (kind === 'skipped' ? sum : sum + count), 0);
  const rest = total - succeeded - bad - (others.skipped ?? 0);
  const isOver = isStepEnd(status);
  const under = isOver ? undefined : underWay?.of(path);
  const done = isOver && bad + rest > 0 && entry?.items ? rangesOf(Object.keys(entry.items).map(Number)) : undefined;
  const items: LoopCounts = {
    verb: step.verb,
    total,
    succeeded,
    ...others,
    ...(under && under.running > 0 && under),
    ...(isOver && rest > 0 && { not_run: rest }),
    ...defined({ done, skipped_items: skipped }),
  };
  return { items, ...listOf(failures, bad) };
}

function listOf(
  failures: readonly ItemFailure[] = [],
  count: number,
): Pick<StepSummary, 'failures' | 'failures_left_out'> {
  if (count === 0) return {};
  const left = count - failures.length;
  return { ...(failures.length > 0 && { failures: [...failures] }), ...(left > 0 && { failures_left_out: left }) };
}

/** The first rows have priority. */
function limitFailures(rows: StepSummary[]): StepSummary[] {
  let room = MAX_FAILURES;
  return rows.map((row) => {
    const { failures, failures_left_out: left = 0, ...rest } = row;
    if (!failures) return row;
    const shown = failures.slice(0, room);
    room -= shown.length;
    return { ...rest, ...listOf(shown, failures.length + left) };
  });
}
