import { afterAll, beforeAll, expect, test } from 'vitest';
import { promptSession, showSession, startSession, stopSession } from '../../src/client/index.js';
import { sessionIdOf } from '../../src/contracts/names.js';
import { replayHistory } from '../../src/worker/replay/replay-history.js';
import { operation, projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';

/** Events after which the server suggests a new run; by default it takes thousands. */
const EVENTS = 40;
const USER = { name: 'ada', source: 'claimed' } as const;

let server: TestServer;
let project: RunningProject;

beforeAll(async () => {
  server = await startTemporal({ settings: [`limit.historyCount.suggestContinueAsNew=${EVENTS}`] });
  project = await runProject(
    {
      'ability.yaml': projectFile('{ dev: {} }'),
      'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: three, blocking: true, handler: { expression: { deny_if: "session.counts.total >= 3 || size(session.calls) >= 3", reason: Three. } } }
`,
      ...operation('op.plain', 'return 1;'),
    },
    { address: server.address, placements: ['local'] },
  );
});
afterAll(async () => {
  await project.stop();
  await server.stop();
});

test('a session continues as a new run with its turns, tasks and calls, and prompts meanwhile are answered', async () => {
  const { connection } = project;
  const { session_id: session } = await startSession(connection, {
    environment: 'dev',
    scope: 'integration',
    user: USER,
  });
  const handle = connection.temporal.workflow.getHandle(sessionIdOf(connection.project, session));
  const { runId: first } = await handle.describe();
  const call = async () => (await project.run('op.plain', {}, { session })).status;
  const prompt = async () => (await promptSession(connection, session, 'x', USER)).turn_index;
  expect([await call(), await call()]).toEqual(['succeeded', 'succeeded']);
  const turns: number[] = [];
  while (turns.length < 12) turns.push(...(await Promise.all([prompt(), prompt()])));
  expect(turns.sort((a, b) => a - b)).toEqual(Array.from({ length: turns.length }, (_, n) => n + 1));
  const { runId } = await handle.describe();
  expect(runId).not.toBe(first);
  expect([await call(), await call()]).toEqual(['succeeded', 'denied']);
  expect(await showSession(connection, session)).toMatchObject({ turn_index: turns.length, counts: { total: 3 } });
  expect(await stopSession(connection, session)).toMatchObject({ status: 'stopped', turn_index: turns.length });
  const id = sessionIdOf(connection.project, session);
  const history = await connection.temporal.workflow.getHandle(id, first).fetchHistory();
  expect(await replayHistory({ name: id, workflowId: id, history })).toMatchObject({ status: 'ok' });
});
