import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelTask, pauseTask, resumeTask, retryTask, viewTask } from '../../src/client/index.js';
import type { LockState } from '../../src/contracts/concurrency.js';
import { LOCK_SIGNALS, lockIdOf, QUERIES, SLOT_SIGNAL } from '../../src/contracts/names.js';
import { digestOf } from '../../src/rules/canonical.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';

let flows: Flows;

const SPAN = 'span: { file: "${{ input.file }}", name: "${{ input.name }}", ms: "${{ input.ms }}" }';
const span = (more = '') =>
  `steps: [{ id: work, call: work.span, with: ${SPAN.slice('span: '.length)}${more} }]\noutput: "\${{ input.name }}"`;
const gated = (concurrency: string) => `
concurrency: ${concurrency}
steps:
  - { id: begin, call: util.note, with: { file: "\${{ input.file }}", text: "begin \${{ input.name }}" } }
  - { id: gate, wait: { signal: go } }
  - { id: end, call: util.note, with: { file: "\${{ input.file }}", text: "end \${{ input.name }}" } }`;

beforeAll(async () => {
  flows = await startFlows({
    'ability.yaml': projectFile('{ dev: {}, prod: {} }'),
    ...operation(
      'work.span',
      'appendFileSync(input.file, `begin ${input.name}\\n`); await sleep(input.ms); appendFileSync(input.file, `end ${input.name}\\n`);',
      { effects: 'write_additive' },
    ),
    ...workflow('one', `concurrency: { key: "k-\${{ input.file }}" }\n${span()}`),
    ...workflow('two', `concurrency: { key: "k-\${{ input.file }}", limit: 2 }\n${span()}`),
    ...workflow('gated', gated('{ key: "k-${{ input.file }}" }')),
    ...workflow('refuses', gated('{ key: "k-${{ input.file }}", on_busy: refuse }')),
    ...workflow(
      'newest',
      `concurrency: { key: "k-\${{ input.file }}", on_busy: cancel_older }
steps:
  - id: begin
    call: util.note
    with: { file: "\${{ input.file }}", text: "begin \${{ input.name }}" }
    undo: { call: work.span, with: { file: "\${{ input.file }}", name: "undo \${{ input.name }}", ms: 300 } }
  - { id: gate, wait: { signal: go } }
finally: [{ id: bye, call: util.note, with: { file: "\${{ input.file }}", text: "finally \${{ input.name }}" } }]`,
    ),
  });
});
afterAll(() => flows.project.stop());

let files = 0;
/** A file that nobody else writes, and so a key that nobody else has. */
const fresh = (): string => {
  files += 1;
  return flows.file(`log-${files}`);
};
const linesOf = (file: string) => flows.lines(file.slice(file.lastIndexOf('/') + 1));
const ended = async (id: string) => {
  const end = await flows.project.wait(id);
  if (end.kind !== 'ended') throw new Error(`${id}: ${end.kind}`);
  return end.result;
};
const view = async (id: string) => (await viewTask(flows.project.session, id)).result;
const untilStatus = (id: string, status: string) =>
  expect.poll(async () => (await view(id)).status, { timeout: 20_000 }).toBe(status);
const untilHolding = (id: string) =>
  expect.poll(async () => (await view(id)).concurrency?.granted_at ?? null, { timeout: 20_000 }).not.toBeNull();
const go = (id: string) => flows.project.session.temporal.workflow.getHandle(id).signal('go', null);
const start = async (ability: string, file: string, name: string, more = {}) =>
  (await flows.project.create(ability, { file, name, ms: 50 }, more)).id;
const lockId = (file: string, environment = 'dev') =>
  lockIdOf(flows.project.session.project, environment, digestOf(`k-${file}`));
const lockOf = (file: string, environment?: string) =>
  flows.project.session.temporal.workflow.getHandle(lockId(file, environment));
const lockIsOver = (file: string) =>
  expect.poll(async () => (await lockOf(file).describe()).status.name, { timeout: 20_000 }).toBe('COMPLETED');
const lineOf = async (file: string) => {
  const { holders, line } = await lockOf(file).query<LockState>(QUERIES.lock);
  return { in: holders.map(({ task }) => task), waiting: line.map(({ task }) => task) };
};

/** The most that were inside at once, by what the work itself wrote. */
function mostInside(lines: string[]): number {
  let inside = 0;
  let most = 0;
  for (const line of lines) {
    inside += line.startsWith('begin') ? 1 : -1;
    most = Math.max(most, inside);
  }
  return most;
}

