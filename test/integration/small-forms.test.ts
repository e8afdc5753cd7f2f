import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, openApprovals, retryTask } from '../../src/client/index.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { retryBy } from '../fixtures/caller.js';
import { type Flows, startFlows, statuses } from '../fixtures/flows.js';
import { apiAbility, scriptAbility } from '../fixtures/servers/definitions.js';
import { json, type RecordingService, startService } from '../fixtures/servers/recording-service.js';

let flows: Flows;
let service: RecordingService;

beforeAll(async () => {
  service = await startService();
  flows = await startFlows({
    ...scriptAbility('util.fast', 'scripts/fast.mjs', 'process.exit(1);', { body: { tags: ['fast'] } }),
    ...apiAbility('svc.busy', service.origin, { method: 'GET', path: '/busy' }, { more: { effects: 'read' } }),
    ...apiAbility('svc.add', service.origin, { method: 'POST', path: '/add' }, { more: { effects: 'write_additive' } }),
  });
});
afterAll(async () => {
  await flows.project.stop();
  await service.stop();
});

describe('`retry.if` of a call', () => {
  test('sees the error with its details and the number of the attempt, and ends the attempts if it is false', async () => {
    service.on('/busy', json({ wait: true }, 503));
    const result = await flows.run(`
steps:
  - id: a
    call: svc.busy
    retry: { attempts: 5, first: 10ms, if: "error.code == 'http.503' && error.details.status == 503 && attempt < 3" }`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'http.503' }, steps: [{ attempts: 3 }] });
    expect(service.requestsOf('/busy')).toHaveLength(3);
  });

  test('cannot allow what the error itself or `errors` refuse', async () => {
    service.on('/busy', json({}, 404));
    const before = service.requestsOf('/busy').length;
    const result = await flows.run(
      'steps: [{ id: a, call: svc.busy, retry: { attempts: 3, first: 10ms, if: "true" } }]',
    );
    expect(result).toMatchObject({ status: 'failed', error: { code: 'http.404' } });
    expect(service.requestsOf('/busy').length - before).toBe(1);
  });

  test('that fails ends the attempts: the failure stays unchanged, and states why there was no other attempt', async () => {
    service.on('/busy', json({}, 503));
    const run = (condition: string) =>
      flows.run(`steps: [{ id: a, call: svc.busy, retry: { attempts: 3, first: 10ms, if: "${condition}" } }]`);
    const missing = await run('error.details.retry_after > 3');
    expect(missing).toMatchObject({ status: 'failed', error: { code: 'http.503' } });
    expect(missing.error?.message).toMatch(/not tried again, since `retry.if` failed: .*retry_after/);
    expect((await run('attempt')).error?.message).toContain('neither true nor false');
  });

  test('that refuses another attempt leaves a call with a possible effect unknown', async () => {
    service.on('/add', json({}, 504));
    const result = await flows.run(`
steps: [{ id: a, call: svc.add, retry: { attempts: 3, first: 10ms, errors: [http.504], if: "attempt < 2" } }]`);
    expect(result).toMatchObject({ status: 'unknown', error: { code: 'outcome.unknown' } });
    expect(service.requestsOf('/add')).toHaveLength(2);
  });

  test('applies to a call that runs as a local activity', async () => {
    const result = await flows.run(
      'steps: [{ id: a, call: util.fast, retry: { attempts: 5, first: 10ms, jitter: true, if: "attempt < 2" } }]',
    );
    expect(result).toMatchObject({ status: 'failed', steps: [{ attempts: 2 }] });
  });
});

test('a call with `jitter` waits between half and all of its delay, with as many events as without', async () => {
  service.on('/busy', (response, request, nth) => json({}, nth % 2 === 1 ? 503 : 200)(response, request, nth));
  const events = async (more: string): Promise<[number, number]> => {
    const result = await flows.run(
      `steps: [{ id: a, call: svc.busy, retry: { attempts: 2, first: 1s, factor: 1${more} } }]`,
    );
    expect(result).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2 }] });
    const handle = flows.project.connection.temporal.workflow.getHandle(result.task_key as string);
    return [(await handle.fetchHistory()).events?.length ?? 0, result.steps[0]?.duration_ms ?? 0];
  };
  const [plain] = await events('');
  const [jittered, ms] = await events(', jitter: true');
  expect(jittered).toBe(plain);
  expect(ms).toBeGreaterThanOrEqual(500);
});

test('`retry.if` of a group is evaluated in the workflow, and sees the step that failed', async () => {
  const file = flows.file('group.txt');
  const result = await flows.run(`
steps:
  - id: g
    retry: { attempts: 5, first: 10ms, jitter: true, if: "error.step == 'stop' && attempt < 3" }
    steps:
      - { id: note, call: util.note, with: { file: ${file}, text: again } }
      - { id: stop, fail: { code: app.no, message: no } }`);
  expect(result).toMatchObject({ status: 'failed', error: { code: 'app.no' } });
  expect(statuses(result)).toEqual({ g: 'failed', 'g/note': 'succeeded', 'g/stop': 'failed' });
  expect(flows.lines('group.txt')).toHaveLength(3);
});

