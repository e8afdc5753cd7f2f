import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { describe, expect, test, vi } from 'vitest';
import { ACTIVITIES } from '../../../../src/contracts/names.js';
import type { Formed } from '../../../../src/contracts/task.js';
import { nextArguments, startOf } from '../../../../src/rules/tasks/task-arguments.js';
import { findAnswer, type HistoryEvent, readStart, startIn } from '../../../../src/server/temporal/read-start.js';
import { examplePlan } from '../../rules/example-plan.js';

const FORMED: Formed = { seal: { key_id: 'k', mac: 'm' }, plan: examplePlan() };
const OTHER: Formed = { ...FORMED, warnings: ['other'] };
const GIVEN = { input: { n: 1 }, options: { user: { name: 'ada' } } };
const BEGUN = startOf(GIVEN, FORMED, 't-1');
const CODEC = { decode: async (payloads: Payload[]) => payloads };

const payloads = (...values: unknown[]): Payload[] => values.map((value) => defaultPayloadConverter.toPayload(value));
const event = (attributes: object): HistoryEvent => attributes as HistoryEvent;
const started = (args: unknown[] = [GIVEN.input, GIVEN.options], more: object = {}): HistoryEvent =>
  event({ workflowExecutionStartedEventAttributes: { input: { payloads: payloads(...args) }, ...more } });
const marker = (type: string, answer: unknown): HistoryEvent => {
  const details = { data: { payloads: payloads({ activity_type: type }) }, result: { payloads: payloads(answer) } };
  return event({ markerRecordedEventAttributes: { markerName: 'core_local_activity', details } });
};
const preflight = (answer: unknown): HistoryEvent => marker(ACTIVITIES.preflight, answer);
const scheduled = (eventId: number, name: string): HistoryEvent =>
  event({ eventId, activityTaskScheduledEventAttributes: { activityType: { name } } });
const completed = (scheduledEventId: number, answer: unknown): HistoryEvent =>
  event({ activityTaskCompletedEventAttributes: { scheduledEventId, result: { payloads: payloads(answer) } } });
const signaled = event({ workflowExecutionSignaledEventAttributes: {} });

describe('the answer of a preflight', () => {
  test.each<[string, HistoryEvent[], unknown]>([
    ['is the result of its local activity', [started(), signaled, preflight(FORMED)], FORMED],
    [
      'may be the result of an ended task',
      [preflight({ ended: { status: 'denied' } })],
      { ended: { status: 'denied' } },
    ],
    [
      'is that of the activity for hooks, if there was one',
      [preflight({ dedicated: true }), scheduled(9, 'PreAbilityCreate'), completed(9, FORMED)],
      FORMED,
    ],
    [
      'is not there while that activity runs',
      [preflight({ dedicated: true }), scheduled(9, 'PreAbilityCreate')],
      undefined,
    ],
    ['is not that of another local activity', [marker(ACTIVITIES.findLink, FORMED)], undefined],
    ['is not that of another activity', [scheduled(9, 'PreAbilityCall'), completed(9, FORMED)], undefined],
    ['is not that of an activity whose begin was not seen', [completed(9, FORMED)], undefined],
    ['is the first one', [preflight(FORMED), preflight(OTHER)], FORMED],
    ['is not there without events', [], undefined],
  ])('%s', async (_, events, answer) => {
    expect(await findAnswer(CODEC, events)).toEqual(answer);
  });

  test('that failed is none', async () => {
    const details = { data: { payloads: payloads({ activity_type: ACTIVITIES.preflight }) } };
    expect(
      await findAnswer(CODEC, [event({ markerRecordedEventAttributes: { details, failure: {} } })]),
    ).toBeUndefined();
  });

  test('is decoded', async () => {
    const decode = vi.fn(async () => payloads(OTHER));
    expect(await findAnswer({ decode }, [preflight('packed')])).toEqual(OTHER);
    expect(decode).toHaveBeenCalledWith(payloads('packed'));
  });
});