describe('tasks with the same key', () => {
  test.each([
    ['one', 1],
    ['two', 2],
  ])('%s: ten run %i at once, never more, in the order in which they came', async (ability, limit) => {
    const file = fresh();
    const names = Array.from({ length: 10 }, (_, n) => `n${n}`);
    const ids: string[] = [];
    for (const name of names) {
      const { id } = await flows.project.create(ability, { file, name, ms: 250 });
      ids.push(id);
      await expect.poll(async () => (await view(id)).concurrency?.asked_at ?? null, { timeout: 20_000 }).not.toBeNull();
    }
    for (const id of ids) expect((await ended(id)).status).toBe('succeeded');
    const lines = linesOf(file);
    expect(lines).toHaveLength(20);
    expect(mostInside(lines)).toBe(limit);
    const granted = await Promise.all(
      ids.map(async (id) => Date.parse((await view(id)).concurrency?.granted_at ?? '')),
    );
    expect(granted).toEqual([...granted].sort((a, b) => a - b));
    if (limit === 1) expect(lines).toEqual(names.flatMap((name) => [`begin ${name}`, `end ${name}`]));
    await lockIsOver(file);
  });

  test('started all at once they exclude each other as well', async () => {
    const file = fresh();
    const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => start('one', file, `n${n}`)));
    for (const id of ids) expect((await ended(id)).status).toBe('succeeded');
    expect(mostInside(linesOf(file))).toBe(1);
  });

  test('a task that waits says so, for whom, and can be cancelled; its place is free again', async () => {
    const file = fresh();
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const second = await start('gated', file, 'second');
    await untilStatus(second, 'waiting');
    const third = await start('gated', file, 'third');
    await untilStatus(third, 'waiting');
    expect(await view(second)).toMatchObject({ concurrency: { key: `k-${file}`, held_by: [first], granted_at: null } });
    await cancelTask(flows.project.session, second);
    expect(await ended(second)).toMatchObject({ status: 'cancelled', steps: [{ status: 'skipped' }, {}, {}] });
    await expect.poll(() => lineOf(file)).toEqual({ in: [first], waiting: [third] });
    await go(first);
    await ended(first);
    await untilStatus(third, 'running');
    await go(third);
    expect(await ended(third)).toMatchObject({ status: 'succeeded', concurrency: { held_by: [first] } });
    expect(linesOf(file)).toEqual(['begin first', 'end first', 'begin third', 'end third']);
    await lockIsOver(file);
  });

  test('another key and another environment do not wait', async () => {
    const [file, other] = [fresh(), fresh()];
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    await untilHolding(await start('gated', other, 'other'));
    await untilHolding(await start('gated', file, 'prod', { environment: 'prod' }));
    expect((await view(first)).status).toBe('running');
    await expect.poll(() => linesOf(file), { timeout: 10_000 }).toEqual(['begin first', 'begin prod']);
  });

  test('a paused task keeps its turn, and one that is paused while it waits takes it without beginning', async () => {
    const file = fresh();
    const { session } = flows.project;
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    await pauseTask(session, first);
    const second = await start('gated', file, 'second');
    await untilStatus(second, 'waiting');
    await pauseTask(session, second);
    await go(first);
    await resumeTask(session, first);
    await ended(first);
    await untilHolding(second);
    expect(linesOf(file)).toEqual(['begin first', 'end first']);
    await resumeTask(session, second);
    await go(second);
    expect((await ended(second)).status).toBe('succeeded');
  });

  test('direct runs and retries take their turn as well', async () => {
    const file = fresh();
    const failing = flows.define(`
concurrency: { key: "k-\${{ input.file }}" }
steps: [{ id: no, fail: { code: no_luck, message: no } }]`);
    const failed = await flows.project.create(failing, { file });
    expect((await ended(failed.id)).status).toBe('failed');
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const direct = await start('one', file, 'direct', { direct: true });
    await untilStatus(direct, 'waiting');
    const user = { name: 'tester', source: 'claimed' } as const;
    const retried = await retryTask(flows.project.session, failed.id, { user, run: true });
    await untilStatus(retried.id, 'waiting');
    expect(await lineOf(file)).toEqual({ in: [first], waiting: [direct, retried.id] });
    await go(first);
    expect((await ended(direct)).status).toBe('succeeded');
    expect((await ended(retried.id)).error?.code).toBe('no_luck');
    await lockIsOver(file);
  });

  test('time in line is no working time', async () => {
    const file = fresh();
    const short = flows.define(`timeout: 1s\nconcurrency: { key: "k-\${{ input.file }}" }\n${span()}`);
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const second = await start(short, file, 'second');
    await untilStatus(second, 'waiting');
    const came = Date.parse((await view(second)).concurrency?.asked_at ?? '');
    await expect.poll(() => Date.now() - came, { timeout: 10_000 }).toBeGreaterThan(1500);
    await go(first);
    expect((await ended(second)).status).toBe('succeeded');
  });
});

