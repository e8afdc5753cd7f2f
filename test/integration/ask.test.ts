import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRecord, showSession, viewTask } from '../../src/client/index.js';
import type { RunLogLine } from '../../src/contracts/routing.js';
import { abilityJson, ability as called } from '../fixtures/called-command.js';
import type { CommandOptions } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { type OpenDoor, openDoor } from '../fixtures/http-door.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;
let door: OpenDoor;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('\n  dev: {}\n  prod: {}', 'default_environment: dev'),
    ...operation('notes.search', 'return { found: input.query ?? null };', {
      yaml: 'use_cases: ["Search the notes for a text"]\ninput_schema: { type: object, properties: { query: { type: string } } }',
    }),
    ...operation('notes.delete', 'console.log("gone"); return { deleted: input.note_id };', {
      effects: 'write_idempotent',
      yaml: 'use_cases: ["Delete one note by its id"]\ninput_schema: { type: object, required: [note_id], properties: { note_id: { type: string } } }',
    }),
    ...operation('backup.check', 'throw new Error("the disk is gone");', {
      yaml: 'use_cases: ["Check that the last backup can be read"]',
    }),
    ...operation('rows.drop', 'return input;', {
      effects: 'destructive',
      yaml: 'use_cases: ["Drop the rows of a test"]',
    }),
    ...workflow(
      'listens',
      'steps: [{ id: ready, wait: { signal: build_done, timeout: 10m } }]\noutput: "${{ steps.ready.status }}"',
    ),
    ...workflow('picky', 'steps: [{ id: ready, wait: { signal: tested, if: signal.ok, timeout: 10m } }]'),
    ...workflow('release', 'scenarios: [Release a build to the customers]\nsteps: [{ id: a, call: notes.search }]'),
    'registry/hooks/PromptSubmit.yaml': `
hooks:
  - { id: no_drops, blocking: true, handler: { script: { path: scripts/no-drops.mjs } } }`,
    'scripts/no-drops.mjs': `
const guard = { ability_id: 'rows.drop', decision: 'deny', reason: 'Rows are dropped by the operator alone' };
console.log(JSON.stringify({ hook_signals: { ability_guards: [guard] } }));`,
    'registry/packs.yaml': `
specialists:
  shipping: { description: Ships what was built., keywords: [ship], workflow: release, capabilities: [] }`,
  });
  door = await openDoor(project.connection);
});
afterAll(async () => {
  await door.close();
  await project.stop();
});

