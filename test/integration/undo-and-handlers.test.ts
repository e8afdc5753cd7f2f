import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cancelTask, decide, openApprovals, retryTask, viewTask } from '../../src/client/index.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import type { LoggedEnd } from '../../src/contracts/run-sinks.js';
import { log } from '../../src/worker/logger.js';
import { retryBy } from '../fixtures/caller.js';
import { type Flows, startFlows, statuses } from '../fixtures/flows.js';
import { operation, projectFile, shellOperation } from '../fixtures/project-folder.js';

let flows: Flows;

beforeAll(async () => {
  const noted = {
    args: ['"--"', '"${{ input.file }}"', '"${{ input.text }}"'],
    output: 'text',
    effects: 'destructive',
  } as const;
  flows = await startFlows({
    'ability.yaml': projectFile(
      '{ dev: {}, guarded: { approve: [destructive], approvers: [ann, bob], quorum: 2 }, asked: { approvers: [ann] } }',
    ),
    ...shellOperation('db.note', 'shift; printf "%s\\n" "$2" >> "$1"; printf "%s" "$2"', noted),
    ...operation('db.hang', 'await sleep(60_000);', { effects: 'write_additive', script: ', timeout_sec: 1' }),
  });
});
afterAll(() => flows.project.stop());

const ended = async (id: string) => {
  const end = await flows.project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};
const note = (text: string) => `call: util.note, with: { file: "\${{ input.file }}", text: "${text}" }`;
const undone = (text: string) => `${note(text)}, undo: { ${note(`undo ${text}`)} }`;