describe('a lock', () => {
  test('takes no notice of what is sent by hand, no more than its tasks do, nor of being cancelled; its key may be any text', async () => {
    const file = fresh();
    const key = '漢\n`| ${ '.repeat(60);
    const ability = flows.define(gated('{ key: "${{ input.key }}" }'));
    const first = await flows.project.create(ability, { key, file, name: 'first' });
    await untilHolding(first.id);
    const { temporal, project } = flows.project.session;
    const lock = temporal.workflow.getHandle(lockIdOf(project, 'dev', digestOf(key)));
    const nobody = { task: 'nobody', run: 'r', limit: 1, on_busy: 'wait' };
    for (const junk of [
      undefined,
      null,
      5,
      'x',
      {},
      { task: 5 },
      nobody,
      { ...nobody, limit: -1 },
      { task: first.id },
    ]) {
      await lock.signal(LOCK_SIGNALS.enter, junk);
      await lock.signal(LOCK_SIGNALS.leave, junk);
    }
    await lock.signal('something else', 1);
    await lock.signal(LOCK_SIGNALS.enter, nobody);
    await lock.cancel();
    const second = await flows.project.create(ability, { key, file, name: 'second' });
    await untilStatus(second.id, 'waiting');
    for (const junk of [null, 'granted', 5, {}, { answer: 'waiting' }, { answer: 'superseded' }]) {
      await temporal.workflow.getHandle(second.id).signal(SLOT_SIGNAL, junk);
    }
    await go(first.id);
    await ended(first.id);
    await untilHolding(second.id);
    await go(second.id);
    expect((await ended(second.id)).status).toBe('succeeded');
    await expect.poll(async () => (await lock.describe()).status.name, { timeout: 20_000 }).toBe('COMPLETED');
  });

  test('is asked only by tasks that passed preflight', async () => {
    const file = fresh();
    const { temporal, project } = flows.project.session;
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const { events } = await temporal.workflow.getHandle(first).fetchHistory();
    const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    const argument = JSON.parse(Buffer.from(payload?.data ?? []).toString('utf8'));
    const forged = await temporal.workflow.start('gated', {
      workflowId: `${first}-forged`,
      taskQueue: `${project}-dev-local`,
      args: [argument],
    });
    const code = await forged.result().catch((error: { cause?: { type?: string } }) => error.cause?.type);
    expect(code).toBe('seal.invalid');
    expect(await lineOf(file)).toEqual({ in: [first], waiting: [] });
  });
});

describe('a slot is free again', () => {
  test('when its task fails, runs out of time or is cancelled', async () => {
    const file = fresh();
    const key = `concurrency: { key: "k-\${{ input.file }}" }`;
    const fails = flows.define(`${key}\nsteps: [{ id: no, fail: { code: no_luck, message: no } }]`);
    const slow = flows.define(`timeout: 1s\n${key}\nsteps: [{ id: slow, call: util.slow, with: { ms: 20000 } }]`);
    expect((await flows.project.run(fails, { file })).status).toBe('failed');
    expect((await flows.project.run(slow, { file })).status).toBe('timed_out');
    const held = await start('gated', file, 'held');
    await untilHolding(held);
    await cancelTask(flows.project.session, held);
    expect((await ended(held)).status).toBe('cancelled');
    expect((await flows.project.run('one', { file, name: 'last', ms: 1 })).status).toBe('succeeded');
    await lockIsOver(file);
  });

  test('when its task is terminated, for the one that waits and for one that refuses to', async () => {
    const file = fresh();
    const { workflow: workflows } = flows.project.session.temporal;
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const second = await start('gated', file, 'second');
    await untilStatus(second, 'waiting');
    await workflows.getHandle(first).terminate('by hand');
    await untilHolding(second);
    await workflows.getHandle(second).terminate('by hand');
    const third = await start('refuses', file, 'third');
    await untilHolding(third);
    await go(third);
    expect((await ended(third)).status).toBe('succeeded');
    await lockIsOver(file);
  });

  test('when a task that waits is terminated, the next one is asked', async () => {
    const file = fresh();
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const second = await start('gated', file, 'second');
    await untilStatus(second, 'waiting');
    const third = await start('gated', file, 'third');
    await untilStatus(third, 'waiting');
    await flows.project.session.temporal.workflow.getHandle(second).terminate('by hand');
    await go(first);
    await untilHolding(third);
  });

  test('when its execution was deleted', async () => {
    const file = fresh();
    const { temporal, namespace } = flows.project.session;
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    await temporal.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId: first } });
    await untilHolding(await start('gated', file, 'second'));
  });
});