describe('`steps.<id>.link`', () => {
  const approveOnce = async (id: string): Promise<TaskResult> => {
    const { connection, wait } = flows.project;
    const open = () => openApprovals(connection, id);
    await expect.poll(async () => (await open()).length, { timeout: 20_000 }).toBe(1);
    await decide(connection, id, 'approve', { by: 'alice' });
    const end = await wait(id);
    if (end.kind !== 'ended') throw new Error(`the task did not end: ${JSON.stringify(end)}`);
    return end.result;
  };

  test('is the link to an open approval for a parallel branch, and null before and after', async () => {
    const { id } = await flows.project.create(
      flows.define(`
steps:
  - { id: before, let: { link: "\${{ steps.go.link }}" } }
  - id: both
    parallel:
      go: { approval: { title: Go? } }
      tell: { call: util.echo, with: { link: "\${{ steps.go.link }}" } }
output: { before: "\${{ steps.before.output.link }}", sent: "\${{ steps.tell.output.link }}", after: "\${{ steps.go.link }}" }`),
    );
    const { output } = await approveOnce(id);
    const { ui, namespace } = flows.project.connection;
    expect(output).toEqual({ before: null, sent: `${ui}/namespaces/${namespace}/workflows/${id}`, after: null });
  });

  test('can be waited for by a branch that begins before the approval, item by item', async () => {
    const { id } = await flows.project.create(
      flows.define(`
steps:
  - id: all
    foreach: [1]
    as: n
    max_parallel: 2
    steps:
      - id: both
        parallel:
          tell: { steps: [{ id: opened, wait: { until: steps.go.link != null } }, { id: sent, let: { link: "\${{ steps.go.link }}" } }] }
          go: { approval: { title: Go? } }
output: "\${{ steps.all.output[0].tell.link }}"`),
    );
    expect((await approveOnce(id)).output).toContain(`/workflows/${id}`);
  });

  test('costs nothing in a task that does not read it', async () => {
    const events = async (value: string): Promise<string[]> => {
      const { task_key } = await flows.run(`steps: [{ id: a, wait: 0s }, { id: b, let: { v: "\${{ ${value} }}" } }]`);
      const handle = flows.project.connection.temporal.workflow.getHandle(task_key as string);
      return (await handle.fetchHistory()).events?.map(({ eventType }) => String(eventType)) ?? [];
    };
    expect((await events('steps.a.link')).length).toBe((await events('steps.a.output')).length + 1);
  });
});

describe('a template', () => {
  const NOTIFY = (file: string): string => `
templates:
  notify:
    input: [text, times]
    steps:
      - id: each
        foreach: input.times
        as: n
        steps: [{ id: note, call: util.note, with: { file: ${file}, text: "\${{ input.text }} \${{ n }}" } }]
      - id: both
        parallel: { left: { let: { size: "\${{ size(steps.each.output) }}" } }, right: { let: { text: "\${{ input.text }}" } } }
    output: "\${{ string(steps.left.output.size) + steps.right.output.text + steps.both.output.right.text }}"
`;

  test('runs its steps under the path of its use, each use with its own input', async () => {
    const result = await flows.run(`${NOTIFY(flows.file('template.txt'))}
steps:
  - { id: first, template: notify, with: { text: a, times: [1, 2] } }
  - { id: second, template: notify, with: { text: "\${{ steps.first.output }}", times: [3] } }
output: ["\${{ steps.first.output }}", "\${{ steps.second.output }}"]`);
    expect(result.output).toEqual(['2aa', '12aa2aa']);
    expect(flows.lines('template.txt')).toEqual(['a 1', 'a 2', '2aa 3']);
    expect(Object.keys(statuses(result))).toEqual(
      ['first', 'second'].flatMap((id) => [
        id,
        ...['input', 'each', 'each/*/note', 'both', 'both/left', 'both/right'].map((inner) => `${id}/${inner}`),
      ]),
    );
  });

  test('without an output returns the last output of what ran, and null if none of its steps ran', async () => {
    const result = await flows.run(`
templates: { may: { input: [n], steps: [{ id: a, if: input.n > 1, let: { n: "\${{ input.n }}" } }] } }
steps:
  - { id: one, template: may, with: { n: 1 } }
  - { id: two, template: may, with: { n: 2 } }
output: ["\${{ steps.one.output }}", "\${{ steps.two.output }}"]`);
    expect(result.output).toEqual([null, { n: 2 }]);
  });

  test('is tried again, handled and retried as a group, and reports the inner step', async () => {
    const file = flows.file('again.txt');
    const yaml = `
templates: { try: { input: [file], steps: [{ id: count, call: util.count, with: { file: "\${{ input.file }}" } }, { id: stop, if: steps.count.output.n < 3, fail: { code: app.early, message: no } }] } }
steps:
  - { id: a, template: try, with: { file: ${file} }, retry: { attempts: 2, first: 10ms } }
output: "\${{ steps.a.output }}"`;
    const failed = await flows.run(yaml);
    expect(failed).toMatchObject({ error: { code: 'app.early', step: 'a/stop', details: { path: 'a/stop' } } });
    const again = await retryTask(flows.project.connection, failed.task_key as string, {
      ...retryBy(),
      from: 'a/count',
      run: true,
    });
    const end = await flows.project.wait(again.id);
    expect(end).toMatchObject({ kind: 'ended', result: { status: 'succeeded', output: { n: 3 } } });
  });
});
