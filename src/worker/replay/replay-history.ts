import {
  DefaultLogger,
  type InjectedSinks,
  makeTelemetryFilterString,
  type ReplayWorkerOptions,
  Runtime,
  Worker,
} from '@temporalio/worker';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import type { RunSinks, SpanSinks } from '../../contracts/run-sinks.js';
import { whyNotThisBuild } from '../../rules/plans/child-plan.js';
import { SpillingCodec } from '../../server/payloads/payload-codec.js';
import { type PayloadKeys, payloadKeysOf } from '../../server/payloads/payload-keys.js';
import type { Store } from '../../server/store/store.js';
import { startIn } from '../../server/temporal/read-start.js';
import { WORKFLOW_BUNDLE } from '../create-workers.js';
import { type History, idOf, type RecordedHistory, stepOf, summaryOf, typeOf } from './history-events.js';

/** The first event at which a build of the workflows departs from a history. */
export interface Difference {
  event_id: number;
  event_type: string;
  /** Subject of the event, such as the operation of a call; null where its type says enough. */
  about: string | null;
  /** Null if the event does not belong to a call. */
  step: string | null;
  /** This build's command; completes "this build would". */
  wanted: string;
}

/** Result of replaying one history. */
export type ReplayEnd = { name: string; workflow_id: string; events: number } & (
  | { status: 'ok' }
  | { status: 'differs'; difference: Difference }
  | { status: 'not_replayed'; problem: Problem }
);

/** Options of a replay. */
export interface ReplayOptions {
  /** Source of large values that were not recorded; omitted: none. */
  store?: Store | undefined;
  /** Decrypt payloads; left out: those of the environment. */
  keys?: PayloadKeys;
  /** Path of the bundled workflows; left out: those of this package. */
  workflowBundle?: string | undefined;
}

/**
 * Replays one recorded run with this build's workflows, and finds the event where they differ. Has no effects;
 * replays an open history as far as it goes. Temporal compares commands (calls, timers, the end), not values.
 */
export async function replayHistory(recorded: RecordedHistory, options: ReplayOptions = {}): Promise<ReplayEnd> {
  const { workflowId, history } = recorded;
  const events = history.events ?? [];
  const about = headOf(recorded);
  const codec = new ReplayCodec(options, recorded.stored);
  const replay = (count: number): Promise<ReplayMismatch | undefined> =>
    mismatchOf({ ...history, events: events.slice(0, count) }, workflowId, codec, options.workflowBundle);
  const mismatch = await replay(events.length);
  if (!mismatch) return { ...about, status: 'ok' };
  const problem = codec.missing ?? (await whyNotOurs(recorded, codec)) ?? mismatch.problem;
  if (problem) return { ...about, status: 'not_replayed', problem };
  const eventId = mismatch.eventId ?? (await findEvent(events.length, async (count) => !(await replay(count))));
  const event = events.find((candidate) => idOf(candidate) === eventId);
  if (!event) throw new TypeError(`the history has no event ${eventId}`);
  const difference: Difference = {
    event_id: eventId,
    event_type: typeOf(event),
    about: summaryOf(event),
    step: stepOf(event, events, workflowId),
    wanted: mismatch.wanted,
  };
  return { ...about, status: 'differs', difference };
}

/** Replays all in one worker, which is slow to start; repeats a failed one alone by {@link replayHistory}. */
export async function* replayHistories(
  all: readonly RecordedHistory[],
  options: ReplayOptions = {},
): AsyncGenerator<ReplayEnd> {
  let done = 0;
  const codec = new ReplayCodec(options);
  // The SDK takes a history once the previous one has ended, so `stored` always belongs to the current one.
  const inTurn = async function* () {
    for (const { history, workflowId, stored } of all) {
      codec.stored = stored;
      yield { history, workflowId };
    }
  };
  try {
    for await (const { error } of Worker.runReplayHistories(workerOptions(codec, options.workflowBundle), inTurn())) {
      const recorded = all[done++] as RecordedHistory;
      yield error ? await replayHistory(recorded, options) : { ...headOf(recorded), status: 'ok' };
    }
  } catch {
    // An unreadable history ends the worker; the remaining ones are replayed alone.
  }
  for (const recorded of all.slice(done)) yield await replayHistory(recorded, options);
}

function headOf({ name, workflowId, history }: RecordedHistory): Omit<ReplayEnd, 'status'> {
  return { name, workflow_id: workflowId, events: history.events?.length ?? 0 };
}

let installed = false;

const none = { fn: () => {} };
/** A replay executes no activities, so no run is looked up; and it writes neither record nor spans. */
const noSinks: InjectedSinks<RunSinks & SpanSinks> = {
  runs: { begun: none, ended: none, told: none, logged: none, audited: none },
  traces: { step: none, hook: none },
};

async function mismatchOf(
  history: History,
  workflowId: string,
  codec: ReplayCodec,
  workflowBundle: string | undefined,
): Promise<ReplayMismatch | undefined> {
  try {
    await Worker.runReplayHistory(workerOptions(codec, workflowBundle), history, workflowId);
    return undefined;
  } catch (error) {
    return readMismatch(error);
  }
}

function workerOptions(codec: ReplayCodec, codePath = WORKFLOW_BUNDLE): ReplayWorkerOptions {
  if (!installed) quiet();
  installed = true;
  return { workflowBundle: { codePath }, dataConverter: { payloadCodecs: [codec] }, sinks: noSinks };
}

/** Suppresses the SDK's log of differences, which we report ourselves. */
function quiet(): void {
  const filter = makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' });
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR', () => {}),
      telemetryOptions: { logging: { forward: {}, filter } },
      shutdownSignals: [],
    });
  } catch (error) {
    // A worker host in this process has already installed its logger.
    if (!(error instanceof Error) || error.name !== 'IllegalStateError') throw error;
  }
}

