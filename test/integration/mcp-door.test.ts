import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decide, explainTask, listTasks, promptSession, readApprovals, stopSession } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { PLACEMENTS } from '../../src/contracts/names.js';
import { hearProgress } from '../fixtures/mcp-agent.js';
import { doorProject, runAs as run } from '../fixtures/mcp-door-project.js';
import { workflow } from '../fixtures/project-folder.js';

const { running: project, agent } = doorProject();

test('callers do not collide under the same key, nor do two agents of one person; the same caller finds its own', async () => {
  const [ada, other, bob] = [await agent(), await agent({ name: 'other' }), await agent({ person: 'bob' })];
  const [one, two, three, four] = await Promise.all([
    run(ada, 'math.add', { a: 1, b: 1 }, { key: 'same' }),
    run(ada, 'math.add', { a: 1, b: 1 }, { key: 'same' }),
    run(bob, 'math.add', { a: 2, b: 2 }, { key: 'same' }),
    run(other, 'math.add', { a: 3, b: 3 }, { key: 'same' }),
  ]);
  expect(two.told).toEqual(one.told);
  expect([three.told, four.told]).toMatchObject([{ output: { sum: 4 } }, { output: { sum: 6 } }]);
  expect(await run(ada, 'math.add', { a: 5, b: 5 }, { key: 'same' })).toMatchObject({
    isError: true,
    told: { code: 'task.key_conflict' },
  });
});

describe.each(['2026-07-28', '2025-11-25'] as const)('an agent that speaks %s (R-000-82)', (protocol) => {
  test('runs abilities in a session that is opened for it once', async () => {
    const probe = await agent({ protocol });
    const answers = await Promise.all([1, 2, 3].map((a) => run(probe, 'math.add', { a, b: 1 })));
    expect(answers.map(({ told }) => told.output)).toEqual([{ sum: 2 }, { sum: 3 }, { sum: 4 }]);
    const sessions = new Set(answers.map(({ meta }) => meta['ability-runtime/session_id']));
    expect(sessions.size).toBe(1);
    const tasks = await listTasks(project().connection, { session: String([...sessions][0]), limit: 10 });
    expect(tasks).toHaveLength(3);
    expect(tasks[0]).toMatchObject({ requested_by: 'ada', agent: 'probe' });
  });

  test('learns why something is refused, with a code and a suggestion', async () => {
    const probe = await agent({ protocol });
    expect(await run(probe, 'math.add', { a: 1 })).toMatchObject({
      isError: true,
      told: { status: 'refused', code: 'input.invalid', reason: expect.stringContaining('`b` is missing') },
    });
    expect(await run(probe, 'guarded.op', { early: true })).toMatchObject({
      isError: true,
      told: { status: 'refused', code: 'guard.denied', suggestion: 'Somewhere else.' },
    });
    expect(await run(probe, 'guarded.op', { late: true })).toMatchObject({
      isError: true,
      told: { status: 'denied', code: 'guard.denied', suggestion: 'Later.' },
    });
    expect(await run(probe, 'guarded.op')).toMatchObject({ isError: false, told: { output: 1 } });
    expect(await run(probe, 'broken.op')).toMatchObject({ isError: true, told: { status: 'failed', step: 'run' } });
  });

  test('gets a handle for a long task, and its result by the handle', async () => {
    const probe = await agent({ protocol }, { patienceMs: 200 });
    const file = join(project().root, `go-${protocol}`);
    const begun = await run(probe, 'slow.op', { file });
    expect(begun).toMatchObject({
      isError: false,
      told: { status: 'running', next: expect.stringContaining('task_result') },
    });
    const { task } = begun.told;
    expect((await probe.call('task_status', { task })).told).toMatchObject({
      status: 'running',
      task,
      ability: 'slow.op',
    });
    expect((await probe.call('task_result', { task, wait: 0 })).told.status).toBe('running');
    writeFileSync(file, '');
    expect((await probe.call('task_result', { task, wait: 50 })).told).toMatchObject({
      status: 'succeeded',
      output: 'seen',
    });
  });

  test('receives the progress of its call on request', async () => {
    const file = join(project().root, `progress-${protocol}`);
    const args = { id: 'slow.op', input: { file } };
    const texts = await hearProgress(await agent({ protocol }), 'ability_run', args, (message) => {
      if (message === 'call started: slow.op') writeFileSync(file, '');
    });
    expect(texts.slice(0, 2)).toEqual(['task created: slow.op', 'call started: slow.op']);
  });

  test('learns who decides, cannot decide itself, and continues when a person has decided', async () => {
    // A client that would answer for the person if it received an elicitation.
    const elicited: unknown[] = [];
    const client = { capabilities: { elicitation: { form: {}, url: {} } } };
    const probe = await agent({ protocol, client });
    probe.client.setRequestHandler('elicitation/create', (request) => {
      elicited.push(request);
      return { action: 'accept', content: {} };
    });
    const answer = await run(probe, 'ask_people', {}, { intent: 'to see' });
    const { task, waiting_for: waiting } = answer.told;
    expect(answer.told).toMatchObject({ status: 'waiting_approval', next: expect.stringContaining('never you') });
    expect(waiting).toMatchObject([
      {
        title: 'Go ahead?',
        who: 'ada, bob; not ada',
        commands: [expect.stringContaining('ability approve'), expect.anything()],
      },
    ]);
    expect((await probe.call('approvals_list')).told.approvals).toMatchObject([{ task, title: 'Go ahead?' }]);
    expect(elicited).toEqual([]);
    for (const tool of ['approve', 'ability_approve', 'task_signal']) {
      await expect(probe.call(tool, { task, approval: waiting[0].approval })).rejects.toThrow(`no tool ${tool}`);
    }
    const [tasks] = await listTasks(project().connection, {
      ability: 'ask_people',
      status: ['waiting_approval'],
      limit: 1,
    });
    const key = tasks?.task_key as string;
    // The person in whose name the agent asked is the requester, and cannot decide either.
    const [approval] = await readApprovals(project().connection, key);
    expect(approval?.requested_by).toEqual({ name: 'ada', source: 'claimed', agent: 'probe' });
    const own = decide(project().connection, key, 'approve', { approval_id: approval?.id as string, by: 'ada' });
    await expect(own).rejects.toMatchObject({ code: 'approval.ignored' });
    await decide(project().connection, key, 'approve', { approval_id: approval?.id as string, by: 'bob' });
    expect((await probe.call('task_result', { task, wait: 50 })).told).toMatchObject({
      status: 'succeeded',
      output: 'done',
    });
    expect(await explainTask(project().connection, key)).toMatchObject({
      requested_by: { name: 'ada', agent: 'probe' },
      intent: 'to see',
    });
  });

  test('receives a turn context when it has changed, and only once (R-002-42)', async () => {
    const probe = await agent({ protocol });
    const prompted = await probe.call('session_prompt', { text: 'add it' });
    expect(prompted.told.turn_context).toMatchObject({ turn_index: 1, hook_signals: { risk_alerts: [] } });
    expect((await run(probe, 'nothing')).told).not.toHaveProperty('turn_context');
    const session = String(prompted.meta['ability-runtime/session_id']);
    await promptSession(project().connection, session, 'deploy', { name: 'ada', source: 'claimed' });
    const changed = await run(probe, 'nothing');
    expect(changed.told.turn_context).toMatchObject({
      turn_index: 2,
      hook_signals: { risk_alerts: ['Frozen. (hook freeze)'] },
    });
    const { task } = changed.told;
    expect((await probe.call('task_result', { task })).told).not.toHaveProperty('turn_context');
  });

  test('keeps its trace from the request to the task and the answer', async () => {
    const probe = await agent({ protocol });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const { meta } = await probe.call('ability_run', { id: 'nothing', key: `traced-${protocol}` }, { traceparent });
    expect(meta.traceparent).toBe(traceparent);
    const session = String(meta['ability-runtime/session_id']);
    const [task] = await listTasks(project().connection, { session, limit: 1 });
    const { memo } = await project()
      .connection.temporal.workflow.getHandle(task?.task_key as string)
      .describe();
    expect(memo).toMatchObject({ trace: traceparent, agent: 'probe' });
    expect((await probe.call('ability_search', {}, { traceparent: 'no trace' })).meta).not.toHaveProperty(
      'traceparent',
    );
  });
});

