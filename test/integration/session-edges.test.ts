import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { promptSession, runTask, showSession, startSession, stopSession } from '../../src/client/index.js';
import { sessionIdOf, taskQueueOf, WORKFLOWS } from '../../src/contracts/names.js';
import type { AbilityError } from '../../src/contracts/problem.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const USER = { name: 'ada', source: 'claimed' } as const;
/** What a hook may do instead of answering properly. */
const BROKEN = {
  hang: 'setInterval(() => {}, 1000);',
  garbage: "console.log('no JSON at all');",
  half: 'console.log(\'{"hook_signals": {\');',
  crash: "throw new Error('kaput');",
  proto: 'console.log(\'{"hook_signals": {"__proto__": {"x": 1}}}\');',
};
const brokenHooks = (more: string): string =>
  Object.keys(BROKEN)
    .map((id) => `  - { id: ${id}, ${more} handler: { script: { path: hooks/${id}.mjs, timeout_sec: 1 } } }\n`)
    .join('');

describe('a session in edge cases', () => {
  let project: RunningProject;
  const code = async (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'none',
      (error: AbilityError) => error.code,
    );
  const start = async (more = {}): Promise<string> =>
    (await startSession(project.connection, { environment: 'dev', scope: 'integration', user: USER, ...more }))
      .session_id;
  const workflowOf = (session: string) =>
    project.connection.temporal.workflow.getHandle(sessionIdOf(project.connection.project, session));
  const byHand = async (args: unknown[], session: string, more = {}): Promise<void> => {
    await project.connection.temporal.workflow.start(WORKFLOWS.session, {
      workflowId: sessionIdOf(project.connection.project, session),
      taskQueue: taskQueueOf(project.connection.project, 'dev', 'local'),
      args,
      ...more,
    });
  };

  beforeAll(async () => {
    project = await runProject({
      'ability.yaml': projectFile('{ dev: {}, staging: {} }'),
      'registry/hooks/PromptSubmit.yaml': `hooks:
${brokenHooks('blocking: true, match: { modules: [broken] },')}
  - { id: context, blocking: true, match: { modules: [foreign] }, handler: { script: { path: hooks/context.mjs }, format: claude-code } }
  - { id: last, blocking: true, handler: { expression: { deny_if: "true", reason: It went on. } } }
`,
      'registry/hooks/SessionStop.yaml': `hooks:\n${brokenHooks('match: { modules: [broken] },')}`,
      'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: two, blocking: true, match: { abilities: [op.plain] }, handler: { expression: { deny_if: "session != null && session.counts.total >= 2", reason: Two. } } }
  - { id: no_secrets, handler: { expression: { deny_if: "input.secret == true", reason: No secrets. } } }
`,
      'hooks/context.mjs': `
console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Fridays are quiet.' } }));`,
      ...Object.fromEntries(Object.entries(BROKEN).map(([id, body]) => [`hooks/${id}.mjs`, `${body}\n`])),
      ...operation('op.plain', 'return 1;'),
      ...operation('op.late', 'return 1;', { yaml: 'hooks: { pre_call: [no_secrets] }' }),
      ...workflow('outer', 'steps: [{ id: middle, call: middle, with: {} }]'),
      ...workflow('middle', 'steps: [{ id: inner, call: inner, with: {} }]'),
      ...workflow('inner', 'steps: [{ id: late, call: op.late, with: { secret: true } }]'),
    });
    await project.run('op.plain');
  });
  afterAll(() => project.stop());

  test('may be used in environments other than its own, and its limits count over all of them', async () => {
    const session = await start();
    const statusIn = async (environment: string) =>
      (await project.run('op.plain', {}, { session, environment })).status;
    expect([await statusIn('staging'), await statusIn('dev')]).toEqual(['succeeded', 'succeeded']);
    expect([await statusIn('staging'), await statusIn('dev')]).toEqual(['denied', 'denied']);
    const { hook_signals } = await promptSession(project.connection, session, 'x', USER);
    expect(hook_signals.ability_guards).toMatchObject([{ ability_id: 'op.plain', reason: 'Two.' }]);
    expect(await showSession(project.connection, session)).toMatchObject({ environment: 'dev', counts: { total: 2 } });
  });

  test('is shown with the current state of its tasks, although it learns of them only in its next turn', async () => {
    const session = await start();
    const { task_key } = await project.run('op.plain', {}, { session });
    const { tasks } = await showSession(project.connection, session);
    expect(tasks).toMatchObject([{ task_key, status: 'succeeded' }]);
  });

  test('evaluates expression hooks in one event in addition to those of an update, and others in an activity', async () => {
    const eventsOfPrompt = async (session: string): Promise<string[]> => {
      const { events: before } = await workflowOf(session).fetchHistory();
      await promptSession(project.connection, session, 'x', USER);
      const { events = [] } = await workflowOf(session).fetchHistory();
      return (events ?? []).slice(before?.length).flatMap((event) => {
        const [kind = ''] = Object.keys(event).filter((key) => key.endsWith('EventAttributes') && event[key as never]);
        return kind.startsWith('workflowTask') ? [] : [kind.replace('EventAttributes', '')];
      });
    };
    const atOnce = ['markerRecorded', 'workflowExecutionUpdateAccepted', 'workflowExecutionUpdateCompleted'];
    const session = await start();
    await promptSession(project.connection, session, 'the first of a run', USER);
    expect((await eventsOfPrompt(session)).sort()).toEqual(atOnce);
    const { id } = await project.create('op.plain', {}, { session, run: false });
    expect(await eventsOfPrompt(session)).toContain('activityTaskScheduled');
    await runTask(project.connection, id);
    await project.wait(id);
    // The task is read once more, with everything that its guards reported.
    expect(await eventsOfPrompt(session)).toContain('activityTaskScheduled');
    expect((await eventsOfPrompt(session)).sort()).toEqual(atOnce);
    expect(await eventsOfPrompt(await start({ scope: 'foreign' }))).toContain('activityTaskScheduled');
  });

  test('gets in its next turn what guards reported in tasks that its tasks call (R-002-38, R-002-40)', async () => {
    const session = await start();
    expect((await project.run('outer', {}, { session })).status).not.toBe('succeeded');
    const guards = async () =>
      (await promptSession(project.connection, session, 'x', USER)).hook_signals.ability_guards;
    expect(await guards()).toEqual([
      { ability_id: 'op.late', decision: 'deny', reason: 'No secrets.', source: 'PreAbilityCall.no_secrets' },
    ]);
    expect(await guards()).toEqual([]);
  });

  test('a prompt and a stop continue after hooks that hang, crash or answer with garbage; each is logged (R-002-27)', async () => {
    const session = await start({ scope: 'broken' });
    const { hook_signals } = await promptSession(project.connection, session, 'x', USER);
    expect(hook_signals).toEqual({ routing_hints: [], ability_guards: [], risk_alerts: ['It went on. (hook last)'] });
    const failed = Object.keys(BROKEN).map((hook_id) => ({ hook_id, status: 'error', decision: 'allow' }));
    const seen = await showSession(project.connection, session);
    expect(seen.hooks).toMatchObject([...failed, { hook_id: 'last', status: 'ok' }]);
    const end = await stopSession(project.connection, session);
    expect(end).toMatchObject({ status: 'stopped', stop_hooks: failed });
  });

  test('hook files that cannot be read stop neither prompt nor end, and are reported', async () => {
    const before = readFileSync(join(project.root, 'registry/hooks/PromptSubmit.yaml'), 'utf8');
    const session = await start();
    project.write({ 'registry/hooks/PromptSubmit.yaml': 'hooks: [' });
    const { turn_index } = await promptSession(project.connection, session, 'x', USER);
    expect(turn_index).toBe(1);
    const { hooks } = await showSession(project.connection, session);
    expect(hooks).toMatchObject([{ hook_id: '*', phase: 'PromptSubmit', status: 'error', decision: 'allow' }]);
    project.write({ 'registry/hooks/PromptSubmit.yaml': before });
  });

  test('what a hook of another tool adds to the prompt is a signal: stored, shown, and in the workdocs (R-002-47)', async () => {
    const session = await start({ scope: 'foreign' });
    const { hook_signals } = await promptSession(project.connection, session, 'x', USER);
    expect(JSON.stringify(hook_signals)).not.toContain('Fridays');
    const { unknown_signals } = await showSession(project.connection, session);
    expect(unknown_signals).toMatchObject([{ hook: 'context', name: 'context', value: 'Fridays are quiet.' }]);
    const lines = readFileSync(join(project.root, 'foreign/workdocs/hook-signals.md'), 'utf8');
    expect(lines).toContain(`${session} context`);
    expect(lines).toContain('Fridays are quiet.');
  });

  test('a name such as __proto__ and a deeply nested input create no task in it, and it continues to count', async () => {
    const session = await start();
    let deep: Record<string, never> | { deep: unknown } = {};
    for (let depth = 0; depth < 5000; depth += 1) deep = { deep };
    const proto = JSON.parse('{"__proto__": {"amount": 1}}');
    expect(await code(project.run('op.plain', { deep } as never, { session }))).toBe('input.invalid');
    expect(await code(project.run('op.plain', proto, { session }))).toBe('input.invalid');
    expect((await project.run('op.plain', {}, { session })).status).toBe('succeeded');
    expect(await showSession(project.connection, session)).toMatchObject({ counts: { total: 1 } });
  });

  test('a terminated session is not started again under its id', async () => {
    const session = await start({ id: 'cut-off' });
    await workflowOf(session).terminate();
    expect(await code(start({ id: session }))).toBe('session.stopped');
    expect(await code(promptSession(project.connection, session, 'x', USER))).toBe('session.stopped');
    expect(await showSession(project.connection, session)).toMatchObject({ status: 'terminated', stop_hooks: [] });
  });

  test('a session that exceeded a time limit set in Temporal is shown as timed out', async () => {
    const session_id = `timed-${randomUUID()}`;
    const argument = { format: 1, session_id, environment: 'dev', scope: 'integration', idle_ms: 60_000, user: USER };
    await byHand([argument], session_id, { workflowExecutionTimeout: '2s' });
    await workflowOf(session_id)
      .result()
      .catch(() => {});
    const seen = await showSession(project.connection, session_id);
    expect(seen).toMatchObject({ status: 'timed_out', reason: null, stop_hooks: [] });
    expect(seen.ended_at).not.toBeNull();
  });

  test('a session that failed at its start, because it was started without our client, is not found', async () => {
    const session = `forged-${randomUUID()}`;
    await byHand([{ format: 1 }], session);
    await workflowOf(session)
      .result()
      .catch(() => {});
    const error = await showSession(project.connection, session).catch((caught: AbilityError) => caught);
    expect(error).toMatchObject({ code: 'session.not_found', message: expect.stringContaining('failed') });
  });
});