/** Bisects for the number of the first event that does not replay. */
async function findEvent(count: number, replays: (count: number) => Promise<boolean>): Promise<number> {
  let good = 0;
  let bad = count;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (middle < FIRST_TASK || (await replays(middle))) good = middle;
    else bad = middle;
  }
  return bad;
}

/** Before its third event, the start of the first workflow task, no code runs. */
const FIRST_TASK = 3;

/** A history of another engine is not evidence against this one. */
async function whyNotOurs({ history, workflowId }: RecordedHistory, codec: ReplayCodec): Promise<Problem | undefined> {
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  if (started?.workflowType?.name?.includes(':')) return undefined;
  const seen = await startIn(codec, history.events ?? [], workflowId);
  if (!seen?.given) return { code: 'history.invalid', message: 'It is not the history of a task' };
  const message = seen.begun && whyNotThisBuild(seen.begun.plan);
  if (message === undefined) return undefined;
  const suggestion = 'Replay it with a build that made such plans; its tasks need workers of such a build.';
  return { code: 'engine.unsupported', message, suggestion };
}

/** Reads large values from their store; writes none. */
class ReplayCodec extends SpillingCodec {
  missing: Problem | undefined;

  /** @param stored values that came along with the history. */
  constructor(
    { store, keys = payloadKeysOf(process.env) }: ReplayOptions,
    public stored?: RecordedHistory['stored'],
  ) {
    super(
      {
        put: async () => '',
        get: async (digest) => this.stored?.get(digest) ?? (await (store ?? nowhere).get(digest)),
      },
      keys,
    );
  }

  override async encode<Payloads>(payloads: Payloads): Promise<Payloads> {
    return payloads;
  }

  override async decode(payloads: Parameters<SpillingCodec['decode']>[0]): ReturnType<SpillingCodec['decode']> {
    try {
      return await super.decode(payloads);
    } catch (error) {
      if (error instanceof AbilityError) this.missing ??= error.toProblem();
      throw error;
    }
  }
}

const nowhere: Pick<Store, 'get'> = {
  get: async (digest) => {
    throw new AbilityError({
      code: 'store.not_shared',
      message: `The stored value ${digest} did not come along with the history, and there is no project here`,
      suggestion: 'Run this in the project, or point ABILITY_STORE to the folder its workers share.',
    });
  },
};

interface ReplayMismatch {
  /** Undefined if the SDK does not name the event. */
  eventId?: number;
  /** This build's command; completes "this build would". */
  wanted: string;
  /** Set if the history itself is invalid. */
  problem?: Problem;
}

/** Descriptions of the SDK's state machines; commands not listed here keep the SDK's words. */
const MACHINES: Record<string, string> = {
  Activity: 'start an activity',
  LocalActivity: 'start a local activity',
  'Local activity': 'start a local activity',
  Timer: 'start a timer',
  'Child workflow': 'call a workflow',
  'Complete workflow': 'end as succeeded',
  'Fail workflow': 'end as failed',
  'Cancel workflow': 'end as cancelled',
  'Continue as new workflow': 'go on as a new run',
  'Signal external WF': 'signal another workflow',
  'Cancel external WF': 'cancel another workflow',
  Update: 'answer an update',
};

const MACHINE = /^(.+?) machine does not handle this event: /;
const UNMATCHED = /^(.+?) of .+? '(.*)' does not match .+? command '(.*)'$/;
const EVENT = /HistoryEvent\(id: (\d+)/;

/** Translates an error of a replay into plain words. @throws other errors, such as of a broken bundle. */
function readMismatch(error: unknown): ReplayMismatch {
  if (!(error instanceof Error)) throw error;
  if (error.name === 'DeterminismViolationError') return readDifference(detailOf(error));
  if (error.name !== 'ReplayError') throw error;
  const detail = detailOf(error);
  // The workflow code threw an error where it should have continued.
  if (error.message.includes('workflow task failure')) return { wanted: `stop with an error: ${detail}` };
  return { wanted: '', problem: { code: 'history.invalid', message: `Temporal cannot follow it: ${detail}` } };
}

function readDifference(detail: string): ReplayMismatch {
  const event = EVENT.exec(detail)?.[1];
  return { ...(event !== undefined && { eventId: Number(event) }), wanted: wantedBy(detail) };
}

function wantedBy(detail: string): string {
  const machine = MACHINE.exec(detail)?.[1];
  if (machine !== undefined) return MACHINES[machine] ?? `do something else (${machine})`;
  const [, what, recorded, wanted] = UNMATCHED.exec(detail) ?? [];
  if (what !== undefined) return `have ${what.toLowerCase()} ${wanted} instead of ${recorded}`;
  if (/^No command scheduled for event|could not find a matching command/.test(detail)) return 'do nothing';
  if (detail.startsWith('Missing associated machine for ')) return 'not ask for it';
  return `do something else (${detail})`;
}

const MESSAGE = /Failure \{ message: "((?:[^"\\]|\\.)*)"/s;

/** The message of the SDK's core, extracted from Rust's debug output. */
function detailOf({ message }: Error): string {
  const quoted = MESSAGE.exec(message)?.[1];
  const detail = quoted === undefined ? message.replace(/^.*?Details: /s, '') : quoted.replace(/\\(["'\\])/g, '$1');
  return detail
    .replace(/^(\[TMPRL\d+\] )?Nondeterminism error: /, '')
    .replace(/^Fatal error in workflow machines: /, '');
}