describe('the start of a run', () => {
  test('has what it was given and, once its preflight has ended, what it begins with', async () => {
    const first = started();
    expect(await startIn(CODEC, [first], 't-1')).toEqual({ first, given: GIVEN });
    expect(await startIn(CODEC, [first, preflight(FORMED)], 't-1')).toEqual({ first, given: GIVEN, begun: BEGUN });
  });

  test('begins nothing if it was answered from the record of an ended task', async () => {
    const seen = await startIn(CODEC, [started(), preflight({ ended: { status: 'denied' } })], 't-1');
    expect(seen).toEqual({ first: started(), given: GIVEN });
  });

  test('may be one without arguments', async () => {
    const first = event({ workflowExecutionStartedEventAttributes: {} });
    expect(await startIn(CODEC, [first], 't-1')).toEqual({ first, given: { input: {}, options: {} } });
  });

  test.each<[string, object]>([
    ['of an earlier run', { continuedExecutionRunId: 'r-0' }],
    ['of a task that called it', { parentWorkflowExecution: { workflowId: 'k', runId: 'r' } }],
  ])('has what was handed over, if it is that %s', async (_, more) => {
    const seen = await startIn(CODEC, [started(nextArguments(BEGUN), more)], 't-1');
    expect(seen).toMatchObject({ begun: BEGUN, given: { input: { n: 1 }, options: GIVEN.options } });
  });

  test('has nothing that was handed over by nobody', async () => {
    const first = started(nextArguments(BEGUN));
    expect(await startIn(CODEC, [first, preflight(FORMED)], 't-1')).toEqual({ first });
    const unlike = started([{}, {}, 'text'], { continuedExecutionRunId: 'r-0' });
    expect(await startIn(CODEC, [unlike], 't-1')).toEqual({ first: unlike });
  });

  test.each<[string, unknown[]]>([
    ['an input that is no object', ['text']],
    ['an option that there is not', [{}, { fast: true }]],
  ])('has no more than its first event with %s', async (_, args) => {
    const first = started(args);
    expect(await startIn(CODEC, [first, preflight(FORMED)], 't-1')).toEqual({ first });
  });

  test('has no more than its first event if its arguments are those of a foreign workflow', async () => {
    const foreign = { metadata: { encoding: Buffer.from('binary/own') }, data: Buffer.from('x') };
    const first = event({ workflowExecutionStartedEventAttributes: { input: { payloads: [foreign] } } });
    expect(await startIn(CODEC, [first], 't-1')).toEqual({ first });
  });

  test('is none without the first event', async () => {
    expect(await startIn(CODEC, [], 't-1')).toBeUndefined();
    expect(await startIn(CODEC, [signaled], 't-1')).toBeUndefined();
  });
});

describe('reading the start of a run', () => {
  /** A server with the history of a run, in pages of one event. */
  function serverWith(events: HistoryEvent[]) {
    const getWorkflowExecutionHistory = vi.fn(async ({ nextPageToken }: { nextPageToken?: Uint8Array }) => {
      const at = nextPageToken?.[0] ?? 0;
      const rest = at + 1 < events.length ? Uint8Array.of(at + 1) : new Uint8Array();
      return { history: { events: events.slice(at, at + 1) }, nextPageToken: rest };
    });
    const client = { workflowService: { getWorkflowExecutionHistory }, options: { namespace: 'default' } };
    const read = (runId?: string) => readStart(client as never, CODEC, { workflowId: 't-1', runId });
    return { read, getWorkflowExecutionHistory };
  }

  test('ends with the end of its preflight, however much comes later', async () => {
    const { read, getWorkflowExecutionHistory } = serverWith([started(), signaled, preflight(FORMED), signaled]);
    expect(await read()).toMatchObject({ given: GIVEN, begun: BEGUN });
    expect(getWorkflowExecutionHistory).toHaveBeenCalledTimes(3);
  });

  test('is of the named run', async () => {
    const { read, getWorkflowExecutionHistory } = serverWith([started()]);
    expect(await read('r-1')).toMatchObject({ given: GIVEN });
    expect(await read()).toMatchObject({ given: GIVEN });
    const [[first], [second]] = getWorkflowExecutionHistory.mock.calls as unknown as [[object], [object]];
    expect(first).toMatchObject({ namespace: 'default', execution: { workflowId: 't-1', runId: 'r-1' } });
    expect(second).toHaveProperty('execution', { workflowId: 't-1' });
  });

  test('reads a run without a preflight to its end, and a long one only in part', async () => {
    const refused = serverWith([started(), signaled]);
    expect(await refused.read()).toEqual({ first: started(), given: GIVEN });
    const long = serverWith([started(), ...Array<HistoryEvent>(100).fill(signaled)]);
    expect(await long.read()).toEqual({ first: started(), given: GIVEN });
    expect(long.getWorkflowExecutionHistory).toHaveBeenCalledTimes(20);
  });

  test('finds none where there are no events', async () => {
    expect(await serverWith([]).read()).toBeUndefined();
  });
});