describe('the session of a door', () => {
  const sessionOf = ({ meta }: { meta: JsonObject }) => String(meta['ability-runtime/session_id']);

  test('is replaced by another one if it has ended meanwhile', async () => {
    const probe = await agent();
    const first = sessionOf(await run(probe, 'nothing'));
    await stopSession(project().connection, first);
    const second = await run(probe, 'nothing');
    expect(second.told).toMatchObject({ status: 'succeeded' });
    expect(sessionOf(second)).not.toBe(first);
    await stopSession(project().connection, sessionOf(second));
    expect((await probe.call('session_prompt', { text: 'go on' })).told.turn_context.turn_index).toBe(1);
  });

  test('that was passed is neither started nor replaced', async () => {
    const probe = await agent({ session: 'given-one' });
    expect(await run(probe, 'nothing')).toMatchObject({ isError: true, told: { code: 'session.not_found' } });
    await project().startSession('given-one');
    expect(sessionOf(await run(probe, 'nothing'))).toBe('given-one');
    await stopSession(project().connection, 'given-one');
    expect(await run(probe, 'nothing')).toMatchObject({ isError: true, told: { code: 'session.stopped' } });
  });
});

test('an agent sees what would take a call back, and who would be asked', async () => {
  const undo = 'undo: { call: broken.op, with: {}, approval: required }';
  project().write(workflow('undoing', `steps: [{ id: one, call: math.add, with: { a: 1, b: 2 }, ${undo} }]`));
  const probe = await agent();
  const shown = { ability: 'broken.op', effects: 'write_additive', covered_by_approval_of_call: 'no' };
  const { told: plan } = await probe.call('ability_plan', { id: 'undoing' });
  const who = { who: 'any person', people_needed: 1 };
  expect(plan.calls).toMatchObject([{ step: 'one', undo: { ...shown, approval: who } }]);
  expect(plan.approvals).toMatchObject([{ title: 'broken.op in dev', ...who }]);
  const { told } = await probe.call('ability_describe', { id: 'undoing' });
  expect(told).toMatchObject({ undos: [{ of: 'one', ...shown, approval: who }], approvals: [] });
});

describe('definitions of the worker that differ from those of the door', () => {
  const other = () => ({
    digest: 'f'.repeat(64),
    version: 1,
    placement: 'local' as const,
    module: undefined,
    summary: undefined,
  });
  const definitions = Object.assign(other, { placements: () => PLACEMENTS });
  const lend = () => ({ connect: async () => ({ ...project().connection, definitions }), failed: () => {} });

  test('are reported, and refused if the operator wants that', async () => {
    const warned = await agent({}, { lend });
    expect((await run(warned, 'nothing')).told.warnings).toEqual([
      expect.stringContaining('definitions of the worker differ'),
    ]);
    const strict = await agent({}, { strict: () => ({ registry: other().digest }) });
    expect(await run(strict, 'nothing')).toMatchObject({ isError: true, told: { code: 'config.registry_differs' } });
    expect((await run(await agent(), 'nothing')).told).not.toHaveProperty('warnings');
  });
});
