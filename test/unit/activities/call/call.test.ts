import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CallFailure } from '../../../../src/activities/call/call-failure.js';
import type { RequestedCall } from '../../../../src/activities/call/execute.js';
import { ACTIVITY_LIMITS } from '../../../../src/contracts/names.js';
import type { PlanHooks, PlanOperation } from '../../../../src/contracts/plan.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import { temporaryFolder } from '../../temporary-project.js';
import { keepingTracer } from '../traced.js';
import { attempt, type Ended, type OneAttempt, planOfCall, seenCall, withImplementation } from './one-attempt.js';

const DESTRUCTIVE = { operation: { effects: 'destructive' } } as const;
/** Its implementation may take longer than its step, which has a limit of a minute. */
const SLOWER_THAN_STEP = { operation: withImplementation({ timeout_ms: 120_000 }) };
/** A call that must not be repeated, unless its author says so, as here. */
const TWICE: OneAttempt = { ...DESTRUCTIVE, retry: retryOf(2) };
const TRACE = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;

function retryOf(attempts: number, errors?: string[]) {
  return { attempts, first: '1s', factor: 2, max: '30s', ...(errors && { errors }) };
}

afterEach(() => {
  vi.useRealTimers();
});

const fails =
  (code: string, facts: object = {}) =>
  () => {
    throw new CallFailure({ code, message: `it failed with ${code}` }, facts);
  };

/** A call that begins its effect, and then runs the passed function. */
const begun = (then: () => unknown) => async (call: RequestedCall) => {
  await call.begin();
  return then();
};

const aborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};

const logLines = ({ logs }: Ended, name = 'first'): { stream: string; text: string }[] => {
  const file = join(logs, `${name}.jsonl`);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { stream: string; text: string });
};

describe('a call is executed', () => {
  test('with its input over the parameters of the implementation, and defaults', async () => {
    const input_schema = { type: 'object', properties: { c: { type: 'integer', default: 3 } } };
    const execute = vi.fn((_: RequestedCall, __: PlanOperation) => ({ done: true }));
    const operation = { input_schema, ...withImplementation({ defaults: { a: 1 } }) };
    const { answer } = await attempt(execute, { operation, request: { with: { b: 2 } } });
    expect(execute.mock.calls[0]?.[0].input).toEqual({ a: 1, b: 2, c: 3 });
    expect(answer).toEqual({ output: { done: true } });
  });

  test('with the key of its task, and a key for its effect that all attempts share', async () => {
    const call = await seenCall({ info: { attempt: 2 } });
    expect(call).toMatchObject({ taskKey: 't-1', idempotencyKey: 't-1/first', path: 'first', ability: 'signup' });
  });

  test('without a task key in a direct run', async () => {
    const call = await seenCall({ seal: { task: 'direct:1' } });
    expect(call).toMatchObject({ taskKey: null, idempotencyKey: 'direct:1/first' });
  });

  test('within the trace of the request, and without one if the request had none', async () => {
    expect((await seenCall({ trace: TRACE })).trace).toBe(TRACE);
    expect(await seenCall()).not.toHaveProperty('trace');
  });

  test('within the span of its attempt if traces are written', async () => {
    const { trace } = await seenCall({ trace: TRACE, dependencies: { tracer: keepingTracer() } });
    expect(trace).toMatch(new RegExp(`^00-${'1'.repeat(32)}-`));
    expect(trace).not.toBe(TRACE);
  });

  test('with the time that its implementation may take', async () => {
    expect((await seenCall()).timeoutMs).toBe(1000);
  });
});

