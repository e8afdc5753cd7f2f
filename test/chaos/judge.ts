/** Whether a task ended as it must, given what the service and its users saw, and when processes died. */
import type { Connection } from '../../src/client/index.js';
import { EXIT_OF_STATE } from '../../src/contracts/states.js';
import type { Delivery, EffectService } from './effect-service.js';
import { type Course, TAKEN_BACK } from './everything.js';
import type { Lived } from './user.js';

/** One kill of the processes of one kind, at a time in milliseconds since the epoch. */
export interface Kill {
  kind: string;
  at: number;
  /** When everything was running again; undefined if the next kill came first. */
  backAt: number | undefined;
}

/** The verdict on one task. */
export interface Judged {
  key: string;
  /** By how many milliseconds its wait was late at most, apart from the time in which nothing ran. */
  late: number;
  faults: string[];
}

/** A call or a timer, from the history. Milliseconds since the epoch. */
interface Span {
  type: string;
  from: number;
  to: number;
}

/** Steps that must not be repeated, and the abilities they call. */
const ONCE = { 'evidence/charge': 'fx.once', purge: 'fx.purge' } as const;
const FORWARD = ['seed', 'evidence/left', 'evidence/right', 'evidence/charge', 'publish', 'purge', 'close'];
/** Steps with a fixed order; parallel ones have none among themselves. */
const IN_LINE = ['seed', 'evidence/left', 'publish', 'purge', 'close'];
const IGNORED = /^A decision \(\w+\) was ignored: /;
const SLACK_MS = 1000;
/** A timer that is due while nothing runs fires once something does; the machine may be busy. */
const MOST_LATE_MS = 30_000;

/** Judges one task. */
export async function judge(
  connection: Connection,
  task: Lived,
  effects: EffectService,
  kills: Kill[],
): Promise<Judged> {
  const { key, result, input, exitCode } = task;
  const faults: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds)
      faults.push(`${what} (${result.status}, ${JSON.stringify(result.error)}, ${result.steps.length} steps)`);
  };
  const prefix = `${key}/`;
  const sent = effects.deliveries.filter((one) => one.key.startsWith(prefix));
  const had = new Map(
    [...effects.effects].filter(([id]) => id.startsWith(prefix)).map(([id, n]) => [id.slice(prefix.length), n]),
  );
  const status = new Map(result.steps.map((step) => [step.path, step.status]));
  const { calls, waits } = await readSpans(connection, key, Number(input.wait_ms));

  must(hasOneKeyEach(sent), `an effect was sent under two keys, or a key with two effects: ${JSON.stringify(sent)}`);
  for (const [path, ability] of Object.entries(ONCE)) {
    const tries = sent.filter((one) => one.key === prefix + path);
    must(tries.length <= 1, `${path} was sent ${tries.length} times`);
    const isCut = tries.some((one) => one.isCut);
    const isUnknown = result.status === 'unknown' && result.error?.step === path.split('/').at(-1);
    must(!isCut || isUnknown, `${path} was under way when its caller died, and is not reported as unknown`);
    const call = calls.find(({ type }) => type === ability);
    const isHit = call !== undefined && kills.some(({ at }) => at > call.from - SLACK_MS && at < call.to + SLACK_MS);
    must(!isUnknown || isHit, `${path} is unknown, and no kill came while it was under way`);
  }

  const end = result.status === 'unknown' ? 'unknown' : ENDS[input.course as Course];
  must(result.status === end, `it should be ${end}`);
  must(exitCode === EXIT_OF_STATE[result.status], `the command that reported this ended with ${exitCode}`);
  if (result.status === 'unknown') must(result.error?.code === 'outcome.unknown', 'unknown for another reason');
  if (result.status === 'failed') must(result.error?.code === 'http.422' && result.error.step === 'close', 'failed');
  if (result.status === 'denied') must(result.error?.code === 'approval.denied', 'denied for another reason');
  if (result.status === 'succeeded') {
    for (const path of FORWARD) {
      const name = path.split('/').at(-1) as string;
      const output = (result.output ?? {}) as Record<string, unknown>;
      must(had.has(path) && output[name] === had.get(path), `${path}: ${output[name]} is not ${had.get(path)}`);
    }
  }
  const forward = FORWARD.filter((path) => status.get(path) === 'succeeded');
  must(
    forward.every((path) => had.has(path)),
    'a step succeeded without its effect',
  );
  must(had.has('cleanup') && result.cleanup_ran === true, 'the clean-up did not run');

  const toUndo = result.status === 'succeeded' ? [] : TAKEN_BACK.filter((path) => had.has(path));
  const undone = [...had.keys()].filter((path) => path.endsWith('.undo'));
  must(undone.join() === toUndo.map((path) => `${path}.undo`).join(), `undone: ${undone.join()}, not ${toUndo}`);
  const numbers = [...IN_LINE, ...toUndo.map((path) => `${path}.undo`), 'cleanup'].flatMap((id) => had.get(id) ?? []);
  must(isRising(numbers), `effects out of order: ${JSON.stringify([...had])}`);

  judgeDecisions(task, must);
  const late = Math.max(0, ...waits.map((wait) => latenessOf(wait, Number(input.wait_ms), kills)));
  must(waits.length === (status.get('settle') === 'succeeded' ? 1 : 0), `its wait was begun ${waits.length} times`);
  for (const { from, to } of waits) must(to - from >= Number(input.wait_ms) - 50, `waited ${to - from} ms only`);
  must(late < MOST_LATE_MS, `its wait ended ${late} ms late`);
  const warnings = result.warnings.filter((warning) => !IGNORED.test(warning));
  must(warnings.length === 0, `warnings: ${warnings.join('; ')}`);
  return { key, late, faults };
}