describe('undo', () => {
  const yaml = (last: string) => `
steps:
  - { id: a, ${undone('a')} }
  - id: loop
    foreach: [1, 2]
    as: n
    steps: [{ id: b, ${undone('b${{ n }}')} }]
  - { id: skipped, if: "false", ${undone('never')} }
  - ${last}
finally:
  - { id: end, ${note('finally')} }`;

  test('runs in reverse order of what was done, before finally', async () => {
    const input = { file: flows.file('undo-failed') };
    const result = await flows.run(yaml('{ id: bad, call: util.fail, with: {} }'), input);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'script.exit', step: 'bad' }, warnings: [] });
    expect(flows.lines('undo-failed')).toEqual(['a', 'b1', 'b2', 'undo b2', 'undo b1', 'undo a', 'finally']);
    expect(statuses(result)).toMatchObject({ 'a.undo': 'succeeded', 'loop/0/b.undo': 'succeeded' });
  });

  test('takes back what each attempt of a group has done, the last first', async () => {
    const make = `{ id: make, ${note('make').replace('util', 'db')}, undo: { ${note('drop')} } }`;
    const twice = 'retry: { attempts: 3, first: 10ms, errors: [no_luck] }';
    const group = `{ id: g, ${twice}, steps: [${make}, { id: bad, fail: { code: no_luck, message: no } }] }`;
    const result = await flows.run(`steps: [{ id: a, ${undone('a')} }, ${group}]`, { file: flows.file('undo-again') });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'no_luck' }, rolled_back: 'complete' });
    expect(flows.lines('undo-again')).toEqual(['a', ...Array(3).fill('make'), ...Array(3).fill('drop'), 'undo a']);
    expect(statuses(result)).toMatchObject({ 'g/make.undo': 'succeeded', 'g/make~2.undo': 'succeeded' });
  });

  test('is in the log of the worker: one line for each call and each task that ends, none for a replay', async () => {
    const { level } = log;
    log.level = 'info';
    const info = vi.spyOn(log, 'info');
    const lines = (key: string): string[] =>
      (info.mock.calls as unknown as [LoggedEnd & { key: string }, string][])
        .filter(([line]) => line.key === key && line.duration_ms >= 0)
        .map(([{ step, ability, state, code }, text]) => [text, step, ability, state, code].filter(Boolean).join(' '));
    try {
      const ability = flows.define(yaml('{ id: bad, call: util.fail, with: {} }'));
      const { id } = await flows.project.create(ability, { file: flows.file('undo-logged') });
      await ended(id);
      await flows.project.restartWorkers();
      const { temporal, project } = flows.project.connection;
      await temporal.workflow.getHandle(id).query('task');
      const noted = (path: string): string => `call ended ${path} util.note succeeded`;
      expect(lines(id)).toEqual([
        ...['a', 'loop/0/b', 'loop/1/b'].map(noted),
        'call ended bad util.fail failed script.exit',
        ...['loop/1/b.undo', 'loop/0/b.undo', 'a.undo', 'end'].map(noted),
        `task ended ${ability} failed script.exit`,
      ]);
      const taskQueue = taskQueueOf(project, 'dev', 'local');
      await temporal.workflow.start('nothing', { workflowId: 'logged-1', taskQueue, args: [{}] });
      await expect
        .poll(() => lines('logged-1'), { timeout: 20_000 })
        .toEqual(['task ended nothing unavailable ability.not_found']);
    } finally {
      info.mockRestore();
      log.level = level;
    }
  });

  test('does not run in a task that succeeds', async () => {
    const result = await flows.run(yaml('{ id: ok, let: {} }'), { file: flows.file('undo-not') });
    expect(result.status).toBe('succeeded');
    expect(flows.lines('undo-not')).toEqual(['a', 'b1', 'b2', 'finally']);
    expect(Object.keys(statuses(result)).filter((path) => path.endsWith('.undo'))).toEqual([]);
  });

  test('also runs after a cancellation and after a denial', async () => {
    const file = flows.file('undo-cancelled');
    const { id } = await flows.project.create(flows.define(yaml('{ id: ask, approval: { title: Go on? } }')), { file });
    await expect
      .poll(async () => (await viewTask(flows.project.connection, id)).result.status, { timeout: 20_000 })
      .toBe('waiting_approval');
    await cancelTask(flows.project.connection, id);
    expect(await ended(id)).toMatchObject({ status: 'cancelled' });
    expect(flows.lines('undo-cancelled').slice(3)).toEqual(['undo b2', 'undo b1', 'undo a', 'finally']);

    const other = { file: flows.file('undo-denied') };
    const { id: denied } = await flows.project.create(
      flows.define(yaml('{ id: ask, approval: { title: Go on? } }')),
      other,
    );
    await flows.project.wait(denied, { approvalMs: 0 });
    await decide(flows.project.connection, denied, 'deny', { by: 'tester' });
    expect(await ended(denied)).toMatchObject({ status: 'denied', error: { code: 'approval.denied' } });
    expect(flows.lines('undo-denied').at(-1)).toBe('finally');
    expect(flows.lines('undo-denied')).toContain('undo a');
  });

  test('that fails is a warning, and the others still run', async () => {
    const result = await flows.run(
      `
steps:
  - { id: a, ${undone('a')} }
  - { id: b, ${note('b')}, undo: { call: util.fail, with: {} } }
  - { id: c, ${note('c')}, undo: { call: util.note, with: { file: "\${{ input.file }}", text: "\${{ steps.c.output.nothing }}" } } }
  - { id: bad, fail: { code: no_luck, message: no } }`,
      { file: flows.file('undo-fails') },
    );
    expect(result).toMatchObject({
      ...{ status: 'failed', error: { code: 'no_luck' }, rolled_back: 'partial' },
      not_undone: [
        { path: 'b', call: 'util.fail', status: 'failed', error: { code: 'script.exit' } },
        { path: 'c', call: 'util.note', status: 'failed', error: { code: 'expression.failed' } },
      ],
    });
    expect(flows.lines('undo-fails')).toEqual(['a', 'b', 'c', 'undo a']);
    expect(result.warnings).toEqual([
      expect.stringMatching(/Not undone: c: expression\.failed/),
      expect.stringMatching(/Not undone: b: script\.exit/),
    ]);
  });
});