const options = (env: Record<string, string> = {}): CommandOptions => ({ cwd: project.root, env });
const at = (): string[] => ['--address', project.connection.address];
const ask = (args: string[], env: Record<string, string> = {}) => abilityJson(['ask', ...args, ...at()], options(env));
const linesOf = (run: string): RunLogLine[] =>
  readFileSync(join(project.root, '.system', 'runs', run, 'runlog.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RunLogLine);
const kindsOf = (run: string): string[] => linesOf(run).map(({ kind }) => kind);

describe('ability ask', () => {
  test('a request that only reads runs at once, and the run is logged from the start (R-003-18, R-004-16, R-004-20)', async () => {
    const { json, exitCode } = await ask(['search the notes for "invoice"']);
    expect({ exitCode, json }).toMatchObject({
      exitCode: 0,
      json: {
        outcome: 'runs',
        decision: { decision: 'tool', target: { extensionId: 'notes', capabilityId: 'search' }, router: 'rules' },
        plan: [{ ability_id: 'notes.search', input: { query: 'invoice' }, effects: 'read', approvals: [] }],
        tasks: [{ ability_id: 'notes.search', status: 'succeeded', result: { output: { found: 'invoice' } } }],
        turn_context: { turn_index: 1 },
        _meta: { pack: null, required_capabilities: [], routing_method: 'heuristic_fallback' },
      },
    });
    expect(kindsOf(json.run)).toEqual(['recruitment', 'decision', 'plan', 'task', 'answer']);
    for (const line of linesOf(json.run)) expect(Object.keys(line)).toEqual(['ts', 'kind', 'step', 'payload']);
    expect(readRecord(project.connection, json.tasks[0].task_key)).toMatchObject({
      run: json.run,
      intent: 'search the notes for "invoice"',
    });
    // The session was opened for the request, and nothing waits in it.
    expect(await showSession(project.connection, json.session_id)).toMatchObject({ status: 'stopped' });
  });

  test('a missing input is requested, then the plan is shown; nothing runs before a yes (R-003-05, R-003-20)', async () => {
    const first = await ask(['delete a note please']);
    expect(first).toMatchObject({
      exitCode: 5,
      json: { outcome: 'asks', question: 'What is the note_id for notes.delete?', tasks: [] },
    });
    const { session_id: session } = first.json;
    const second = await ask(['--session', session, 'n-42']);
    expect(second).toMatchObject({
      exitCode: 5,
      json: {
        question: 'Run notes.delete with note_id="n-42" in dev? (write idempotent)',
        options: ['yes', 'no'],
        decision: { stage: 'a', continuation: { kind: 'slot_request', value: 'n-42' } },
      },
    });
    const third = await ask(['--session', session, 'ok']);
    expect(third).toMatchObject({
      exitCode: 0,
      json: { outcome: 'runs', tasks: [{ status: 'succeeded', result: { output: { deleted: 'n-42' } } }] },
    });
    expect(kindsOf(third.json.run)).toEqual(['recruitment', 'decision', 'plan', 'approval', 'task', 'answer']);
    expect(await showSession(project.connection, session)).toMatchObject({ status: 'stopped', turn_index: 3 });
  });

  test('no means no, and the text after it is a new request (R-003-04)', async () => {
    const { json } = await ask(['delete the note with note_id n-7']);
    expect(json).toMatchObject({ outcome: 'asks', plan: [{ input: { note_id: 'n-7' } }] });
    expect(await ask(['--session', json.session_id, 'no'])).toMatchObject({
      exitCode: 0,
      json: { outcome: 'answers', answer: 'Nothing was run.', tasks: [] },
    });
  });

  test('a stale question is not answered by a new request (R-003-23, R-003-29)', async () => {
    const { json } = await ask(['delete the note with note_id n-8']);
    const next = await ask(['--session', json.session_id, 'search the notes for "yes"']);
    expect(next.json).toMatchObject({
      outcome: 'runs',
      plan: [{ ability_id: 'notes.search', input: { query: 'yes' } }],
    });
  });

  describe('signals that tasks of the session wait for (R-003-01, R-003-04)', LONG, () => {
    const begin = async (...abilities: string[]): Promise<{ session: string; keys: string[] }> => {
      const { json } = await abilityJson(['session', 'start', ...at()], options());
      const keys: string[] = [];
      for (const ability of abilities) {
        const task = await abilityJson(['run', ability, '--detach', '--session', json.session_id, ...at()], options());
        keys.push(task.json.task_key);
        await expect
          .poll(async () => (await viewTask(project.connection, task.json.task_key)).view?.waits?.length, {
            timeout: 20_000,
          })
          .toBe(1);
      }
      return { session: json.session_id, keys };
    };

    test('are chosen by name and sent once; a number that was never shown chooses none', async () => {
      const {
        session,
        keys: [key = ''],
      } = await begin('listens');
      const number = await ask(['--session', session, '1']);
      expect(number.json.decision.continuation).toBeNull();
      const again = ['--session', session, 'build_done', '--key', 'sends-once'];
      const sent = await ask(again);
      expect(sent).toMatchObject({
        exitCode: 0,
        json: {
          outcome: 'answers',
          answer: `${key} was sent build_done.`,
          decision: { continuation: { kind: 'workflow_waiting' } },
        },
      });
      expect((await project.wait(key)).result).toMatchObject({ status: 'succeeded' });
      expect((await ask(again)).json.answer).toBe(sent.json.answer);
      expect(kindsOf('sends-once').filter((kind) => kind === 'task')).toHaveLength(1);
    });

    test('are offered on "continue", and then have numbers', async () => {
      const { session, keys } = await begin('listens', 'listens');
      const question = await ask(['--session', session, 'continue']);
      const labels = keys.map((key) => `build_done (${key})`);
      expect(question).toMatchObject({ exitCode: 5, json: { outcome: 'asks', options: labels } });
      expect((await ask(['--session', session, 'the second one'])).json.answer).toBe(`${keys[1]} was sent build_done.`);
      expect((await project.wait(keys[1] ?? '')).result).toMatchObject({ status: 'succeeded' });
      expect((await ask(['--session', session, 'build_done'])).json.answer).toBe(`${keys[0]} was sent build_done.`);
    });

    test('do not capture requests, and agents choose none', async () => {
      const {
        session,
        keys: [key = ''],
      } = await begin('listens');
      expect((await ask(['--session', session, 'search the notes for "build_done"'])).json).toMatchObject({
        outcome: 'runs',
      });
      const agent = await ask(['--session', session, 'build_done'], { ABILITY_CALLER: 'agent' });
      expect(agent.json).toMatchObject({
        outcome: 'answers',
        answer: expect.stringContaining(`ability task signal ${key} build_done`),
      });
      expect((await viewTask(project.connection, key)).view?.waits).toHaveLength(1);
    });

    test('that need a payload are not sent, and the answer explains how to send them', async () => {
      const {
        session,
        keys: [key = ''],
      } = await begin('picky');
      const { json } = await ask(['--session', session, 'tested']);
      expect(json.answer).toContain(`ability task signal ${key} tested --payload JSON`);
      expect((await viewTask(project.connection, key)).view?.waits).toHaveLength(1);
    });

    test('of a task that is still running keep the session of its request', async () => {
      const first = await ask(['run listens', '--yes', '--timeout', '3s']);
      const [run] = readdirSync(join(project.root, '.system', 'runs')).filter((id) =>
        linesOf(id).some(({ kind, payload }) => kind === 'task' && payload.ability_id === 'listens'),
      );
      expect({ exit: first.exitCode, run }).toEqual({ exit: 6, run: expect.any(String) });
      const task = linesOf(run ?? '').find(({ kind }) => kind === 'task')?.payload.task_key;
      const next = await ask(['--session', run ?? '', 'build_done']);
      expect(next.json.answer).toBe(`${task} was sent build_done.`);
    });
  });

  test('--yes agrees to no change; --plan agrees to the plan that was shown and to no other (R-003-20, C-27)', async () => {
    const request = ['delete the note with note_id n-9'];
    const shown = await ask([...request, '--yes']);
    expect(shown).toMatchObject({ exitCode: 5, json: { outcome: 'asks', unused: [], tasks: [] } });
    const { reference } = shown.json.plan[0];
    for (const other of [
      [...request, '--plan', 'a'.repeat(64)],
      ['delete the note with note_id n-99', '--plan', reference],
    ]) {
      expect(await ask(other)).toMatchObject({
        exitCode: 3,
        json: { outcome: 'unavailable', problem: { code: 'plan.changed' }, tasks: [] },
      });
    }
    const gone = await ask(['send an e-mail to everyone', '--plan', reference]);
    expect(gone).toMatchObject({ exitCode: 3, json: { problem: { code: 'plan.changed' }, tasks: [] } });
    expect(await ask([...request, '--plan', reference])).toMatchObject({
      exitCode: 0,
      json: { outcome: 'runs', tasks: [{ status: 'succeeded', result: { output: { deleted: 'n-9' } } }] },
    });
  });

  test('a request of which words would be dropped is a question that names them', async () => {
    expect(await ask(['search the notes for "rent" of Bob'])).toMatchObject({
      exitCode: 5,
      json: { outcome: 'asks', unused: ['Bob'], plan: [{ ability_id: 'notes.search' }], tasks: [] },
    });
    const first = await ask(['delete the note with note_id n-9 on Monday', '--yes']);
    const question = '"Monday" would not be used. Do you mean notes.delete?';
    expect(first.json).toMatchObject({ outcome: 'asks', question, tasks: [] });
    const { json } = await ask(['--session', first.json.session_id, 'yes', '--yes']);
    expect(json).toMatchObject({ outcome: 'asks', unused: ['Monday'], tasks: [] });
    expect(json.question).toBe(
      '"Monday" would not be used. Run notes.delete with note_id="n-9" in dev? (write idempotent)',
    );
  });

  test('an agent cannot agree, with --yes or in a session (C-27)', async () => {
    const env = { ABILITY_CALLER: 'agent' };
    expect(await ask(['delete the note with note_id n-10', '--yes'], env)).toMatchObject({
      exitCode: 0,
      json: { outcome: 'planned', plan: [{ ability_id: 'notes.delete' }], tasks: [] },
    });
    const { json } = await ask(['delete the note with note_id n-11']);
    expect(await ask(['--session', json.session_id, 'yes'], env)).toMatchObject({
      json: { outcome: 'planned', tasks: [] },
    });
  });

  test('a failed task is offered again, and "yes" retries it (R-003-23)', LONG, async () => {
    const { json, exitCode } = await ask(['check the last backup']);
    expect({ exitCode, json }).toMatchObject({
      exitCode: 1,
      json: { tasks: [{ status: 'failed' }], answer: expect.stringContaining('Shall it be tried again?') },
    });
    const again = await ask(['--session', json.session_id, 'yes try again']);
    expect(again.json).toMatchObject({
      outcome: 'runs',
      decision: { references: { refersTo: 'pending' } },
      tasks: [{ task_key: `${json.tasks[0].task_key}.r2`, status: 'failed' }],
    });
  });

  test('what a guard of the prompt denies is not run (R-002-38)', async () => {
    const { json, exitCode } = await ask(['drop the rows of the test', '--yes']);
    expect({ exitCode, json }).toMatchObject({
      exitCode: 4,
      json: { outcome: 'unavailable', problem: { code: 'guard.denied' }, tasks: [] },
    });
  });

  test('nothing runs if no ability fits', async () => {
    const { json, exitCode } = await ask(['send an e-mail to everyone']);
    expect({ exitCode, json }).toMatchObject({ exitCode: 0, json: { outcome: 'answers', tasks: [], plan: [] } });
    expect(json.answer).toMatch(/^No ability here does that, so nothing was run\./);
  });

  test('a named pack decides (R-004-22, R-004-23)', async () => {
    expect(await ask(['whatever it takes', '--pack', 'shipping'])).toMatchObject({
      exitCode: 5,
      json: {
        outcome: 'asks',
        plan: [{ ability_id: 'release' }],
        _meta: { pack: 'shipping', routing_method: 'explicit' },
      },
    });
    expect(await ask(['whatever it takes', '--pack', 'flying'])).toMatchObject({
      exitCode: 2,
      json: { error: { code: 'pack.not_found' } },
    });
  });

  test('the same id with the same request is the same run; with another request it is refused', LONG, async () => {
    const args = ['search the notes for "twice"', '--key', 'my-run'];
    const [first, second] = await Promise.all([ask(args), ask(args)]);
    const third = await ask(args);
    const keys = [first, second, third].map(({ json }) => json.tasks[0].task_key);
    expect(new Set(keys)).toEqual(new Set(['my-run.t1']));
    expect(await ask(['search the notes for "thrice"', '--key', 'my-run'])).toMatchObject({
      exitCode: 2,
      json: { error: { code: 'runlog.key_conflict' } },
    });
  });

  test('--dry-run contacts no server and writes nothing', async () => {
    const { json, exitCode } = await abilityJson(['ask', 'search the notes', '--dry-run'], {
      ...options(),
      env: { TEMPORAL_ADDRESS: '127.0.0.1:1' },
    });
    expect({ exitCode, json }).toMatchObject({
      exitCode: 0,
      json: { outcome: 'planned', run: null, session_id: null },
    });
  });

  test('the run is logged even if the server is unreachable (R-004-16)', LONG, async () => {
    const { exitCode } = await abilityJson(
      ['ask', 'search the notes', '--key', 'no-server', '--address', '127.0.0.1:1'],
      options(),
    );
    expect(exitCode).toBe(7);
    expect(kindsOf('no-server')).toEqual(['recruitment']);
  });

  test.each([[['  ']], [['x'.repeat(262_145)]]])('an invalid request is refused', async (args) => {
    expect(await ask(args)).toMatchObject({ exitCode: 2, json: { error: { code: 'usage.invalid' } } });
  });

  test('for people: the plan with its reason on stderr, and the question with how to answer it', async () => {
    const { stdout, stderr, exitCode } = await called(['ask', 'delete the note with note_id n-12', ...at()], options());
    expect(exitCode).toBe(5);
    expect(stdout).toBe('Run notes.delete with note_id="n-12" in dev? (write idempotent) (yes or no)');
    expect(stderr).toContain('notes.delete  write idempotent\n  note_id  "n-12"\n  because it has ');
    expect(stderr).toMatch(/Answer with: ability .*ask --session r-\w+ ANSWER/);
  });
});

describe('POST /v1/runs with a prompt', () => {
  const post = (body: object, headers: Record<string, string> = {}) => door.call('POST', '/v1/runs', { body, headers });

  test('runs what only reads, under the id of the request (R-004-20, R-004-21)', async () => {
    const body = { prompt: 'search the notes for "door"', wait: '60s' };
    const first = await post(body, { 'idempotency-key': 'from-http' });
    expect(first).toMatchObject({
      status: 200,
      body: {
        run: 'from-http',
        outcome: 'runs',
        tasks: [{ task_key: 'from-http.t1', status: 'succeeded', result: { output: { found: 'door' } } }],
        _meta: { pack: null, required_capabilities: [] },
      },
    });
    const second = await post(body, { 'idempotency-key': 'from-http' });
    expect(second.body).toMatchObject({ run: 'from-http', tasks: [{ task_key: 'from-http.t1', status: 'succeeded' }] });
    expect(await post({ prompt: 'another' }, { 'idempotency-key': 'from-http' })).toMatchObject({
      body: { code: 'runlog.key_conflict' },
    });
  });

  test('_meta has the capabilities that the request needs, and the pack whose ability would run (R-004-20, R-004-21)', async () => {
    const { body } = await post({ prompt: 'search the notes for "web search"', wait: '60s' });
    const { _meta } = body as never as { _meta: Record<string, unknown> };
    expect(_meta).toMatchObject({ pack: null, required_capabilities: ['web_search'] });
    const released = await post({ prompt: 'run release' });
    expect(released.body).toMatchObject({ outcome: 'asks', _meta: { pack: 'shipping', required_capabilities: [] } });
  });

  test('asks, and is answered by the next prompt in the session', LONG, async () => {
    const { status, body } = await post({ prompt: 'delete the note with note_id n-13' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { outcome: 'asks', options: ['yes', 'no'], tasks: [] },
    });
    const { session_id: session } = body as never as { session_id: string };
    expect(await post({ prompt: 'yes', session, wait: '60s' })).toMatchObject({
      status: 200,
      body: { outcome: 'runs', tasks: [{ status: 'succeeded' }] },
    });
  });

  test('with the plan that was shown, that plan runs, and no other (R-003-20)', LONG, async () => {
    const prompt = 'delete the note with note_id n-14';
    const { body } = await post({ prompt });
    const [{ reference }] = (body as never as { plan: [{ reference: string }] }).plan;
    expect(await post({ prompt: 'delete the note with note_id n-15', plan: reference })).toMatchObject({
      body: { outcome: 'unavailable', problem: { code: 'plan.changed' }, tasks: [] },
    });
    expect(await post({ prompt, plan: reference, wait: '60s' })).toMatchObject({
      status: 200,
      body: { outcome: 'runs', tasks: [{ status: 'succeeded' }] },
    });
  });

  test('accepts a pack with the prompt (R-004-22)', async () => {
    expect(await post({ prompt: 'go', pack: 'shipping' })).toMatchObject({
      status: 200,
      body: { outcome: 'asks', _meta: { pack: 'shipping', routing_method: 'explicit' } },
    });
  });

  test.each([
    [{ prompt: 'x', ability: 'notes.search' }],
    [{}],
    [{ prompt: 'x', input: {} }],
    [{ prompt: 'x', soon: true }],
    [{ prompt: 'x', leaves: true }],
    [{ ability: 'notes.search', pack: 'shipping' }],
  ])('%j is usage.invalid', async (body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { code: 'usage.invalid' } });
  });
});
