import type {
  CallReport,
  ConsentQuestion,
  OfferedAbility,
  PlannedEntry,
  PlanProvider,
  SessionEndStatus,
} from '../../contracts/agent-runtime.js';
import type { Person } from '../../contracts/callers.js';
import type { Json } from '../../contracts/json.js';
import type { Problem } from '../../contracts/problem.js';
import type { AbilityGuard, TurnContext } from '../../contracts/session.js';
import type { TaskResult } from '../../contracts/task.js';
import { digestOf } from '../../rules/canonical.js';
import type { RunLog } from '../../server/logs/run-log.js';
import type { Connection } from '../connection/connect.js';
import type { NewTask } from '../start/new-task.js';
import type { TaskNow } from '../watch/wait-for-task.js';

/** The settings of a run: an AI plans calls for a request, and the runtime carries them out. */
export interface SessionRunOptions {
  prompt: string;
  environment: string;
  /** A folder of the project. */
  scope: string;
  user: Person;
  /** A session to open or to join; a joined session stays open. Absent: the run opens its own. */
  session?: string;
  /** The abilities that the AI may plan; it cannot call others. */
  abilities: readonly OfferedAbility[];
  provider: PlanProvider;
  /** The maximum number of plans; default 10. */
  maxTurns?: number;
  /** The keys of tasks derive from this id, so that a repeated run finds them. Absent: a new id. */
  run?: string;
  /** The log of the run, see `beginRun`; an interrupted run continues from it. */
  journal?: { log: Pick<RunLog, 'append' | 'read'>; isNew: boolean };
  /** Masks known secrets in the AI's input and the log; absent: nothing is masked. */
  mask?: <T extends Json>(value: T) => T;
  /** Asks the requester (never an AI) to accept risks; undefined or absent: not possible. */
  agree?: (question: ConsentQuestion) => Promise<boolean | undefined>;
  /** Milliseconds before a run that waits for people ends as `waiting_approval`; undefined: unlimited. */
  approvalMs?: number | undefined;
  /** Called whenever a task may have changed. */
  onProgress?: (entry: PlannedEntry, result: TaskResult, now?: TaskNow) => void;
  /** Called with each valid plan, before any of it is carried out. */
  onPlan?: (turn: number, plan: readonly PlannedEntry[]) => void;
  onStall?: NewTask['onStall'];
  /** Settings of `--strict`. */
  strict?: Pick<NewTask, 'registry' | 'review'>;
  trace?: string;
  /** Ends the wait, with its reason; tasks continue. */
  signal?: AbortSignal;
}

export interface MadeCall {
  entry: PlannedEntry;
  task_key: string;
  /** Digest of ability and input. */
  call: string;
  result?: TaskResult;
  cancelled?: true;
}

export interface RecordedTurn {
  plan: PlannedEntry[];
  answer?: string;
  asks: number;
  /** Ids of calls whose input contained secrets, which the log does not keep. */
  masked: string[];
}

export interface RunEnd {
  status: SessionEndStatus;
  problem?: Problem;
  consent?: ConsentQuestion;
}

export interface RunState {
  readonly connection: Connection;
  readonly options: SessionRunOptions;
  readonly run: string;
  readonly session: string;
  readonly ownsSession: boolean;
  prompted: TurnContext;
  asks: number;
  turns: number;
  /** The last plan that is not empty. */
  plan: PlannedEntry[];
  answer: string | null;
  readonly reports: CallReport[];
  readonly made: Map<string, MadeCall>;
  /** Guards that denied a task. */
  readonly refused: AbilityGuard[];
  /** Accepted risks of the request, and of calls that a guard wants confirmed. */
  readonly agreed: Set<string>;
  /** Answers that an earlier process logged, by turn. */
  readonly recorded: Map<number, RecordedTurn>;
  readonly reported: Map<number, CallReport[]>;
}

/** Masks known secrets in data for the log or an AI. */
export function masked<T>({ options: { mask } }: Pick<RunState, 'options'>, value: T): T {
  return mask ? (mask(value as Json) as T) : value;
}

/** The digest of ability and input; that of the task, if the log lacks a masked input. */
export function callOf({ made, recorded, turns }: RunState, { id, ability_id, input }: PlannedEntry): string {
  const known = made.get(id);
  if (known && recorded.get(turns)?.masked.includes(id)) return known.call;
  return digestOf({ ability_id, input });
}