describe('an undo and people', () => {
  const db = (text: string) => `call: db.note, with: { file: "\${{ input.file }}", text: "${text}" }`;
  const bad = '{ id: bad, fail: { code: no_luck, message: no } }';
  const start = async (yaml: string, name: string, environment: string) => {
    const { id } = await flows.project.create(flows.define(yaml), { file: flows.file(name) }, { environment });
    await flows.project.wait(id, { approvalMs: 0 });
    return id;
  };
  const again = async (id: string, more: object = {}) =>
    ended((await retryTask(flows.project.connection, id, { ...retryBy(), run: true, ...more })).id);

  test('the approval of a call covers its undo, which its approver sees', async () => {
    const steps = ['a', 'b'].map((id) => `{ id: ${id}, ${note(id)}, undo: { ${db(`no ${id}`)} } }`);
    const make = `{ id: make, ${db('make')}, undo: { ${db('drop ${{ steps.make.output.text }}')} } }`;
    const id = await start(`steps: [${make}, ${steps.join(', ')}, ${bad}]`, 'covered', 'guarded');
    const [shown] = await openApprovals(flows.project.connection, id);
    const input = { file: flows.file('covered'), text: 'drop ${{ steps.make.output.text }}' };
    expect(shown?.what).toMatchObject({
      ability: 'db.note',
      undo: { ability: 'db.note', effects: 'destructive', input },
    });
    for (const by of ['ann', 'bob']) await decide(flows.project.connection, id, 'approve', { by });
    const result = await ended(id);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'no_luck' }, rolled_back: 'complete' });
    expect(result.not_undone).toBeUndefined();
    expect(result.approvals).toHaveLength(1);
    expect(flows.lines('covered')).toEqual(['make', 'a', 'b', 'no b', 'no a', 'drop make']);
  });

  test('an undo that is to ask asks; denied, its call stands, and a retry keeps it', async () => {
    const a = `{ id: a, ${undone('a')} }`;
    const b = `{ id: b, ${note('b')}, undo: { ${note('no b')}, approval: required } }`;
    const id = await start(`steps: [${a}, ${b}, ${bad}]`, 'asked', 'asked');
    const [shown] = await openApprovals(flows.project.connection, id);
    expect(shown).toMatchObject({ path: 'b.undo', reasons: ['The undo says `approval: required`.'] });
    await decide(flows.project.connection, id, 'deny', { by: 'ann' });
    const not_undone = [{ path: 'b', call: 'util.note', status: 'denied', error: { code: 'approval.denied' } }];
    expect(await ended(id)).toMatchObject({ status: 'failed', rolled_back: 'partial', not_undone });
    const retried = await retryTask(flows.project.connection, id, { ...retryBy(), run: true, from: 'bad' });
    expect(retried.begins).toMatch(/^It begins at a, before --from bad: it was undone; it keeps .*: b$/);
    await flows.project.wait(retried.id, { approvalMs: 0 });
    await decide(flows.project.connection, retried.id, 'approve', { by: 'ann' });
    expect(await ended(retried.id)).toMatchObject({ status: 'failed', rolled_back: 'complete' });
    expect(flows.lines('asked')).toEqual(['a', 'b', 'undo a', 'a', 'no b', 'undo a']);
  });

  test('a task that was cancelled and not undone has failed, and a retry asks what stands', async () => {
    const yaml = `
steps:
  - { id: a, ${undone('a')} }
  - { id: b, ${note('b')}, undo: { call: util.fail, with: {} } }
  - { id: ask, approval: { title: Go on? } }`;
    const id = await start(yaml, 'stopped', 'dev');
    await cancelTask(flows.project.connection, id);
    expect(await ended(id)).toMatchObject({
      ...{ status: 'failed', error: { code: 'task.not_undone' }, rolled_back: 'partial' },
      not_undone: [{ path: 'b', status: 'failed' }],
    });
    await expect(again(id)).rejects.toMatchObject({ code: 'task.undecided', details: { calls: ['b'] } });
    const retried = await retryTask(flows.project.connection, id, { ...retryBy(), run: true, stands: ['b'] });
    await flows.project.wait(retried.id, { approvalMs: 0 });
    await decide(flows.project.connection, retried.id, 'approve', { by: 'ann' });
    expect(await ended(retried.id)).toMatchObject({ status: 'succeeded' });
    expect(flows.lines('stopped')).toEqual(['a', 'b', 'undo a', 'a']);
  });

  test('an undo whose outcome is not known makes the outcome of the task unknown, also in a called one', async () => {
    const inner = flows.define(`steps: [{ id: a, ${note('a')}, undo: { call: db.hang, with: {} } }, ${bad}]`);
    const outer = `steps: [{ id: child, call: ${inner}, with: { file: "\${{ input.file }}" }, on_error: [{ output: 1 }] }]`;
    const result = await flows.run(outer, { file: flows.file('lost') });
    expect(result).toMatchObject({
      ...{ status: 'unknown', error: { code: 'outcome.unknown' }, rolled_back: 'none' },
      not_undone: [{ path: 'a', task: `${result.task_key}/child`, call: 'db.hang', status: 'unknown' }],
    });
    const details = { calls: ['child/a'] };
    const id = result.task_key as string;
    await expect(again(id, { from: 'child' })).rejects.toMatchObject({ code: 'task.undecided', details });
    expect(flows.lines('lost')).toEqual(['a']);
  });

  test('`limits.cleanup` ends an undo, and without it a call has the time that it states', async () => {
    const slow = `{ id: a, ${note('a')}, undo: { call: util.slow, with: { ms: 30000 } } }`;
    const result = await flows.run(`limits: { cleanup: 1s }\nsteps: [${slow}, ${bad}]`, { file: flows.file('slow') });
    expect(result.not_undone).toMatchObject([{ path: 'a', status: 'timed_out', error: { code: 'timeout.cleanup' } }]);
  });
});