describe('a call is refused without being executed', () => {
  const refused = async (how: OneAttempt) => {
    const execute = vi.fn(() => null);
    const ended = await attempt(execute, how);
    expect(execute).not.toHaveBeenCalled();
    return ended;
  };

  test.each(['other', 'constructor', 'toString'])('of %s, which is not planned', async (activityType) => {
    const { failure } = await refused({ info: { activityType } });
    expect(failure).toMatchObject({ type: 'seal.invalid', nonRetryable: true });
  });

  test('of a task with another seal', async () => {
    const { failure } = await refused({ request: { seal: 'other' } });
    expect(failure).toMatchObject({ type: 'seal.invalid', nonRetryable: true });
  });

  test('with an input that its schema does not allow', async () => {
    const { failure } = await refused({ operation: { input_schema: { type: 'object', required: ['a'] } } });
    expect(failure).toMatchObject({ type: 'input.invalid', nonRetryable: true });
  });

  test('if its step has no time left', async () => {
    const { failure } = await refused({
      info: { scheduledTimestampMs: Date.now() - 120_000, currentAttemptScheduledTimestampMs: Date.now() },
    });
    expect(failure).toMatchObject({ type: 'timeout.step', nonRetryable: true });
  });
});

describe('a failed call', () => {
  test.each<[string, string, OneAttempt, boolean]>([
    ['is repeated', 'unavailable', {}, true],
    ['is not repeated after its last attempt', 'unavailable', { info: { attempt: 3 } }, false],
    [
      'is repeated as often as its step allows',
      'unavailable',
      { info: { attempt: 3 }, retry: { attempts: 4 } as never },
      true,
    ],
    ['is not repeated where its effect may not be', 'unavailable', DESTRUCTIVE, false],
    [
      'is not repeated for another code than its step lists',
      'unavailable',
      { retry: { errors: ['http.5xx'] } as never },
      false,
    ],
    [
      'is repeated where the condition of its step holds',
      'unavailable',
      { retry: { if: 'attempt == 1' } as never },
      true,
    ],
    ['is not repeated where that does not hold', 'unavailable', { retry: { if: 'attempt > 1' } as never }, false],
  ])('%s', async (_, code, how, repeated) => {
    const { failure } = await attempt(fails(code), how);
    expect(failure).toMatchObject({ type: code, nonRetryable: !repeated });
  });

  test('waits for the time of the retry policy', async () => {
    expect((await attempt(fails('unavailable'))).failure?.nextRetryDelay).toBeUndefined();
  });

  test('waits for a random part of that time if its step has jitter', async () => {
    const { failure } = await attempt(fails('unavailable'), { retry: { jitter: true } as never });
    expect(failure?.nextRetryDelay).toBeTypeOf('number');
  });

  test('of a step that is not a call has the attempts of its operation', async () => {
    const { failure } = await attempt(fails('unavailable'), { request: { path: 'elsewhere' } });
    expect(failure?.nonRetryable).toBe(false);
  });

  test('whose time limit was that of its step is a timeout of the step', async () => {
    const { failure } = await attempt(fails('timeout.call'), SLOWER_THAN_STEP);
    expect(failure).toMatchObject({ type: 'timeout.step', nonRetryable: true });
  });

  test('has its reason in its log, and masks what its log masks', async () => {
    const ended = await attempt((call) => {
      call.log.hide('s3cret');
      throw new CallFailure({ code: 'http.500', message: 'got s3cret' });
    });
    expect(ended.failure?.message).not.toContain('s3cret');
    expect(logLines(ended)).toMatchObject([{ stream: 'runtime', text: expect.stringMatching(/^got \*+$/) }]);
  });

  test('leaves no timer', async () => {
    vi.useFakeTimers();
    await attempt(fails('unavailable'));
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a heartbeat passes on to the next attempt', () => {
  test.each<[string, object, OneAttempt, unknown[]]>([
    ['that this one may have had its effect', { unclear: true }, {}, [{ attempt: 1, unclear: true }]],
    ['that this one was answered', { hasArrived: true }, {}, [{ attempt: 1, arrived: true }]],
    ['both', { unclear: true, hasArrived: true }, {}, [{ attempt: 1, unclear: true, arrived: true }]],
    ['nothing where neither is so', {}, {}, []],
    ['that this one ended, if it must not be repeated', {}, TWICE, [{ attempt: 1 }]],
    ['nothing where there is no next attempt', { unclear: true }, { info: { attempt: 3 } }, []],
  ])('%s', async (_, facts, how, beats) => {
    expect((await attempt(fails('unavailable', facts), how)).beats).toEqual(beats);
  });
});

describe('a call that is cancelled', () => {
  const cancelling: OneAttempt = { during: (environment) => environment.cancel('CANCELLED') };
  const cancelled = (execute: (call: RequestedCall) => unknown, how: OneAttempt = {}) =>
    attempt(
      async (call) => {
        await aborted(call.signal);
        return execute(call);
      },
      { ...cancelling, ...how },
    );

  test('ends as cancelled, whatever its target answers', async () => {
    const { failure } = await cancelled(fails('unavailable'));
    expect(failure).toMatchObject({ name: 'CancelledFailure' });
  });

  test('is unknown if it may have had an effect that must not be repeated', async () => {
    const { failure } = await cancelled(fails('unavailable', { unclear: true }), DESTRUCTIVE);
    expect(failure).toMatchObject({ type: 'outcome.unknown', details: [{}, { cut: true }] });
  });

  test('fails with its own error if its answer had arrived', async () => {
    const { failure } = await cancelled(fails('script.output_invalid', { hasArrived: true }));
    expect(failure).toMatchObject({ type: 'script.output_invalid', details: [{}, { arrived: true }] });
  });

  test.each<[string, () => unknown, string, OneAttempt]>([
    ['the cancellation', fails('unavailable'), 'cancelled', {}],
    [
      'what it failed with, where its answer had arrived',
      fails('output.too_large', { hasArrived: true }),
      'output.too_large',
      {},
    ],
  ])('has %s in its span', async (_, execute, error, how) => {
    const { spans } = await cancelled(execute, { ...how, dependencies: { tracer: keepingTracer() } });
    expect(spans).toMatchObject([{ error }]);
  });
});

describe('the span of an attempt', () => {
  test.each<[string, () => unknown, OneAttempt, string | undefined]>([
    ['none that succeeded', () => null, {}, undefined],
    ['its code', fails('unavailable'), {}, 'unavailable'],
    ['the limit of its step', fails('timeout.call'), SLOWER_THAN_STEP, 'timeout.step'],
    [
      'a mistake',
      () => {
        throw new TypeError('broken');
      },
      {},
      'internal.error',
    ],
  ])('has %s as its error', async (_, execute, how, error) => {
    const { spans } = await attempt(execute, { ...how, dependencies: { tracer: keepingTracer() } });
    expect(spans.map((span) => span.error)).toEqual([error]);
  });

  test.each([
    [true, 'script', ['{}', '{"a":1}']],
    [false, 'script', [undefined, undefined]],
    [true, 'model', [undefined, undefined]],
  ] as const)('has contents if the operator wants them (%s), of a %s', async (records, kind, contents) => {
    const model = kind === 'model' ? withImplementation({ kind, model: { name: 'm' } }) : {};
    const dependencies = { tracer: keepingTracer(records) };
    const { spans } = await attempt(() => ({ a: 1 }), { operation: model, dependencies });
    const { attributes = {} } = spans[0] ?? {};
    expect([attributes['gen_ai.tool.call.arguments'], attributes['gen_ai.tool.call.result']]).toEqual(contents);
  });
});

describe('the mark of an effect', () => {
  test('is left as the effect begins, if it must not be repeated', async () => {
    const { mark } = await attempt(
      begun(() => null),
      { ...DESTRUCTIVE, request: { groups: [2] } },
    );
    expect(mark.made).toEqual([
      [
        { project: 'acme', environment: 'staging', call: 't-1/first', groups: [2] },
        { run: 'r-1', activity: '7' },
      ],
    ]);
    expect(mark.removed).toEqual([]);
  });

  test('is left without groups if no group is repeated', async () => {
    const { mark } = await attempt(
      begun(() => null),
      DESTRUCTIVE,
    );
    expect(mark.made[0]?.[0].groups).toEqual([]);
  });

  test('is not left if the effect does not begin', async () => {
    expect((await attempt(() => null, DESTRUCTIVE)).mark.made).toEqual([]);
  });

  test('is not left if the effect may be repeated', async () => {
    expect((await attempt(begun(() => null))).mark.made).toEqual([]);
  });

  test('is removed if nothing was sent', async () => {
    const { mark } = await attempt(begun(fails('unavailable.connection')), DESTRUCTIVE);
    expect(mark.removed).toHaveLength(1);
  });

  test('that a slow store keeps too late lets the call not begin, with heartbeats meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
    try {
      const removed: unknown[] = [];
      const marks = {
        make: async () => {
          await vi.advanceTimersByTimeAsync(8000);
          return 'made' as const;
        },
        remove: async (call: unknown) => void removed.push(call),
      };
      const done = vi.fn();
      const { failure, beats } = await attempt(begun(done), { ...DESTRUCTIVE, dependencies: { marks } });
      expect(failure).toMatchObject({ type: 'timeout.call', message: expect.stringMatching(/before it began/) });
      expect(done).not.toHaveBeenCalled();
      expect(removed).toHaveLength(1);
      expect(beats.length).toBeGreaterThanOrEqual(4);
    } finally {
      vi.useRealTimers();
    }
  });

  test('of another run ends the call as unknown, with advice on how to continue', async () => {
    const marks = { make: async () => ({ run: 'r-0', activity: '5' }), remove: async () => {} };
    const done = vi.fn();
    const { failure } = await attempt(begun(done), { ...DESTRUCTIVE, dependencies: { marks } });
    expect(failure).toMatchObject({ type: 'outcome.unknown', details: [{ suggestion: /ability task retry t-1/ }, {}] });
    expect(done).not.toHaveBeenCalled();
  });
});

describe('an attempt after one that did not report its end, of a call that must not be repeated', () => {
  const OWN = { make: async () => ({ run: 'r-1', activity: '7' }), remove: async () => {} };
  const second = (how: OneAttempt = {}, heartbeatDetails?: unknown): OneAttempt => ({
    ...TWICE,
    dependencies: { marks: OWN },
    info: { attempt: 2, heartbeatDetails },
    ...how,
  });

  test('is unknown if it fails, since the effect may have begun', async () => {
    const { failure } = await attempt(begun(fails('script.exit')), second());
    expect(failure).toMatchObject({
      type: 'outcome.unknown',
      details: [{ details: { seen: { code: 'script.exit' } } }, {}],
    });
  });

  test('succeeds if its own effect does', async () => {
    expect(
      (
        await attempt(
          begun(() => 1),
          second(),
        )
      ).answer,
    ).toMatchObject({ output: 1, attempt: 2 });
  });

  test('does nothing if the author allows no repetition of lost calls', async () => {
    const done = vi.fn();
    const retry = retryOf(3, ['unavailable']);
    const { failure } = await attempt(begun(done), second({ retry }));
    expect(done).not.toHaveBeenCalled();
    expect(failure).toMatchObject({
      type: 'outcome.unknown',
      nonRetryable: true,
      message: expect.stringMatching(/^An earlier attempt of t-1\/first was lost with its worker/),
      details: [{ suggestion: /ability task retry t-1/ }, {}],
    });
  });

  const asks = {
    call: 'op.find',
    with: {},
    happened: 'true',
    not_happened: 'false',
    output: '${{ output }}',
    wait_ms: 1,
    attempts: 1,
  };
  const askedFirst = { operation: { effects: 'destructive', unknown: asks } } as const;

  test('does nothing if it can be asked first what became of the lost one', async () => {
    const done = vi.fn();
    const { failure } = await attempt(begun(done), second(askedFirst));
    expect(done).not.toHaveBeenCalled();
    expect(failure).toMatchObject({ type: 'outcome.unknown', nonRetryable: true, message: /op\.find is asked first/ });
  });

  test('does not follow one of unclear outcome that can be asked about', async () => {
    const unclear = begun(fails('unavailable.connection', { unclear: true }));
    const first = { retry: retryOf(3), info: { attempt: 1 } };
    expect((await attempt(unclear, second({ ...askedFirst, ...first }))).failure).toMatchObject({
      type: 'outcome.unknown',
      nonRetryable: true,
    });
    const clear = await attempt(begun(fails('unavailable')), second({ ...askedFirst, ...first }));
    expect(clear.failure).toMatchObject({ type: 'unavailable', nonRetryable: false });
  });

  test('has a mark of its own if the lost one had no effect', async () => {
    const { mark } = await attempt(
      begun(() => null),
      { ...askedFirst, request: { after: 1 } },
    );
    expect(mark.made[0]?.[0]).toMatchObject({ call: 't-1/first', after: 1 });
  });

  test.each<[unknown, string | undefined]>([
    [{ n: 1 }, undefined],
    [{ n: 'x' }, 'script.output_invalid'],
  ])('of a question is refused if %j breaks the contract of the lost call', async (output, code) => {
    const output_schema = { type: 'object', properties: { n: { type: 'integer' } } };
    const { operations } = planOfCall();
    const lost = { ...(operations['db.write'] as PlanOperation), key: 'op.pay', output_schema, unknown: asks };
    const plan = { operations: { ...operations, 'op.pay': lost } };
    const about = { operation: 'op.pay', idempotency_key: 'k', input: {} };
    expect((await attempt(() => output, { plan, request: { about } })).failure?.type).toBe(code);
  });

  test.each([['timeout'], ['timeout.call']])('goes on if the author allows it for %s', async (error) => {
    const done = vi.fn();
    await attempt(begun(done), second({ retry: retryOf(2, [error]) }));
    expect(done).toHaveBeenCalled();
  });

  test('is unknown if a guard denies it, and if it is cancelled, before it looks for the mark', async () => {
    expect((await attempt(fails('guard.denied'), second())).failure).toMatchObject({ type: 'outcome.unknown' });
    const { failure } = await attempt(
      fails('unavailable'),
      second({ during: (environment) => environment.cancel('CANCELLED') }),
    );
    expect(failure).toMatchObject({ type: 'outcome.unknown' });
  });

  test('leaves to a third one that the outcome is unclear', async () => {
    const retry = retryOf(3);
    const { beats } = await attempt(begun(fails('script.exit')), second({ retry }));
    expect(beats).toEqual([{ attempt: 2, unclear: true }]);
    const third = { retry, info: { attempt: 3, heartbeatDetails: beats[0] } };
    expect((await attempt(begun(fails('script.exit')), second(third))).failure).toMatchObject({
      type: 'outcome.unknown',
    });
  });

  test.each<[string, OneAttempt]>([
    ['it reported its end', second({}, { attempt: 1 })],
    ['it had not begun, since it left no mark', { ...TWICE, info: { attempt: 2 } }],
    ['the call may be repeated', { info: { attempt: 2 } }],
  ])('fails as any other if %s', async (_, how) => {
    expect((await attempt(begun(fails('script.exit')), how)).failure).toMatchObject({ type: 'script.exit' });
  });
});

test('an attempt whose admission takes long sends heartbeats meanwhile', async () => {
  vi.useFakeTimers();
  const plans = {
    admit: async () => {
      await vi.advanceTimersByTimeAsync(ACTIVITY_LIMITS.heartbeat);
      throw new AbilityError({ code: 'seal.unknown_key', message: 'not mine' });
    },
  } as never;
  const { beats, failure } = await attempt(() => null, { dependencies: { plans } });
  expect(beats).toHaveLength(4);
  expect(failure).toMatchObject({ type: 'seal.unknown_key' });
  expect(vi.getTimerCount()).toBe(0);
});

describe('an answer that cannot be used', () => {
  const invalid = { operation: { output_schema: { type: 'object', required: ['id'] } } };

  test('means that the call was made, if its effect had begun', async () => {
    const { failure } = await attempt(
      begun(() => ({})),
      invalid,
    );
    expect(failure).toMatchObject({
      type: 'script.output_invalid',
      message: /^The call was made/,
      details: [{}, { arrived: true }],
    });
  });

  test('does not mean that if its effect had not begun', async () => {
    const { failure } = await attempt(() => ({}), invalid);
    expect(failure?.type).toBe('script.output_invalid');
    expect(failure?.details[1]).not.toHaveProperty('arrived');
  });
});

describe('the answer of a call', () => {
  test('has the number of its attempt, except for the first', async () => {
    expect((await attempt(() => 1, { info: { attempt: 2 } })).answer).toEqual({ output: 1, attempt: 2 });
  });

  test('has the files that the call made', async () => {
    const { answer } = await attempt(async ({ files }) => {
      files.made.report = await files.keep(async () => Readable.from([Buffer.from('a')]), { name: 'a.txt' });
      return null;
    });
    expect(answer?.files).toMatchObject({ report: { name: 'a.txt', bytes: 1 } });
  });

  test('has a warning if its log cannot be written', async () => {
    const logs = temporaryFolder();
    writeFileSync(join(logs, 'file'), '');
    const records = { logsOf: () => join(logs, 'file'), sharedLog: () => undefined } as never;
    const { answer } = await attempt(({ log }) => log.add('stdout', 'hello'), { dependencies: { records } });
    expect(answer?.warnings).toEqual([expect.stringContaining('log')]);
  });

  test('leaves the printed text in its log', async () => {
    const ended = await attempt(({ log }) => log.add('stdout', 'hello'));
    expect(logLines(ended)).toMatchObject([{ stream: 'stdout', text: 'hello', step: 'first', attempt: 1 }]);
  });

  test('leaves a log of requests alone in the shared file', async () => {
    const { logs } = await attempt(({ log }) => log.add('request', 'GET /'));
    expect(readdirSync(logs)).toEqual([expect.stringMatching(/^requests\./)]);
  });

  test('leaves no folder of the call', async () => {
    const open = async () => temporaryFolder();
    const folders = { open: vi.fn(open) };
    const files = { store: {} as never, folders };
    await attempt(({ files: own }) => own.folder(), { dependencies: { files } });
    expect(existsSync((await folders.open.mock.results[0]?.value) as string)).toBe(false);
  });

  test('gives a call the files of its task, and the space that is left', async () => {
    const file = { $file: 'a'.repeat(64), name: 'f', bytes: 1, media_type: 'text/plain' };
    const opened = async (files: string[]) =>
      (await attempt(async (call) => void (await call.files.copyOf(file)), { request: { files } })).failure?.type;
    expect(await opened([])).toBe('file.not_of_task');
    expect(await opened([file.$file])).toBe('store.not_shared');
    const full = await attempt(
      ({ files }) => files.keep(async () => Readable.from([Buffer.from('ab')]), { name: 'a' }),
      { request: { file_room: 1 } },
    );
    expect(full.failure?.type).toBe('file.too_large');
  });
});

describe('the built-in hooks of a call', () => {
  const hook = (name: string, options: object = {}) =>
    ({ id: name, handler: { kind: 'builtin', name, options } }) as PlanHooks['pre_call'][number];
  const scope = (allow: string) => hook('environment_scope', { allow: [allow] });
  const hooks = (of: Partial<PlanHooks>) => ({
    operation: { hooks: { pre_create: [], pre_call: [], post_call: [], ...of } },
  });

  test('may deny it, and then it is not executed', async () => {
    const execute = vi.fn();
    const { failure } = await attempt(execute, hooks({ pre_call: [scope('dev')] }));
    expect(failure).toMatchObject({ type: 'guard.denied', details: [{}, { hooks: [{ decision: 'deny' }] }] });
    expect(execute).not.toHaveBeenCalled();
  });

  test('that allow it leave only their durations', async () => {
    const { answer } = await attempt(() => 1, hooks({ pre_call: [scope('staging')], post_call: [hook('usage')] }));
    expect(answer).toEqual({ output: 1, allowed: true, allowed_ms: [expect.any(Number), expect.any(Number)] });
  });

  test('before it have answered in the activity of their phase, if the history shows hooks', async () => {
    const how = hooks({ pre_call: [scope('dev')], post_call: [hook('usage')] });
    const { answer, used } = await attempt(() => 1, { ...how, plan: { hooks: 'activities' } });
    expect(answer).toEqual({ output: 1, allowed: true, allowed_ms: [expect.any(Number)] });
    expect(used).toHaveLength(1);
  });

  test('leave their whole answers if one of them reports more', async () => {
    const post_call = [hook('usage'), scope('dev')];
    const { answer } = await attempt(() => 1, hooks({ post_call }));
    expect(answer?.hooks).toMatchObject([{ hook_id: 'usage' }, { hook_id: 'environment_scope', decision: 'deny' }]);
    expect(answer).not.toHaveProperty('allowed');
  });

  test.each<[string, () => unknown]>([
    ['succeeded', () => 1],
    ['failed', fails('unavailable')],
  ])('are run once after it %s', async (status, execute) => {
    const { used } = await attempt(execute, hooks({ post_call: [hook('usage')] }));
    expect(used).toMatchObject([{ status, ability_id: 'db.write', task_id: 't-1', step: 'first' }]);
  });

  test.each([
    ['agent', 1],
    ['ci', 0],
    [undefined, 1],
  ] as const)('run for their callers, and if the caller is unknown: %s', async (caller, count) => {
    const usage = { ...hook('usage'), callers: ['agent' as const] };
    const { used } = await attempt(() => 1, { ...hooks({ post_call: [usage] }), seal: caller ? { caller } : {} });
    expect(used).toHaveLength(count);
  });

  test('do not include others, which run as activities of their own', async () => {
    const script = { id: 's', handler: { kind: 'script', script: {}, timeout_ms: 1 } } as never;
    const { answer } = await attempt(() => 1, hooks({ pre_call: [script], post_call: [script] }));
    expect(answer).toEqual({ output: 1 });
  });
});

describe('an answer that cannot be stored', () => {
  const full = (): Promise<never> => Promise.reject(new AbilityError({ code: 'store.full', message: 'no room' }));
  const stored = (how: OneAttempt, storeLarge = full) =>
    attempt(
      begun(() => 1),
      { ...how, dependencies: { storeLarge } },
    );

  test('fails a call that may be repeated, as one that was made', async () => {
    const { failure } = await stored({});
    expect(failure).toMatchObject({ type: 'store.full', message: 'no room', details: [{}, { arrived: true }] });
  });

  test('is an unknown outcome of a call that must not be repeated', async () => {
    const { failure } = await stored(DESTRUCTIVE);
    expect(failure).toMatchObject({
      type: 'outcome.unknown',
      details: [{ details: { seen: { code: 'store.full' } } }, {}],
    });
  });

  test('is a bug if its cause is one', async () => {
    const { failure } = await stored({}, () => Promise.reject(new TypeError('broken')));
    expect(failure?.type).toBe('internal.error');
  });

  test('does not run the hooks after the call a second time', async () => {
    const usage = { id: 'usage', handler: { kind: 'builtin', name: 'usage', options: {} } } as never;
    const { used } = await stored({ operation: { hooks: { pre_create: [], pre_call: [], post_call: [usage] } } });
    expect(used).toMatchObject([{ status: 'succeeded' }]);
  });

  test('is measured against the limit of the plan', async () => {
    const storeLarge = vi.fn(async () => {});
    await attempt(() => 1, { dependencies: { storeLarge } });
    expect(storeLarge).toHaveBeenCalledWith({ output: 1 }, 1000);
  });
});
