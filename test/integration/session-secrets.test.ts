import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { promptSession, showSession, startSession, stopSession } from '../../src/client/index.js';
import { sessionIdOf } from '../../src/contracts/names.js';
import { renderSession, renderTurn } from '../../src/doors/cli/commands/session.js';
import { operation, projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const SECRET = 'open-sesame-4711';
const USER = { name: 'ada', source: 'claimed' } as const;
/** A hook that has the secret and writes it into every field. */
const LEAK = `
import { readFileSync } from 'node:fs';
const { event_type } = JSON.parse(readFileSync(0, 'utf8'));
const text = 'it is ' + process.env.TOKEN;
const isPrompt = event_type === 'PromptSubmit';
const ability_guard = { ability_id: 'op.other', decision: 'deny', reason: text, suggestion: text };
console.log(JSON.stringify({
  guard_decision: isPrompt ? 'allow' : 'need_user_confirm',
  reason: text,
  suggestion: text,
  hook_signals: {
    routing_hint: text, risk_alerts: [text], normalized_intent: { text }, ability_guard, [text]: text, mood: [{ text }],
  },
  log: text,
}));`;
const LEAKING = 'handler: { script: { path: hooks/leak.mjs, env: { TOKEN: "env:TOKEN" } } }';

let project: RunningProject;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }'),
    '.env.dev': `TOKEN=${SECRET}\n`,
    'registry/hooks/PromptSubmit.yaml': `hooks: [{ id: leak, blocking: true, ${LEAKING} }]\n`,
    'registry/hooks/SessionStop.yaml': `hooks: [{ id: last, ${LEAKING} }]\n`,
    'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: leaky, ${LEAKING} }
  - { id: seen, blocking: true, match: { abilities: [op.look] }, handler: { expression: { deny_if: "session.calls.exists(c, c.input.text.contains('sesame'))", reason: A guard saw the secret. } } }
  - { id: masked, blocking: true, match: { abilities: [op.look] }, handler: { expression: { deny_if: "!session.calls.exists(c, c.ability == 'op.use' && c.input.text == 'it is ***')", reason: It is not masked. } } }
`,
    'hooks/leak.mjs': LEAK,
    ...operation('op.use', 'return { used: process.env.TOKEN };', { script: ', env: { TOKEN: "env:TOKEN" }' }),
    ...operation('op.leaky', 'return 1;', { yaml: 'hooks: { pre_call: [leaky] }' }),
    ...operation('op.look', 'return 1;'),
  });
});
afterAll(() => project.stop());

function textsUnder(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}

test('known secrets are masked in what guards see of calls, in the turn context, in show, in the history and in the workdocs', async () => {
  const { connection, root } = project;
  const started = await startSession(connection, { environment: 'dev', scope: 'modules/users', user: USER });
  const session = started.session_id;
  const more = { session, scope: 'modules/users' };
  // The caller passes the secret in an input, of which the session stores what guards count over.
  expect(await project.run('op.use', { text: `it is ${SECRET}` }, more)).toMatchObject({ status: 'succeeded' });
  expect(await project.run('op.look', {}, more)).toMatchObject({ status: 'succeeded', error: null });
  const { id } = await project.create('op.leaky', {}, more);
  expect(await project.wait(id, { approvalMs: 0 })).toMatchObject({ kind: 'approval' });
  const turn = await promptSession(connection, session, 'hello', USER);
  expect(turn.hook_signals).toEqual({
    routing_hints: [{ source: 'PromptSubmit.leak', hint: 'it is ***' }],
    ability_guards: [
      {
        ability_id: 'op.leaky',
        decision: 'need_user_confirm',
        reason: 'it is ***',
        suggestion: 'it is ***',
        source: 'PreAbilityCall.leaky',
      },
      {
        ability_id: 'op.other',
        decision: 'deny',
        reason: 'it is ***',
        suggestion: 'it is ***',
        source: 'PromptSubmit.leak',
      },
    ],
    risk_alerts: ['it is ***'],
    normalized_intent: { text: 'it is ***' },
  });
  const seen = await showSession(connection, session);
  expect(seen.unknown_signals.map(({ name }) => name).sort()).toEqual(['it is ***', 'mood']);
  expect(JSON.stringify(seen)).not.toContain(SECRET);
  expect(renderSession(seen).join('\n') + renderTurn(turn).join('\n')).not.toContain(SECRET);
  const end = await stopSession(connection, session);
  expect(end.stop_hooks).toMatchObject([{ hook_id: 'last', infra: { log: 'it is ***' } }]);
  expect(JSON.stringify(end)).not.toContain(SECRET);
  const workdocs = textsUnder(join(root, 'modules/users/workdocs'));
  expect(workdocs).toContain('mood');
  expect(workdocs).not.toContain(SECRET);
  const handle = connection.temporal.workflow.getHandle(sessionIdOf(connection.project, session));
  const history = JSON.parse(historyToJSON(await handle.fetchHistory()));
  expect(decodedTexts(history)).toContain('it is ***');
  expect(decodedTexts(history)).not.toContain(SECRET);
  expect(textsUnder(connection.paths.records)).not.toContain(SECRET);
});

/** All texts of a history, with the data of its payloads decoded. */
function decodedTexts(value: unknown): string {
  if (Array.isArray(value)) return value.map(decodedTexts).join('\n');
  if (value === null || typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([key, item]) => (key === 'data' ? Buffer.from(String(item), 'base64').toString('utf8') : decodedTexts(item)))
    .join('\n');
}
