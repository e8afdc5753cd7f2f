import type { AgentProgress } from '../../contracts/agent.js';
import type { Json } from '../../contracts/json.js';
import type { TurnCount } from '../../contracts/loops.js';
import type { PlanStep } from '../../contracts/plan.js';
import type { Progress, StepProgress } from '../../contracts/task.js';
import { TURNS, usageOf } from '../../rules/agents.js';
import { digestOf } from '../../rules/canonical.js';
import { callOfUndo, generalPath, isGroup, mainSteps, nameOfStep, type StepTree } from '../../rules/steps/step-tree.js';
import { defined } from '../../text/defined.js';
import {
  type Asked,
  describeBeginning,
  doubtsOf,
  type EarlierTask,
  isWithin,
  readStanding,
  refuseRepeated,
  refuseWithoutDoubts,
} from './what-stands.js';

export interface Taken {
  progress: Progress;
  /** Where the retry begins, and why. */
  begins: string;
}

/**
 * The results that a retry need not repeat: completed steps in order, up to the first incomplete one, and each call
 * that still stands since its undo was denied. Not kept are steps whose definition changed, undone calls, and all
 * steps from a named one on. Approvals are requested again, without invalidating the steps after them. An agent
 * continues after its last turn, with its transcript, even if its definition changed.
 * @throws AbilityError `task.undecided` if a call may stand that would be repeated; `usage.invalid`.
 */
export function keptProgress(task: EarlierTask, now: StepTree, asked: Asked): Taken {
  const { plan: old, progress } = task;
  const { from } = asked;
  const earlier = new Map(mainSteps(old.steps).map(({ step, path }) => [path, digestOf(step)]));
  const kept: Progress = {};
  const { undone, standing } = readStanding(task, asked);

  /** @returns whether the following steps may be kept as well. */
  function walk(steps: readonly PlanStep[], prefix: string): boolean {
    return steps.every((step) => keep(step, prefix + nameOfStep(step.id)));
  }

  function keep(step: PlanStep, path: string): boolean {
    const entry = progress[path];
    if (step.id === from || !entry || earlier.get(path) !== digestOf(step)) return false;
    if (step.verb === 'approval') return entry.status === 'succeeded' || entry.status === 'skipped';
    const ended = hasEndedTask(step, path);
    const isWhole = !ended && !undone.some(isWithin(path)) && !holds(step, from);
    const isOver = isDone(entry);
    if (isOver && isWhole && step.verb !== 'end' && !hasApproval(step)) {
      take(path);
      return true;
    }
    const mayKeepItems = step.verb === 'foreach' && !ended && !holds(step, from);
    return isWhole || isGroup(step) || mayKeepItems ? keepPart(step, path, entry) && isOver && !ended : false;
  }

  /** Whether an `end` inside ended the task: a task that keeps this step would continue after it. */
  function hasEndedTask(step: PlanStep, path: string): boolean {
    const ends = mainSteps([step]).filter(({ step: inner }) => inner !== step && inner.verb === 'end');
    if (ends.length === 0) return false;
    const around = path.slice(0, path.lastIndexOf('/') + 1);
    const paths = new Set(ends.map((end) => generalPath(around + end.path)));
    return Object.entries(progress).some(([key, { status }]) => status === 'succeeded' && paths.has(generalPath(key)));
  }

  /** Keeps the completed parts of a step that is incomplete or requests approval. */
  function keepPart(step: PlanStep, path: string, entry: StepProgress): boolean {
    switch (step.verb) {
      case 'steps':
        return walk(step.steps, `${path}/`);
      case 'parallel':
        return step.branches.map((branch) => keep(branch, `${path}/${nameOfStep(branch.id)}`)).every(Boolean);
      case 'switch':
        return step.cases.every(({ steps }) => walk(steps, `${path}/`));
      case 'foreach':
        if (entry.items) takeItems(path, entry, entry.items);
        return false;
      case 'repeat':
      case 'race':
      case 'call':
      case 'approval':
      case 'wait':
      case 'let':
      case 'fail':
      case 'end':
        return false;
    }
  }

  function take(path: string): void {
    for (const [key, entry] of Object.entries(progress)) {
      const isDue = key.endsWith('.undo');
      // That of an earlier attempt may have been undone although the last one stands.
      if (isDue && entry.status === 'succeeded') continue;
      const isInside = isWithin(path)(key) || (isDue && callOfUndo(key) === path);
      if (isInside) kept[key] = isDue ? dueAgain(entry) : entry;
    }
  }

  /** Keeps the completed items of a loop without those in which a call was undone. */
  function takeItems(path: string, entry: StepProgress, items: Record<string, Json>): void {
    const isUndone = (index: string): boolean => undone.some((call) => call.startsWith(`${path}/${index}/`));
    const left = Object.fromEntries(Object.entries(items).filter(([index]) => !isUndone(index)));
    kept[path] = keptItems(entry, left);
    for (const [key, undo] of Object.entries(progress)) {
      const [, index = ''] = key.startsWith(`${path}/`) ? key.slice(path.length).split('/') : [];
      if (key.endsWith('.undo') && Object.hasOwn(left, index)) kept[key] = dueAgain(undo);
    }
  }

  /** Whether a call that stands is kept, by itself, in a step that is kept as a whole, or in an item. */
  function isKept(call: string): boolean {
    const parts = callOfUndo(call).split('/');
    return parts.some((_, at) => {
      const around = kept[parts.slice(0, at + 1).join('/')];
      return around && (around.items ? Object.hasOwn(around.items, parts[at + 1] ?? '') : isDone(around));
    });
  }

  const doubts = doubtsOf(progress, asked);
  if (asked.reconcile) refuseWithoutDoubts(old.agent ? {} : doubts);
  const turns = old.agent && now.agent ? progress[TURNS.turns] : undefined;
  if (turns?.agent) {
    // A new conversation is paid from what is left, too.
    const isNew = from !== null;
    const anew = { status: 'pending', agent: { ...usageOf(turns.agent), turns: 0, head: null } } as const;
    const begins = isNew
      ? 'It begins anew, with what is left of its limits'
      : 'It goes on after the last turn that was completed';
    return { progress: { [TURNS.turns]: isNew ? anew : keptTurns(turns, turns.agent) }, begins };
  }
  walk(now.steps, '');
  const same = new Set(
    mainSteps(now.steps).flatMap(({ step, path }) => (earlier.get(path) === digestOf(step) ? [path] : [])),
  );
  const alone = standing.filter((call) => !isKept(call) && same.has(call) && isDone(progress[call]));
  for (const call of alone) {
    take(call);
    // It is undone before those that are made before it in the retry.
    delete kept[`${call}.undo`]?.sequence;
  }
  refuseRepeated(task, asked, standing, isKept);
  Object.assign(kept, doubts);
  return { progress: kept, begins: describeBeginning(now, { kept, earlier, same, progress, undone, alone, from }) };
}

