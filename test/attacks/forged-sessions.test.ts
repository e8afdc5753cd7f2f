import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defaultPayloadConverter, defineSearchAttributeKey } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { promptSession, showSession, startSession, stopSession } from '../../src/client/index.js';
import { ACTIVITIES, SESSION_UPDATES, sessionIdOf, taskQueueOf, WORKFLOWS } from '../../src/contracts/names.js';
import type { AbilityError } from '../../src/contracts/problem.js';
import type { SessionCarried, SessionStart, SignedWord } from '../../src/contracts/session.js';
import { noCalls } from '../../src/rules/sessions/call-ledger.js';
import { continueElsewhere, orderActivity, orderEagerly, startForeign } from '../fixtures/foreign-workflow.js';
import { operation, type ProjectFiles, projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const USER = { name: 'ada', source: 'claimed' } as const;
let project: RunningProject;

const FILES: ProjectFiles = {
  'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: once, match: { abilities: [pay.once] }, blocking: true, handler: { expression: { deny_if: "session.counts.write_additive >= 1", reason: Once. } } }
`,
  'registry/hooks/PromptSubmit.yaml':
    'hooks:\n  - { id: odd, blocking: true, handler: { script: { path: hooks/odd.mjs } } }\n',
  'hooks/odd.mjs': `
import { readFileSync } from 'node:fs';
const { payload } = JSON.parse(readFileSync(0, 'utf8'));
const texts = {
  deep: () => '{"hook_signals":{"x":' + '['.repeat(200_000) + ']'.repeat(200_000) + '}}',
  proto: () => '{"hook_signals":{"__proto__":{"routing_hints":["x"]}}}',
  huge: () => JSON.stringify({ hook_signals: { x: 'y'.repeat(5_000_000) } }),
  kept: () => '{"hook_signals":{"mood":"calm"}}',
};
console.log((texts[payload.prompt] ?? (() => '{}'))());`,
  ...operation('pay.once', "appendFileSync(input.file, 'x'); return 1;", { effects: 'write_additive' }),
  ...operation('plain', 'return 1;'),
};

beforeAll(async () => {
  project = await runProject({ 'ability.yaml': projectFile('{ dev: {}, prod: {} }'), ...FILES });
  await project.run('plain');
});
afterAll(() => project.stop());

const name = () => project.connection.project;
const queue = (environment = 'dev') => taskQueueOf(name(), environment, 'local');
const client = () => project.connection.temporal.workflow;
const handleOf = (session: string) => client().getHandle(sessionIdOf(name(), session));
const fileOf = (key: string) => join(project.root, key);
const paid = (key: string) => (existsSync(fileOf(key)) ? readFileSync(fileOf(key), 'utf8').length : 0);
const startOf = (session_id: string, more: object = {}): SessionStart =>
  ({
    format: 1,
    session_id,
    environment: 'dev',
    scope: 'integration',
    idle_ms: 60_000,
    user: USER,
    ...more,
  }) as SessionStart;
const open = async (): Promise<string> =>
  (await startSession(project.connection, { environment: 'dev', scope: 'integration', user: USER })).session_id;
const attributes = () => ({ AbilityProject: name() });
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => (value as { error?: { code?: string } } | undefined)?.error?.code ?? 'none',
    (error: AbilityError & { cause?: { type?: string } }) => error.cause?.type ?? error.code ?? error,
  );
/** Counts as a forger would set them: so far below zero that no limit is ever reached. */
const forged = (): SessionCarried => ({
  started_at: new Date().toISOString(),
  active_at: new Date().toISOString(),
  turn_index: 0,
  turn_context: null,
  hooks: [],
  tasks: [],
  guards: [],
  calls: [],
  counts: { ...noCalls(), write_additive: -100, total: -100 },
  unlisted: {},
  left_out: 0,
  unknown_signals: [],
});

describe('a guard over a session does not accept', () => {
  test('a session that foreign code continues with forged counts', async () => {
    const session = 'forged-goes-on';
    const at = await startForeign(project.connection, sessionIdOf(name(), session), WORKFLOWS.session, []);
    const args = [startOf(session, { carried: forged() })];
    const next = { type: WORKFLOWS.session, queue: queue(), args, attributes: attributes() };
    await continueElsewhere(project.connection, at, next);
    // The forged counts are visible, but nothing relies on them.
    expect((await showSession(project.connection, session)).counts.total).toBe(-100);
    expect(await codeOf(project.run('pay.once', { file: fileOf(session) }, { session }))).toBe('session.not_found');
    expect(await codeOf(promptSession(project.connection, session, 'x', USER))).toBe('seal.invalid');
    expect(paid(session)).toBe(0);
    await handleOf(session).terminate();
  });

  test('foreign code that receives the first workflow task of a session past the queue', async () => {
    const session = 'forged-eager';
    const start = { workflowId: sessionIdOf(name(), session), type: WORKFLOWS.session, args: [startOf(session)] };
    const { user, ...surroundings } = startOf(session);
    const argument = { ...surroundings, user, prompt: 'kept', turn_index: 1, moment: 0, guards: [], tasks: [] };
    const order = { type: ACTIVITIES.askPrompt, queue: queue(), argument };
    expect(await orderEagerly(project.connection, { ...start, attributes: attributes() }, order)).toBe('seal.invalid');
    expect(await codeOf(project.run('pay.once', { file: fileOf(session) }, { session }))).toBe('session.not_found');
    expect(paid(session)).toBe(0);
    await handleOf(session).terminate();
  });

  test('a workflow on another queue, or of another type', async () => {
    const typedSearchAttributes = [{ key: defineSearchAttributeKey('AbilityProject', 'KEYWORD'), value: name() }];
    for (const [session, type, taskQueue] of [
      ['forged-queue', WORKFLOWS.session, 'a-queue-of-others'],
      ['forged-type', 'ability:other', queue()],
    ] as const) {
      const workflowId = sessionIdOf(name(), session);
      await client().start(type, { workflowId, taskQueue, args: [startOf(session)], typedSearchAttributes });
      expect(await codeOf(project.run('pay.once', { file: fileOf(session) }, { session }))).toBe('session.not_found');
      expect(paid(session)).toBe(0);
    }
    await handleOf('forged-queue').terminate();
  });

  test('a session of another project, a stopped session, or an invalid id', async () => {
    const other = await runProject({ 'ability.yaml': projectFile(), ...operation('plain', 'return 1;') });
    try {
      await other.run('plain');
      const { session_id } = await startSession(other.connection, {
        environment: 'dev',
        scope: 'integration',
        user: USER,
      });
      const stopped = await open();
      await stopSession(project.connection, stopped);
      const file = fileOf('odd-sessions');
      const named = [
        session_id,
        `../${session_id}`,
        `${other.connection.project}:${session_id}`,
        'a/../b',
        'a\nb',
        '__proto__',
        '',
      ];
      for (const session of named) {
        // As any client that may start workflows can claim it.
        const started = client().execute('pay.once', {
          workflowId: `odd-${named.indexOf(session)}`,
          taskQueue: queue(),
          args: [{ file }, { user: { name: USER.name }, session }],
        });
        expect([session, await codeOf(started)]).toEqual([session, 'session.not_found']);
      }
      expect(await codeOf(project.run('pay.once', { file }, { session: stopped }))).toBe('session.stopped');
      expect(paid('odd-sessions')).toBe(0);
    } finally {
      await other.stop();
    }
  }, 60_000);

  test('the same session in another environment as a new one: the calls of both count', async () => {
    const session = await open();
    const [one, two] = ['dev', 'prod'].map((environment) => ({ session, environment }));
    const file = fileOf('both');
    expect((await project.run('pay.once', { file }, one)).status).toBe('succeeded');
    expect((await project.run('pay.once', { file }, two)).status).toBe('denied');
    expect(paid('both')).toBe(1);
  });
});

describe('a session', () => {
  test.each<[string, object]>([
    ['forged counts of an earlier run', { carried: forged() }],
    ['a scope outside of the project', { scope: '../../etc' }],
    ['a scope that is absolute', { scope: '/etc' }],
    ['a scope that leaves the project further on', { scope: 'a/../../b' }],
    ['a scope with a second line', { scope: 'a\nb' }],
    ['an id with a path', { session_id: '../x' }],
    ['an id with a colon', { session_id: 'a:b' }],
    ['no idle limit', { idle_ms: null }],
    ['a user that is not an object', { user: 'ada' }],
    ['another format', { format: 2 }],
  ])('that is started by hand is refused with %s', async (what, more) => {
    const start = startOf(`by-hand-${what.length}`, more);
    const workflowId = sessionIdOf(name(), start.session_id);
    const handle = await client().start(WORKFLOWS.session, { workflowId, taskQueue: queue(), args: [start] });
    expect(await codeOf(handle.result())).toBe('seal.invalid');
  });

  test('writes no signals outside of the project, through a link, or to something that is not a file', async () => {
    const outside = join(dirname(project.root), `${name()}-outside`);
    mkdirSync(outside);
    try {
      symlinkSync(outside, fileOf('linked'));
      mkdirSync(fileOf('file/workdocs'), { recursive: true });
      symlinkSync(join(outside, 'stolen.md'), fileOf('file/workdocs/hook-signals.md'));
      for (const scope of ['linked/deeper', 'linked', 'file']) {
        const wanted = { environment: 'dev', scope, user: USER };
        const { session_id } = await startSession(project.connection, wanted);
        await promptSession(project.connection, session_id, 'kept', USER);
        const { hooks, unknown_signals } = await showSession(project.connection, session_id);
        expect(unknown_signals).toHaveLength(1);
        expect(hooks.at(-1)?.reason).toMatch(/were not written/);
      }
      expect(readdirSync(outside)).toEqual([]);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test.each(['deep', 'proto', 'huge'])('continues after a hook with a %s answer, which is ignored', async (prompt) => {
    const session = await open();
    const { hook_signals } = await promptSession(project.connection, session, prompt, USER);
    expect(hook_signals).toEqual({ routing_hints: [], ability_guards: [], risk_alerts: [] });
    expect((await showSession(project.connection, session)).hooks).toMatchObject([{ hook_id: 'odd', status: 'error' }]);
    expect((await promptSession(project.connection, session, 'kept', USER)).turn_index).toBe(2);
  });

  test('accepts no update that was meant for another session, repeated, sent as a signal, or altered', async () => {
    const [one, two] = [await open(), await open()];
    expect((await project.run('pay.once', { file: fileOf('words') }, { session: one })).status).toBe('succeeded');
    const { events } = await handleOf(one).fetchHistory();
    const words = (events ?? []).flatMap(({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) => {
      const { name: update, args } = accepted?.acceptedRequest?.input ?? {};
      const [payload] = args?.payloads ?? [];
      return update === SESSION_UPDATES.word && payload
        ? [defaultPayloadConverter.fromPayload<SignedWord>(payload)]
        : [];
    });
    expect(words.map(({ word }) => word.kind)).toEqual(['task', 'call', 'ended']);
    const send = (session: string, word: unknown) =>
      codeOf(handleOf(session).executeUpdate(SESSION_UPDATES.word, { args: [word] }));
    const before = (await showSession(project.connection, one)).counts;
    for (const word of words) {
      expect(await send(two, word)).toBe('seal.invalid');
      expect(await send(two, { ...word, session: sessionIdOf(name(), two) })).toBe('seal.invalid');
      await send(one, word);
      await handleOf(one).signal(SESSION_UPDATES.word, word);
    }
    const ended = words.find(({ word }) => word.kind === 'ended') as SignedWord;
    expect(await send(one, { ...ended, word: { ...ended.word, status: 'denied' } })).toBe('seal.invalid');
    expect(await send(one, { ...ended, key_id: '__proto__' })).toBe('seal.unknown_key');
    expect((await showSession(project.connection, one)).counts).toEqual(before);
    expect((await showSession(project.connection, two)).counts).toEqual(noCalls());
    expect((await project.run('pay.once', { file: fileOf('words') }, { session: one })).status).toBe('denied');
    expect(paid('words')).toBe(1);
  });

  test('lets no other workflow use its activities', async () => {
    const session = await open();
    const at = await startForeign(project.connection, 'lends-nothing', WORKFLOWS.session, []);
    const argument = {
      ...startOf(session),
      reason: 'stop',
      turns: 0,
      moment: 0,
      tasks: [],
      guards: [],
      prompt: 'kept',
    };
    for (const type of [ACTIVITIES.askPrompt, ACTIVITIES.endSession]) {
      const order = { type, queue: queue(), argument };
      expect([type, await orderActivity(project.connection, at, order)]).toEqual([type, 'seal.invalid']);
    }
  });
});
