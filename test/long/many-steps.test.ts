import { afterAll, beforeAll, expect, test } from 'vitest';
import { startIn } from '../../src/server/temporal/read-start.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { apiAbility } from '../fixtures/servers/definitions.js';
import { json, type RecordingService, startService } from '../fixtures/servers/recording-service.js';

/** The most that the next run of a task may receive. Source: issue "The engine". */
const MOST_BYTES = 512 * 1024;
const CALLS = 5000;

let flows: Flows;
let service: RecordingService;

beforeAll(async () => {
  service = await startService();
  service.on('/echo', (response, request, nth) => json({ echo: request.query.get('n') ?? '' })(response, request, nth));
  flows = await startFlows({
    ...apiAbility('util.call', service.origin, { method: 'GET', path: '/echo' }),
    ...apiAbility(
      'util.watched',
      service.origin,
      { method: 'GET', path: '/echo' },
      {
        more: { hooks: { pre_call: ['lets_pass', 'warns'] } },
      },
    ),
    'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: lets_pass, handler: { expression: { deny_if: "false", reason: Never. } } }
  - { id: warns, handler: { expression: { warn_if: "true", reason: It is done again. } } }
`,
  });
});
afterAll(async () => {
  await flows.project.stop();
  await service.stop();
});

/** One run of a task: the bytes it was started with, including stored values, and how many of them it carried. */
interface Run {
  bytes: number;
  carried: number;
  events: number;
}

/** The runs of a task, in order. */
async function runsOf(id: string): Promise<Run[]> {
  const { temporal, codec } = flows.project.connection;
  const runs: Run[] = [];
  const { raw } = await temporal.workflow.getHandle(id).describe();
  let runId: string | undefined = raw.workflowExecutionInfo?.firstRunId ?? undefined;
  while (runId) {
    const { events } = await temporal.workflow.getHandle(id, runId).fetchHistory();
    const input = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    const whole = await codec.decode(input);
    const bytes = whole.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
    const start = await startIn(codec, events ?? [], id);
    const { progress, carried, warnings } = start?.begun ?? {};
    const state = Buffer.byteLength(JSON.stringify({ progress, carried, warnings }));
    runs.push({ bytes, carried: state, events: events?.length ?? 0 });
    runId = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return runs;
}

const list = (length: number) => Array.from({ length }, (_, n) => n);
const call = (name: string, n: string) => `{ id: one, call: ${name}, with: { n: "\${{ string(${n}) }}" } }`;

test.each([
  [
    'one loop in another',
    `steps: [{ id: outer, foreach: "input.outer", as: a, steps: [{ id: inner, foreach: "input.inner", as: b, max_parallel: 20, steps: [${call('util.call', 'a * 100 + b')}] }] }]`,
    { outer: list(CALLS / 100), inner: list(100) },
  ],
  [
    'many at once',
    `steps: [{ id: all, foreach: "input.items", as: n, max_parallel: 20, steps: [${call('util.call', 'n')}] }]`,
    { items: list(CALLS) },
  ],
  [
    'repeated',
    `steps: [{ id: all, repeat: { until: "n == ${CALLS - 1}", max: ${CALLS} }, index: n, steps: [${call('util.call', 'n')}] }]`,
    {},
  ],
  [
    'whose outputs are read later',
    `steps:
  - { id: all, foreach: "input.items", as: n, max_parallel: 20, steps: [${call('util.call', 'n')}] }
  - { id: more, foreach: "input.items", as: n, max_parallel: 20, steps: [${call('util.call', 'n').replace('one', 'two')}] }
output: "\${{ [size(steps.all.output), int(steps.all.output[${CALLS - 1}].echo)] }}"`,
    { items: list(CALLS) },
  ],
  [
    'written one by one',
    `steps:\n${list(CALLS)
      .map((n) => `- id: s${n}\n  call: util.call`)
      .join('\n')}`,
    {},
  ],
  [
    'whose hooks all have something to say',
    `steps: [{ id: all, foreach: "input.items", as: n, max_parallel: 20, steps: [${call('util.watched', 'n')}] }]`,
    { items: list(CALLS) },
  ],
])(
  'a task of 5,000 calls, %s, carries less than 512 KiB from run to run',
  async (name, yaml, input) => {
    const started = performance.now();
    const { id } = await flows.project.create(flows.define(`timeout: 30m\n${yaml}`), input);
    const end = await flows.project.wait(id, { timeoutMs: 900_000 });
    const seconds = Math.round((performance.now() - started) / 1000);
    const runs = await runsOf(id);
    console.log(
      `${name}: ${seconds} s; ${runs.map(({ bytes, carried, events }) => `${bytes} bytes, ${carried} of them carried, ${events} events`).join('; ')}`,
    );
    expect(end).toMatchObject({ kind: 'ended', result: { status: 'succeeded' } });
    expect(runs.length).toBeGreaterThan(1);
    for (const { carried } of runs) expect(carried).toBeLessThan(MOST_BYTES);
    // Steps written one by one are a large plan, which is not state.
    if (name !== 'written one by one') for (const { bytes } of runs) expect(bytes).toBeLessThan(MOST_BYTES);
  },
  1_000_000,
);