function isDone(entry: StepProgress | undefined): boolean {
  return entry?.status === 'succeeded' || entry?.status === 'skipped';
}

/** An undo that is due if the retry fails in its turn. */
function dueAgain({ call, undo, sequence, approval }: StepProgress): StepProgress {
  return { status: 'pending', ...defined({ call, undo, sequence, approval }) };
}

/** The completed turns of an agent, and the completed part of its current one; denied calls may be requested again. */
function keptTurns({ turn, turns, loop }: StepProgress, { denied: _, ...agent }: AgentProgress): StepProgress {
  return {
    status: 'pending',
    agent,
    ...(turn !== undefined && { turn }),
    ...(turns && { turns: mapCounts(turns) }),
    ...(loop && { loop: { ended: {}, ...(loop.turns && { turns: mapCounts(loop.turns) }) } }),
  };
}

function mapCounts(turns: Record<string, TurnCount>): Record<string, TurnCount> {
  return Object.fromEntries(Object.entries(turns).map(([path, count]) => [path, closed(count)]));
}

/** Facts about the completed items of a `foreach`; the other items are counted when they run again. */
function keptItems({ turns, loop, last }: StepProgress, items: Record<string, Json>): StepProgress {
  const { succeeded = Object.keys(items).length, skipped } = loop?.ended ?? {};
  const ended = { succeeded, ...(skipped !== undefined && { skipped }) };
  return {
    status: 'pending',
    items,
    ...(turns && { turns: mapCounts(turns) }),
    ...(last && { last }),
    ...(loop && { loop: { ended, ...(loop.skipped && { skipped: loop.skipped }) } }),
  };
}

/** Ends the count, so that the time between two tasks does not count as time of a step. */
function closed({ from, to, duration_ms, ...count }: TurnCount): TurnCount {
  return { ...count, duration_ms: duration_ms + (from === undefined || to === undefined ? 0 : to - from) };
}

function holds(step: PlanStep, id: string | null): boolean {
  return id !== null && mainSteps([step]).some((inner) => inner.step.id === id);
}

/** Whether a group contains an approval; those in loops belong to completed turns and do not count. */
function hasApproval(step: PlanStep): boolean {
  return (
    isGroup(step) && mainSteps([step]).some(({ step: inner, path }) => inner.verb === 'approval' && !path.includes('*'))
  );
}
