import { workflowInfo } from '@temporalio/workflow';
import type { Problem } from '../../contracts/problem.js';
import type { LaneMessage } from '../../contracts/routing.js';
import type {
  AbilityGuard,
  SessionCarried,
  SessionStart,
  SessionSurroundings,
  SessionTask,
  SessionThread,
  SessionView,
  StopReason,
  ToolAnswer,
  UnknownSignal,
} from '../../contracts/session.js';
import { CallLedger } from '../../rules/sessions/call-ledger.js';
import { addToThread, EMPTY_THREAD } from '../../rules/sessions/read-session-start.js';
import { report } from '../reports/report-audit.js';

/** Keeps the newest; the scope's file contains all. */
const MAX_SIGNALS = 200;
const MAX_ANSWERS = 200;
/** Drops the oldest settled tasks first. */
const MAX_TASKS = 1000;

export class SessionRun {
  status: SessionView['status'] = 'open';
  reason: StopReason | null = null;
  stopRequested = false;
  refusal: Problem | null = null;
  endedAt: string | null = null;
  stopHooks: SessionView['stop_hooks'] = [];
  /** Time of the last activity, ms since 1970. */
  activeAt: number;
  turnIndex: number;
  turnContext: SessionView['turn_context'];
  hooks: SessionView['hooks'];
  guards: SessionCarried['guards'];
  readonly tasks: Map<string, SessionTask>;
  readonly ledger: CallLedger;
  readonly signals: UnknownSignal[];
  readonly toolAnswers: ToolAnswer[];
  /** Its messages, and the pending question. */
  thread: SessionThread;
  private readonly startedAt: string;

  constructor(readonly start: SessionStart) {
    const { carried } = start;
    this.startedAt = carried?.started_at ?? workflowInfo().startTime.toISOString();
    this.activeAt = carried ? Date.parse(carried.active_at) : Date.now();
    this.turnIndex = carried?.turn_index ?? 0;
    this.turnContext = carried?.turn_context ?? null;
    this.hooks = carried?.hooks ?? [];
    this.guards = [...(carried?.guards ?? [])];
    this.tasks = new Map(carried?.tasks.map((task) => [task.task_key, task]));
    this.ledger = new CallLedger(carried);
    this.signals = [...(carried?.unknown_signals ?? [])];
    this.toolAnswers = [...(carried?.tool_answers ?? [])];
    this.thread = carried?.thread ?? EMPTY_THREAD;
  }

  /** Goes with every request to an activity. The user is a claim, even where the client says otherwise. */
  get surroundings(): SessionSurroundings {
    const { session_id, scope, environment, user } = this.start;
    return { session_id, scope, environment, user: { name: user.name, source: 'claimed' } };
  }

  /** The answers of its hooks at an event, which are lines of the audit log where the project has one. */
  audit(event: string): void {
    for (const [index, { hook_id: about, phase: path, decision: result }] of this.hooks.entries()) {
      report({ kind: 'guard', path, result, about }, `${event} ${index}`);
    }
  }

  touch(): void {
    this.activeAt = Date.now();
  }

  noteTasks(tasks: readonly SessionTask[]): void {
    for (const task of tasks) this.tasks.set(task.task_key, task);
    for (const { task_key, settled } of this.tasks.values()) {
      if (this.tasks.size <= MAX_TASKS) return;
      if (settled) this.tasks.delete(task_key);
    }
  }

  noteSignals(signals: readonly UnknownSignal[]): void {
    this.signals.push(...signals);
    this.signals.splice(0, this.signals.length - MAX_SIGNALS);
  }

  /** Refusals are also kept for the next turn, without repetitions. */
  noteToolAnswer(answer: ToolAnswer): void {
    this.toolAnswers.push(answer);
    this.toolAnswers.splice(0, this.toolAnswers.length - MAX_ANSWERS);
    const isSame = (one: AbilityGuard, other: AbilityGuard): boolean =>
      one.ability_id === other.ability_id && one.source === other.source && one.reason === other.reason;
    for (const guard of answer.guards) {
      if (guard.decision !== 'allow' && !this.guards.some((known) => isSame(known, guard))) this.guards.push(guard);
    }
  }

  noteSaid(message: Pick<LaneMessage, 'role' | 'text'>): void {
    this.thread = addToThread(this.thread, message, new Date().toISOString());
  }

  carry(): SessionStart {
    const { unlisted, leftOut: left_out, calls, counts, raised } = this.ledger;
    return {
      ...this.start,
      carried: {
        ...this.known(),
        ...{ guards: this.guards, calls, counts, unlisted, left_out, thread: this.thread },
        ...(Object.keys(raised).length > 0 && { raised }),
      },
    };
  }

  view(): SessionView {
    const { session_id, environment, scope, idle_ms, user } = this.start;
    const { status, reason, endedAt: ended_at, stopHooks: stop_hooks } = this;
    return {
      session_id,
      status,
      reason,
      ended_at,
      environment,
      scope,
      idle_ms,
      user,
      ...this.known(),
      counts: this.ledger.counts,
      left_out: this.ledger.leftOut,
      ...(Object.keys(this.ledger.raised).length > 0 && { raised: this.ledger.raised }),
      stop_hooks,
    };
  }

  private known() {
    return {
      started_at: this.startedAt,
      active_at: new Date(this.activeAt).toISOString(),
      turn_index: this.turnIndex,
      turn_context: this.turnContext,
      hooks: this.hooks,
      tasks: [...this.tasks.values()],
      unknown_signals: this.signals,
      ...(this.toolAnswers.length > 0 && { tool_answers: this.toolAnswers }),
    };
  }
}