describe('on_busy: refuse', () => {
  test('ends at once, before any effect, and names the key and who holds it', async () => {
    const file = fresh();
    const first = await start('refuses', file, 'first');
    await untilHolding(first);
    const refused = await flows.project.run('refuses', { file, name: 'second' });
    expect(refused).toMatchObject({
      status: 'failed',
      error: { code: 'concurrency.busy', details: { key: `k-${file}`, held_by: [first], limit: 1 } },
      concurrency: { refused: true, granted_at: null },
    });
    expect(refused.error?.message).toBe(`k-${file} is held by ${first}, and this task does not wait`);
    expect(linesOf(file)).toEqual(['begin first']);
    await go(first);
    await ended(first);
    await lockIsOver(file);
  });

  test('of a called workflow can be handled by its caller', async () => {
    const file = fresh();
    const first = await start('refuses', file, 'first');
    await untilHolding(first);
    const result = await flows.run(
      `steps: [{ id: inner, call: refuses, with: { file: "\${{ input.file }}", name: x }, on_error: [{ errors: [concurrency], output: busy }] }]\noutput: "\${{ steps.inner.output }}"`,
      { file },
    );
    expect(result).toMatchObject({ status: 'succeeded', output: 'busy' });
  });
});

describe('on_busy: cancel_older', () => {
  test('cancels who is in and who waits, and begins when what was done is taken back', async () => {
    const file = fresh();
    const first = await start('newest', file, 'first');
    await untilHolding(first);
    await expect.poll(() => linesOf(file), { timeout: 10_000 }).toEqual(['begin first']);
    const waits = await start('gated', file, 'waits');
    await untilStatus(waits, 'waiting');
    const second = await start('newest', file, 'second');
    expect((await ended(waits)).status).toBe('cancelled');
    const cancelled = await ended(first);
    expect(cancelled.status).toBe('cancelled');
    expect(cancelled.warnings).toEqual([`It was cancelled for ${second}, a later task with the same concurrency key.`]);
    await untilHolding(second);
    await expect
      .poll(() => linesOf(file), { timeout: 10_000 })
      .toEqual(['begin first', 'begin undo first', 'end undo first', 'finally first', 'begin second']);
    await go(second);
    expect((await ended(second)).status).toBe('succeeded');
    await lockIsOver(file);
  });

  test('of many at once only the last one is left', async () => {
    const file = fresh();
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const id = await start('newest', file, `n${n}`);
      await expect.poll(async () => (await view(id)).concurrency?.asked_at ?? null, { timeout: 20_000 }).not.toBeNull();
      ids.push(id);
    }
    const last = ids.pop() as string;
    for (const id of ids) expect((await ended(id)).status).toBe('cancelled');
    await untilHolding(last);
    expect((await view(last)).status).toBe('running');
  });
});

describe('a workflow that is called', () => {
  test('with the key of its caller goes in with it, one at a time, so that nobody waits for himself', async () => {
    const file = fresh();
    const result = await flows.run(
      `
concurrency: { key: "k-\${{ input.file }}" }
steps:
  - id: both
    parallel:
      a: { call: one, with: { file: "\${{ input.file }}", name: a, ms: 300 } }
      b: { call: one, with: { file: "\${{ input.file }}", name: b, ms: 300 } }
output: "\${{ steps.both.output }}"`,
      { file },
    );
    expect(result).toMatchObject({ status: 'succeeded', output: { a: 'a', b: 'b' } });
    expect(mostInside(linesOf(file))).toBe(1);
    await lockIsOver(file);
  });

  test('waits for a task that is not its caller, and is cancelled with its caller', async () => {
    const file = fresh();
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const yaml = 'steps: [{ id: inner, call: one, with: { file: "${{ input.file }}", name: inner, ms: 1 } }]';
    const caller = flows.define(yaml);
    const [kept, dropped] = [await start(caller, file, ''), await start(caller, file, '')];
    await untilStatus(`${kept}/inner`, 'waiting');
    await untilStatus(`${dropped}/inner`, 'waiting');
    await cancelTask(flows.project.session, dropped);
    expect((await ended(dropped)).status).toBe('cancelled');
    await go(first);
    expect((await ended(kept)).status).toBe('succeeded');
    await lockIsOver(file);
  });
});