describe('on_error', () => {
  test('the handler that names the code gives the output; the error stays readable', async () => {
    const result = await flows.run(`
steps:
  - id: a
    fail: { code: no_stock, message: none left }
    on_error:
      - { errors: [http.409], output: { by: wrong } }
      - errors: [no_stock]
        steps: [{ id: order, call: util.echo, with: { why: "\${{ steps.a.error.message }}" } }]
        output: { by: "\${{ steps.order.output.why }}" }
output: { out: "\${{ steps.a.output }}", was: "\${{ steps.a.error.code }}", is: "\${{ steps.a.status }}" }`);
    expect(result).toMatchObject({
      status: 'succeeded',
      output: { out: { by: 'none left' }, was: 'no_stock', is: 'succeeded' },
    });
  });

  test('without a match the failure stays; a handler that fails fails the step, and continue_on_error covers it', async () => {
    const no = await flows.run(
      'steps: [{ id: a, fail: { code: x.y, message: m }, on_error: [{ errors: [z], output: 1 }] }]',
    );
    expect(no).toMatchObject({ status: 'failed', error: { code: 'x.y' } });
    const handler =
      'on_error: [{ steps: [{ id: h, fail: { code: handler_failed, message: m } }] }], continue_on_error: true';
    const covered = await flows.run(`
steps: [{ id: a, fail: { code: x.y, message: m }, ${handler} }]
output: "\${{ steps.a.error.code }}"`);
    expect(covered).toMatchObject({ status: 'succeeded', output: 'handler_failed' });
  });

  test('a catch-all never catches a denial; a handler that names it does, and may rethrow it', async () => {
    const yaml = (handler: string) => `
steps:
  - id: guarded
    steps: [{ id: ask, approval: { title: Go on? } }]
    on_error: [${handler}]
output: went on`;
    const run = async (handler: string) => {
      const { id } = await flows.project.create(flows.define(yaml(handler)), { file: flows.file('rethrown') });
      await flows.project.wait(id, { approvalMs: 0 });
      await decide(flows.project.connection, id, 'deny', { by: 'tester' });
      return ended(id);
    };
    expect(await run('{ output: caught }')).toMatchObject({ status: 'denied' });
    expect(await run('{ errors: [approval.denied], output: caught }')).toMatchObject({
      status: 'succeeded',
      output: 'went on',
    });
    const rethrown = await run(`{ errors: [approval], steps: [{ id: n, ${note('handled')} }], rethrow: true }`);
    expect(rethrown).toMatchObject({ status: 'denied', error: { code: 'approval.denied', step: 'ask' } });
    expect(flows.lines('rethrown')).toEqual(['handled']);
  });

  test('at the top of a workflow turns its failure into a success', async () => {
    const result = await flows.run(`
steps: [{ id: a, fail: { code: no_stock, message: none }, continue_on_error: false }]
on_error: [{ errors: [no_stock], steps: [{ id: h, let: { a: 1 } }], output: { code: "\${{ task.error.code }}" } }]
output: not this`);
    expect(result).toMatchObject({ status: 'succeeded', output: { code: 'no_stock' }, error: null });
  });

  test('the limit of the task cannot be caught', async () => {
    const result = await flows.run(`
limits: { max_calls: 1 }
steps:
  - { id: a, call: util.echo, with: {} }
  - { id: b, call: util.echo, with: {}, on_error: [{ errors: [limit, limit.max_calls], output: caught }] }`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'limit.max_calls' } });
  });

  test('a retried call is handled after its last attempt has failed, also after a step time-out', async () => {
    const result = await flows.run(`
steps:
  - id: a
    call: util.slow
    with: { ms: 20000 }
    timeout: 300ms
    retry: { attempts: 1 }
    on_error: [{ errors: [timeout], output: late }]
output: "\${{ steps.a.output }}"`);
    expect(result).toMatchObject({ status: 'succeeded', output: 'late' });
  });
});
