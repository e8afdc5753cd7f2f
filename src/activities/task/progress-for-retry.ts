import type { AgentProgress } from '../../contracts/agent.js';
import type { Json } from '../../contracts/json.js';
import type { TurnCount } from '../../contracts/loops.js';
import type { PlanStep } from '../../contracts/plan.js';
import type { Progress, StepProgress } from '../../contracts/task.js';
import { TURNS } from '../../rules/agents/agent-turns.js';
import { usageOf } from '../../rules/agents/agent-usage.js';
import { digestOf } from '../../rules/canonical.js';
import type { StepTree } from '../../rules/steps/find-step.js';
import { mainSteps } from '../../rules/steps/inner-steps.js';
import { isGroup } from '../../rules/steps/step-kinds.js';
import { nameOfStep } from '../../rules/steps/step-name.js';
import { generalPath } from '../../rules/steps/turn-paths.js';

export interface EarlierTask {
  plan: StepTree;
  progress: Progress;
}

/**
 * The results that a retry need not repeat: completed steps in order, up to the first incomplete one. Not kept are
 * steps whose definition changed, compensated calls, and all steps from a named one on. Approvals are requested
 * again, without invalidating the steps after them. An agent continues after its last turn, with its transcript,
 * even if its definition changed. @param from id of the first step to repeat.
 */
export function keptProgress({ plan: old, progress }: EarlierTask, now: StepTree, from: string | null): Progress {
  const earlier = new Map(mainSteps(old.steps).map(({ step, path }) => [path, digestOf(step)]));
  const kept: Progress = {};
  const undone = Object.entries(progress).flatMap(([path, { status }]) =>
    path.endsWith('.undo') && status !== 'pending' ? [path.slice(0, -'.undo'.length)] : [],
  );

  /** @returns whether the following steps may be kept as well. */
  function walk(steps: readonly PlanStep[], prefix: string): boolean {
    return steps.every((step) => keep(step, prefix + nameOfStep(step.id)));
  }

  function keep(step: PlanStep, path: string): boolean {
    const entry = progress[path];
    if (step.id === from || !entry || earlier.get(path) !== digestOf(step)) return false;
    if (step.verb === 'approval') return entry.status === 'succeeded' || entry.status === 'skipped';
    const ended = hasEndedTask(step, path);
    const isWhole =
      !ended && !undone.some((call) => call === path || call.startsWith(`${path}/`)) && !holds(step, from);
    const isDone = entry.status === 'succeeded' || entry.status === 'skipped';
    if (isDone && isWhole && step.verb !== 'end' && !hasApproval(step)) {
      take(path);
      return true;
    }
    return isWhole || isGroup(step) ? keepPart(step, path, entry) && isDone && !ended : false;
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
        if (entry.items) kept[path] = keptItems(entry, entry.items);
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
      const isInside = key === path || key.startsWith(`${path}/`) || key === `${path}.undo`;
      if (isInside) kept[key] = entry;
    }
  }

  const turns = old.agent && now.agent ? progress[TURNS.turns] : undefined;
  // A new conversation is paid from what is left, too.
  const anew = turns?.agent && from !== null ? { ...usageOf(turns.agent), turns: 0, head: null } : undefined;
  if (turns?.agent) return { [TURNS.turns]: anew ? { status: 'pending', agent: anew } : keptTurns(turns, turns.agent) };
  walk(now.steps, '');
  return kept;
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