const ENDS = { succeeds: 'succeeded', fails: 'failed', denied: 'denied' } as const;

/**
 * Every acknowledged decision is recorded, once; an approval that was raised has as many decisions as it needs.
 */
function judgeDecisions({ result, acknowledged, input }: Lived, must: (holds: boolean, what: string) => void): void {
  const counted = result.approvals.flatMap(({ decisions }) =>
    decisions.map(({ by }) => (by === 'unnamed' ? by : by.name)),
  );
  must(new Set(counted).size === counted.length, `decided twice: ${counted.join()}`);
  must(
    acknowledged.every((by) => counted.includes(by)),
    `acknowledged: ${acknowledged.join()}, counted: ${counted.join()}`,
  );
  const wanted = result.approvals.length === 0 ? 0 : input.course === 'denied' ? 1 : 2;
  must(result.approvals.length <= 1 && counted.length === wanted, `${counted.length} decisions, not ${wanted}`);
}

/** Within one task each effect has one key, and each key one request, however often it was sent. */
function hasOneKeyEach(sent: Delivery[]): boolean {
  const keys = new Set(sent.map(({ key }) => key));
  const names = new Set(sent.map(({ name }) => name));
  return keys.size === names.size && keys.size === new Set(sent.map(({ key, name, body }) => key + name + body)).size;
}

function isRising(numbers: number[]): boolean {
  return numbers.every((n, at) => at === 0 || n > (numbers[at - 1] as number));
}

/** How long after its due time a wait ended; time in which not everything ran does not count. */
function latenessOf({ from, to }: Span, waitMs: number, kills: Kill[]): number {
  let due = from + waitMs;
  for (const [at, kill] of kills.entries()) {
    const backAt = kills.slice(at).find((later) => later.backAt !== undefined)?.backAt ?? Number.POSITIVE_INFINITY;
    // What is due when everything dies, or a moment earlier, fires when everything is back.
    if (kill.at < due + SLACK_MS && due < backAt && kill.at < to) due = backAt;
  }
  return Math.max(0, to - due);
}

/** The calls of a task, and those of its waits of this length that ended. */
async function readSpans(
  connection: Connection,
  key: string,
  waitMs: number,
): Promise<{ calls: Span[]; waits: Span[] }> {
  const { events = [] } = await connection.temporal.workflow.getHandle(key).fetchHistory();
  const calls: Span[] = [];
  const waits: Span[] = [];
  const begun = new Map<number, { type: string; from: number }>();
  for (const event of events ?? []) {
    const at = millisOf(event.eventTime);
    const id = Number(event.eventId);
    const { timerStartedEventAttributes: timer, activityTaskScheduledEventAttributes: scheduled } = event;
    if (timer && millisOf(timer.startToFireTimeout) === waitMs) begun.set(id, { type: 'timer', from: at });
    if (scheduled) begun.set(id, { type: scheduled.activityType?.name ?? '', from: at });
    const { activityTaskStartedEventAttributes: started, timerFiredEventAttributes: fired } = event;
    const call = begun.get(Number(started?.scheduledEventId));
    if (call) call.from = at;
    const wait = begun.get(Number(fired?.startedEventId));
    if (wait) waits.push({ ...wait, to: at });
    const closed =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    const ended = begun.get(Number(closed?.scheduledEventId));
    if (ended) calls.push({ ...ended, to: at });
  }
  return { calls, waits };
}

function millisOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1000 + Math.round((time?.nanos ?? 0) / 1e6);
}
