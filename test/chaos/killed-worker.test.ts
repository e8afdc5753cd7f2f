import { afterAll, beforeAll, expect, test } from 'vitest';
import { LONG } from '../fixtures/extent.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';
import { type EffectService, startEffects } from './effect-service.js';
import { SEED, say, WHOLE } from './extent.js';
import { type KilledTask, killThroughout, type MatrixReport } from './kill-matrix.js';
import { type Lane, openLane } from './lane.js';
import type { Course } from './lockstep.js';

/** Most of the time of a kill is spent waiting, so several can share a processor. */
const LANES = WHOLE ? 6 : 3;
const LIMIT_MS = WHOLE ? 30 * 60_000 : 4 * 60_000;

let server: TestServer;
let effects: EffectService;
let lanes: Lane[];

beforeAll(async () => {
  server = await startTemporal();
  effects = await startEffects();
  lanes = await Promise.all(Array.from({ length: LANES }, () => openLane(server.address, effects)));
});
afterAll(async () => {
  await Promise.all(lanes.map((lane) => lane.stop()));
  await effects.stop();
  await server.stop();
});

const ORDERS: Course['order'][] = ['forwards', 'backwards', 'together'];

/** What differs from seed to seed. */
function courseOf(seed: number): Course {
  return { order: ORDERS[seed % 3] as Course['order'], decision: seed % 2 === 0 ? 'command' : 'signal' };
}

/** Each effect took place exactly once, whatever was sent twice; a repetition sends the same request. */
function expectEachOnce({ deliveries, effects: had }: KilledTask, keys: string[]): void {
  expect([...had.keys()].sort()).toEqual([...keys].sort());
  const bodies = new Map<string, Set<string>>();
  for (const { key, body, name } of deliveries) bodies.set(key, (bodies.get(key) ?? new Set()).add(`${name} ${body}`));
  for (const [key, requests] of bodies) expect([key, requests.size]).toEqual([key, 1]);
}

/** An acknowledged decision is recorded. */
function expectDecision({ result, acknowledged }: KilledTask): void {
  expect(result.approvals).toMatchObject([{ status: 'approved', decisions: [{ by: { name: 'ann' } }] }]);
  expect(result.approvals[0]?.decisions).toHaveLength(1);
  expect(acknowledged).toBe(true);
}

/** Steps in the order in which their effects took place. */
const inOrder = ({ effects: had }: KilledTask, steps: string[]) =>
  [...had].sort(([, a], [, b]) => a - b).flatMap(([key]) => (steps.includes(key) ? [key] : []));

const DONE = ['seed', 'evidence/left', 'evidence/right', 'publish', 'note'];

function checkSuccess(end: KilledTask): void {
  const { result, effects: had } = end;
  const n = (key: string) => had.get(key);
  expectEachOnce(end, [...DONE, 'close', 'cleanup']);
  expect(result).toMatchObject({ status: 'succeeded', error: null, warnings: [], cleanup_ran: true });
  expect(new Set(result.steps.map(({ status }) => status))).toEqual(new Set(['succeeded']));
  expect(result.output).toEqual({
    seed: n('seed'),
    left: n('evidence/left'),
    right: n('evidence/right'),
    ask: 'ann',
    publish: n('publish'),
    note: n('note'),
    close: n('close'),
  });
  const line = ['seed', 'publish', 'note', 'close', 'cleanup'];
  expect(inOrder(end, line)).toEqual(line);
  expectDecision(end);
}

function checkFailure(end: KilledTask): void {
  const { result } = end;
  expectEachOnce(end, [...DONE, 'publish.undo', 'seed.undo', 'cleanup']);
  const error = { code: 'http.422', step: 'close' };
  expect(result).toMatchObject({ status: 'failed', output: null, error, warnings: [], cleanup_ran: true });
  const statuses = Object.fromEntries(result.steps.map(({ path, status }) => [path, status]));
  expect(statuses).toEqual({
    ...Object.fromEntries(
      [...DONE, 'evidence', 'ask', 'publish.undo', 'seed.undo', 'cleanup'].map((at) => [at, 'succeeded']),
    ),
    close: 'failed',
  });
  const line = ['seed', 'publish', 'note', 'publish.undo', 'seed.undo', 'cleanup'];
  expect(inOrder(end, line)).toEqual(line);
  expectDecision(end);
}

function expectAll({ kills, missed, wrong }: MatrixReport): void {
  say(`${kills} kills`);
  expect({ missed, wrong }).toEqual({ missed: [], wrong: [] });
}

const seeds = WHOLE ? [SEED, SEED + 1, SEED + 2] : [SEED];

for (const seed of seeds) {
  const course = courseOf(seed);
  const label = `seed ${seed}, ${course.order}, ${course.decision}`;
  test.runIf(WHOLE)(
    `kill -9 after each event of a task of six steps: it succeeds, each effect exactly once (${label})`,
    { ...LONG, timeout: LIMIT_MS },
    async () => {
      const wanted = { ability: 'six_steps', input: { fails: false } };
      expectAll(await killThroughout(lanes, { name: `succeeds, ${label}`, seed, wanted, course, check: checkSuccess }));
    },
  );

  test(`kill -9 after ${WHOLE ? 'each event' : 'some events'} of a task that fails: what was done is undone, each effect exactly once (${label})`, {
    ...LONG,
    timeout: LIMIT_MS,
  }, async () => {
    const wanted = { ability: 'six_steps', input: { fails: true } };
    const matrix = {
      name: `fails, ${label}`,
      seed,
      wanted,
      course,
      check: checkFailure,
      ...(!WHOLE && { kills: 9 }),
    };
    expectAll(await killThroughout(lanes, matrix));
  });
}

test(
  `kill -9 around a call that must not be repeated: it is sent at most once, and reported as unknown if its outcome is not known (seed ${SEED})`,
  async () => {
    const check = ({ events, deliveries, effects: had, result }: KilledTask): void => {
      const count = (wanted: string): number => events.filter(({ type }) => type === wanted).length;
      // It is the second of three calls.
      const isUnderWay = count('ActivityTaskScheduled') === 2 && count('ActivityTaskCompleted') === 1;
      expect(deliveries.filter(({ name }) => name === 'once').length).toBeLessThanOrEqual(1);
      if (isUnderWay) {
        expect(result).toMatchObject({ status: 'unknown', error: { code: 'outcome.unknown', step: 'once' } });
      } else {
        expect(result).toMatchObject({ status: 'succeeded', error: null });
        expect(had.has('once')).toBe(true);
      }
      expect(result).toMatchObject({ cleanup_ran: true });
      expect([had.has('before'), had.has('cleanup')]).toEqual([true, true]);
    };
    const course = courseOf(SEED);
    const wanted = { ability: 'once', input: {} };
    const matrix = { name: `once, seed ${SEED}`, seed: SEED, wanted, course, check, ...(!WHOLE && { kills: 5 }) };
    expectAll(await killThroughout(lanes, matrix));
  },
  LIMIT_MS,
);
