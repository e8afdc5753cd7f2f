import type {
  CallReport,
  ConsentQuestion,
  OfferedAbility,
  PlannedEntry,
  PlanProvider,
  SessionEndStatus,
} from '../../contracts/agent-runtime.js';
import type { Json } from '../../contracts/json.js';
import type { Person } from '../../contracts/people.js';
import type { Problem } from '../../contracts/problem.js';
import type { AbilityGuard, TurnContext } from '../../contracts/session.js';
import type { TaskResult } from '../../contracts/task.js';
import { digestOf } from '../../rules/canonical.js';
import type { RunLog } from '../../server/logs/run-log.js';
import type { Connection } from '../connection/connect.js';
import type { NewTask } from '../start/new-task.js';
import type { TaskNow } from '../watch/wait-for-task.js';

/** A request to an AI that plans calls, with its participants. */
export interface SessionRunOptions {
  prompt: string;
  environment: string;
  /** A folder of the project. */
  scope: string;
  user: Person;
  /** A session to open or to join; left out: one of its own. One that was open before is not ended. */
  session?: string;
  /** The abilities that may be planned; nothing else is called. */
  abilities: readonly OfferedAbility[];
  provider: PlanProvider;
  /** How often the AI is asked for a plan; default 10. */
  maxTurns?: number;
  /** Id of the run: the keys of its tasks derive from it, so that a repeated run finds them. Left out: a new one. */
  run?: string;
  /** The log of that run, see `beginRun`; lets an interrupted run continue where it was. */
  journal?: { log: Pick<RunLog, 'append' | 'read'>; isNew: boolean };
  /** Masks known secrets in the AI's input and the log; left out: nothing is masked. */
  mask?: <T extends Json>(value: T) => T;
  /** Asks the requester about risks, never an AI; undefined or left out: they cannot be asked. */
  agree?: (question: ConsentQuestion) => Promise<boolean | undefined>;
  /** How long a call may wait for people before the run ends as `waiting_approval`; undefined: without end. Milliseconds. */
  approvalMs?: number | undefined;
  /** Called whenever a task may have changed. */
  onProgress?: (entry: PlannedEntry, result: TaskResult, now?: TaskNow) => void;
  /** Called with each plan that can be read, before anything of it is tried. */
  onPlan?: (turn: number, plan: readonly PlannedEntry[]) => void;
  onStall?: NewTask['onStall'];
  review?: NewTask['review'];
  trace?: string;
  /** Ends the waiting, with its reason; tasks continue. */
  signal?: AbortSignal;
}

/** A planned call for which there is a task. */
export interface MadeCall {
  entry: PlannedEntry;
  task_key: string;
  /** Digest of ability and input. */
  call: string;
  /** Its end, where it has one. */
  result?: TaskResult;
  /** It was never run, and is not to be. */
  cancelled?: true;
}

/** An answer of the AI, as the log of the run keeps it. */
export interface RecordedTurn {
  plan: PlannedEntry[];
  answer?: string;
  asks: number;
  /** Ids of calls whose input held a secret, which is not in the log. */
  masked: string[];
}

/** Why a run is over, or why it waits. */
export interface RunEnd {
  status: SessionEndStatus;
  problem?: Problem;
  consent?: ConsentQuestion;
}

/** The state of a run. */
export interface RunState {
  readonly connection: Connection;
  readonly options: SessionRunOptions;
  readonly run: string;
  readonly session: string;
  /** Whether the session ends with the run. */
  readonly ownsSession: boolean;
  /** The turn context of the prompt. */
  prompted: TurnContext;
  asks: number;
  turns: number;
  /** The last plan with calls. */
  plan: PlannedEntry[];
  answer: string | null;
  readonly reports: CallReport[];
  readonly made: Map<string, MadeCall>;
  /** Guards of calls that got no task. */
  readonly refused: AbilityGuard[];
  /** What the requester has consented to: risks of the request, and calls that a guard of the prompt wants confirmed. */
  readonly agreed: Set<string>;
  /** The log of an earlier process, by turn. */
  readonly recorded: Map<number, RecordedTurn>;
  readonly reported: Map<number, CallReport[]>;
}

/** Takes known secrets out of something that is written down or shown to an AI. */
export function masked<T>({ options: { mask } }: Pick<RunState, 'options'>, value: T): T {
  return mask ? (mask(value as Json) as T) : value;
}

/** The digest of what an entry calls; of one whose input the log does not have, that of its task. */
export function callOf({ made, recorded, turns }: RunState, { id, ability_id, input }: PlannedEntry): string {
  const known = made.get(id);
  if (known && recorded.get(turns)?.masked.includes(id)) return known.call;
  return digestOf({ ability_id, input });
}
