import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { promptSession, showSession, startSession } from '../../src/client/index.js';
import { sessionIdOf, taskQueueOf, WORKFLOWS } from '../../src/contracts/names.js';
import type { AbilityError } from '../../src/contracts/problem.js';
import type { SessionStart } from '../../src/contracts/session.js';
import { renderSession } from '../../src/doors/cli/commands/session.js';
import { replayHistory } from '../../src/worker/replay/replay-history.js';
import { operation, projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/sessions.md'), 'utf8');
const [, start = ''] = /<!-- start -->\n```yaml\n([\s\S]*?)```/.exec(page) ?? [];
const HOOKS = 'registry/hooks/SessionStart.yaml';

describe('a guard at the start of sessions', () => {
  let project: RunningProject;
  const person = (name: string) => ({ name, source: 'claimed' }) as const;
  const begin = async (name: string, more = {}): Promise<string> =>
    (await startSession(project.connection, { environment: 'dev', scope: 'integration', user: person(name), ...more }))
      .session_id;
  const problem = async (promise: Promise<unknown>): Promise<AbilityError | undefined> =>
    promise.then(
      () => undefined,
      (error: AbilityError) => error,
    );
  /** Temporal lists a started session only a moment later. */
  const listed = (count: number): Promise<void> =>
    expect
      .poll(
        async () => {
          const query = `WorkflowType = '${WORKFLOWS.session}' AND AbilityProject = '${project.connection.project}'`;
          return (await project.connection.temporal.workflow.count(query)).count;
        },
        { timeout: 20_000 },
      )
      .toBe(count);

  beforeAll(async () => {
    project = await runProject({
      'ability.yaml': projectFile('{ dev: {}, test: {} }'),
      [HOOKS]: start,
      ...operation('op.plain', 'return 1;'),
    });
    await project.host().serve([{ environment: 'dev', placement: 'local' }]);
  });
  afterAll(() => project.stop());

  test('at most N sessions per caller and day are enforced by one guard, that of the documentation', async () => {
    const most = Number(/>= (\d+)/.exec(start)?.[1]);
    expect(most).toBeGreaterThan(0);
    for (let count = 0; count < most; count += 1) {
      await begin('ada');
      await listed(count + 1);
    }
    const refused = await problem(begin('ada', { id: 'one-more' }));
    expect(refused).toMatchObject({ code: 'guard.denied' });
    await listed(most + 1);
    // Another caller has a separate count, and a refused session does not count for any caller.
    await begin('bob');
    const { connection } = project;
    const seen = await showSession(connection, 'one-more');
    expect(renderSession(seen).join('\n')).toContain('did not let it start: A caller starts at most five');
    expect(seen).toMatchObject({
      status: 'refused',
      hooks: [{ hook_id: 'at_most_five_a_day', phase: 'SessionStart', decision: 'deny' }],
    });
    expect((await problem(promptSession(connection, 'one-more', 'x', person('ada'))))?.code).toBe('guard.denied');
    expect((await problem(project.run('op.plain', {}, { session: 'one-more' })))?.code).toBe('session.stopped');
    expect((await problem(begin('ada', { id: 'one-more' })))?.code).toBe('session.stopped');
    const workflowId = sessionIdOf(connection.project, 'one-more');
    const history = await connection.temporal.workflow.getHandle(workflowId).fetchHistory();
    expect(await replayHistory({ name: 'refused', workflowId, history })).toMatchObject({ status: 'ok' });
  });

  test('also applies to a session started without a client: it accepts no prompt and no task', async () => {
    project.write({
      [HOOKS]: 'hooks: [{ id: never, blocking: true, handler: { expression: { deny_if: "true" } } }]\n',
    });
    const { connection } = project;
    const session_id = `by-hand-${randomUUID()}`;
    const argument: SessionStart = {
      format: 1,
      session_id,
      environment: 'dev',
      scope: 'integration',
      idle_ms: 60_000,
      user: person('mallory'),
    };
    await connection.temporal.workflow.start(WORKFLOWS.session, {
      workflowId: sessionIdOf(connection.project, session_id),
      taskQueue: taskQueueOf(connection.project, 'dev', 'local'),
      args: [argument],
    });
    const prompted = await problem(promptSession(connection, session_id, 'x', person('mallory')));
    expect(prompted).toMatchObject({ code: 'guard.denied' });
  });

  test.each([
    ['an expression that fails', 'handler: { expression: { deny_if: "input.nothing > 1" } }'],
    ['a script that is not there', 'handler: { script: { path: hooks/none.mjs } }'],
    ['a file that cannot be read', 'handler: ['],
    ['a guard that asks for a person', 'handler: { expression: { confirm_if: "true" } }'],
  ])('%s refuses the start, since a guard that cannot answer denies', async (_, handler) => {
    project.write({ [HOOKS]: `hooks:\n  - { id: broken, blocking: true, ${handler} }\n` });
    expect(await problem(begin('ada'))).toMatchObject({ code: 'hook.failed' });
  });

  test('a script receives the event with the scope as its module, and decides', async () => {
    project.write({
      [HOOKS]:
        'hooks: [{ id: s, blocking: true, match: { environments: [dev] }, handler: { script: { path: hooks/s.mjs } } }]\n',
      'hooks/s.mjs': `import { readFileSync } from 'node:fs';
const { event_type, module_id, payload, user_id } = JSON.parse(readFileSync(0, 'utf8'));
const reason = JSON.stringify({ event_type, module_id, scope: payload.scope, user_id });
console.log(JSON.stringify({ guard_decision: user_id === 'eve' ? 'need_user_confirm' : 'deny', reason }));`,
    });
    const refused = await problem(begin('ada', { scope: 'modules/users' }));
    expect(refused?.code).toBe('guard.denied');
    expect(refused?.message).toContain(
      '{"event_type":"SessionStart","module_id":"modules/users","scope":"modules/users","user_id":"ada"}',
    );
    // There is no task yet that could wait for an approval.
    expect(await problem(begin('eve'))).toMatchObject({ code: 'guard.denied' });
  });

  test('without such hooks a session starts, and no hook is listed for it', async () => {
    rmSync(join(project.root, HOOKS));
    const session = await begin('ada');
    expect(await showSession(project.connection, session)).toMatchObject({ status: 'open', hooks: [] });
  });
});
