import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as library from '../../src/doors/library/index.js';
import { openDoor } from '../fixtures/http-door.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(ROOT, 'docs/library.md'), 'utf8');
const node = promisify(execFile);

let project: RunningProject;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('\n  dev: {}\n  other: {}', 'default_environment: dev'),
    ...operation('hello', "return { text: 'Hello, ' + input.name + '!' };"),
    ...workflow('waits', 'steps: [{ id: go, wait: { signal: go, timeout: 10m } }]\noutput: "${{ steps.go.output }}"'),
    ...workflow(
      'where',
      'steps: [{ id: one, let: { at: "${{ environment.name }}" } }]\noutput: "${{ steps.one.output.at }}"',
    ),
    ...workflow('fails', 'steps: [{ id: one, let: { n: "${{ input.none.of.these }}" } }]'),
  });
  const { address, namespace } = project.connection;
  env = { ...process.env, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, ABILITY_USER: 'ada' };
  delete env.ABILITY_ENV;
});
afterAll(() => project.stop());

const at = () => ({ root: project.root, env });
const codeOf = async (action: () => Promise<unknown>): Promise<string> => {
  try {
    return `no error, but ${JSON.stringify(await action())}`;
  } catch (error) {
    return error instanceof library.AbilityError ? error.code : String(error);
  }
};

describe('docs/library.md', () => {
  const examples = [...page.matchAll(/```ts run\n([\s\S]*?)```/g)].map(([, code = '']) => code);

  test('has examples', () => expect(examples.length).toBeGreaterThan(2));

  test.each(examples.map((code, at) => [at, code] as const))('example %i prints what it says', async (at, code) => {
    const modules = join(project.root, 'node_modules');
    mkdirSync(modules, { recursive: true });
    try {
      symlinkSync(ROOT, join(modules, 'ability-runtime'));
    } catch {}
    const file = join(project.root, `example-${at}.mjs`);
    writeFileSync(file, code.replaceAll(/ as keyof typeof \w+/g, ''));
    const { stdout } = await node(process.execPath, [file], { cwd: project.root, env });
    const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text]) => text).join('\n');
    expect(expected).not.toBe('');
    expect(stdout.trim()).toBe(expected);
  });

  test('names each exported function', () => {
    const values = Object.keys(library);
    expect(values.filter((name) => !new RegExp(`\`${name}[\`(]`).test(page))).toEqual([]);
  });
});

describe('runAbility', () => {
  test('needs only an id, and has the defaults of the command line [R-000-66]', async () => {
    const { status, output, requested_by } = await library.runAbility('where', {}, at());
    expect({ status, output, requested_by }).toEqual({
      status: 'succeeded',
      output: 'dev',
      requested_by: { name: 'ada', source: 'claimed' },
    });
    const other = await library.runAbility('where', {}, { ...at(), env: { ...env, ABILITY_ENV: 'other' } });
    expect(other.output).toBe('other');
  });

  test('resolves with a failed task, and throws if none was created', async () => {
    expect(await library.runAbility('fails', {}, at())).toMatchObject({
      status: 'failed',
      error: { code: expect.any(String) },
    });
    expect(await codeOf(() => library.runAbility('nothing.of.it', {}, at()))).toBe('ability.not_found');
    expect(await codeOf(() => library.runAbility('where', {}, { ...at(), environment: 'none' }))).toBe(
      'environment.not_found',
    );
  });

  test('can stop waiting while the task continues', async () => {
    const connection = await library.connect(at());
    try {
      let key = '';
      const onCreated = ({ task_key }: library.NewTask) => {
        key = task_key;
      };
      expect(await codeOf(() => library.runAbility('waits', {}, { connection, onCreated, timeoutMs: 200 }))).toBe(
        'wait.timeout',
      );
      const stop = new AbortController();
      const waiting = library.runAbility(
        'waits',
        {},
        {
          connection,
          key: 'stopped',
          onCreated: () => stop.abort(new Error('enough')),
          signal: stop.signal,
        },
      );
      await expect(waiting).rejects.toThrow('enough');
      for (const id of [key, 'stopped']) await library.signalTask(connection, { key: id, name: 'go', payload: 7 });
      for (const id of [key, 'stopped']) expect((await library.awaitResult(connection, { key: id })).output).toBe(7);
    } finally {
      await connection.close();
    }
  });

  test('refuses unknown options, and anything that is not a connection', async () => {
    const invalid = [
      () => library.runAbility('where', {}, { ...at(), enviroment: 'dev' } as never),
      () => library.connect({ ...at(), project: 'shop' } as never),
      () => library.createTask({} as never, { ability: 'where' }),
      async () => library.cancelTask(library.connect(at()) as never, { key: 'k' }),
      async () => {
        const connection = await library.connect(at());
        return library.runAbility('where', {}, { connection, root: project.root }).finally(() => connection.close());
      },
    ];
    for (const action of invalid) expect(await codeOf(action)).toBe('usage.invalid');
    const suggestion = await library
      .runAbility('where', {}, { ...at(), enviroment: 'dev' } as never)
      .catch((error) => error.suggestion);
    expect(suggestion).toContain('environment');
  });

  test('works through a door, as the person of the token', async () => {
    const door = await openDoor(project.connection);
    const connection = await library.connect({ address: door.url, token: door.token('ada') });
    try {
      const { output, requested_by } = await library.runAbility('where', {}, { connection });
      expect([output, requested_by.name]).toEqual(['dev', 'ada']);
      expect(await codeOf(() => library.runAbility('where', {}, { connection, user: 'bob' }))).toBe('door.forbidden');
    } finally {
      await connection.close();
      await door.close();
    }
  });
});
