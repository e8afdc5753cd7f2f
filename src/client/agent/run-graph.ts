import type { CallReport, PlannedEntry } from '../../contracts/agent-runtime.js';
import { AbilityError } from '../../contracts/problem.js';
import { defined } from '../../text/defined.js';
import { runTask } from '../change/control-task.js';
import { viewTask } from '../view/view-task.js';
import { waitForTask } from '../watch/wait-for-task.js';
import { aboutEntry, reportOf, statusReport } from './call-report.js';
import type { MadeCall, RunState } from './run-state.js';

/** `held`: an earlier call that it depends on waits. */
type CallEnd = 'succeeded' | 'failed' | 'waiting' | 'held' | 'stopped';

export interface GraphEnd {
  reports: CallReport[];
  /** `waiting`: approvals are open; `stopped`: the caller stopped waiting. */
  kind: 'ended' | 'waiting' | 'stopped';
}

const AT_ONCE = 10;

/** Runs each task after those that it depends on succeeded; others in parallel. Source: R-000-79. */
export async function runGraph(state: RunState, plan: readonly PlannedEntry[]): Promise<GraphEnd> {
  const turns = new Turns(AT_ONCE);
  const entries = new Map(plan.map((entry) => [entry.id, entry]));
  const ends = new Map<string, Promise<CallEnd>>();
  const reports = new Map<string, CallReport>();
  const endOf = (id: string): Promise<CallEnd> => {
    const entry = entries.get(id);
    const known = ends.get(id) ?? (entry ? begin(entry) : Promise.resolve(isDone(state, id) ? 'succeeded' : 'failed'));
    ends.set(id, known);
    return known;
  };
  const begin = async (entry: PlannedEntry): Promise<CallEnd> => {
    const before = await Promise.all((entry.after ?? []).map(endOf));
    const made = state.made.get(entry.id);
    if (!made) throw new AbilityError({ code: 'internal.error', message: `No task was created for ${entry.id}` });
    if (before.includes('failed')) {
      reports.set(entry.id, skipped(state, made));
      return 'failed';
    }
    const open = before.find((end) => end !== 'succeeded');
    if (open !== undefined) return open === 'stopped' ? 'stopped' : 'held';
    return turns.take(() => runCall(state, made, reports));
  };
  const all = await Promise.all(plan.map(({ id }) => endOf(id)));
  const kind = all.includes('stopped') ? 'stopped' : all.some(isOpen) ? 'waiting' : 'ended';
  return { kind, reports: plan.flatMap(({ id }) => reports.get(id) ?? []) };
}

function isOpen(end: CallEnd): boolean {
  return end === 'waiting' || end === 'held';
}

function isDone({ made }: RunState, id: string): boolean {
  return made.get(id)?.result?.status === 'succeeded';
}

async function runCall(state: RunState, made: MadeCall, reports: Map<string, CallReport>): Promise<CallEnd> {
  const { connection, options } = state;
  const { entry, task_key } = made;
  // A plan may name a call again after its end; that does not run it again.
  if (!made.result) {
    if (options.signal?.aborted) return 'stopped';
    await startCall(state, made);
    const end = await waitForTask(connection, task_key, {
      approvalMs: options.approvalMs,
      onProgress: (result, now) => options.onProgress?.(entry, result, now),
      ...defined({ onStall: options.onStall, signal: options.signal }),
    });
    if (end.kind === 'approval') {
      reports.set(entry.id, statusReport(aboutEntry(state.turns, entry, task_key), 'waiting_approval'));
      return 'waiting';
    }
    if (end.kind !== 'ended') return 'stopped';
    made.result = end.result;
  }
  const mask = options.mask ?? ((value) => value);
  reports.set(entry.id, reportOf(aboutEntry(state.turns, entry, task_key), made.result, mask));
  return made.result.status === 'succeeded' ? 'succeeded' : 'failed';
}

/** Does nothing if an earlier process of the run has already started the task. */
async function startCall({ connection }: RunState, { task_key }: MadeCall): Promise<void> {
  const { result } = await viewTask(connection, task_key);
  if (result.status !== 'created') return;
  try {
    await runTask(connection, task_key);
  } catch (error) {
    if (!(error instanceof AbilityError) || error.code !== 'task.closed') throw error;
  }
}

function skipped({ turns }: RunState, { entry, task_key }: MadeCall): CallReport {
  return statusReport(aboutEntry(turns, entry, task_key), 'skipped', {
    code: 'planner.call_skipped',
    reason: `A call that ${entry.id} comes after did not succeed, so it was not run`,
    suggestion: 'Name it again in a plan in which it can run; what the next plan does not name is cancelled.',
  });
}

class Turns {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async take<T>(action: () => Promise<T>): Promise<T> {
    if (this.free === 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.free -= 1;
    try {
      return await action();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
