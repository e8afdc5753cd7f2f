import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { UsageLog } from '../../src/server/logs/usage-log.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject, operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { taskRecord } from '../fixtures/task-record.js';

const FILES = {
  'ability.yaml': projectFile('\n  dev: {}\n  prod: {}', 'default_environment: dev\n'),
  ...operation('notes.search', 'return 1;', { yaml: 'use_cases: ["Search the notes for a text"]' }),
  ...operation('notes.find', 'return 1;', { yaml: 'use_cases: ["Search the notes for a text"]' }),
  ...operation('mail.list', 'return 1;', {
    yaml: 'use_cases: ["List the mails of a day"]\nstatus: deprecated\nreplaced_by: mail.find',
  }),
  ...operation('mail.find', 'return 1;', {
    yaml: 'use_cases: ["Find who wrote a letter"]\nscope: { environments: [prod] }',
  }),
  ...workflow('digest', 'steps: [{ id: a, call: mail.list }]'),
  'modules/notes/workdocs/outcomes/scripts/grep-notes.sh':
    '#!/bin/sh\n# Search the notes for a text\ngrep "$1" notes\n',
  '.env': 'TOKEN=s3cr3t-t0ken-value\n',
  'registry/config/abilities.yaml': 'abilities: [{ id: notes.search, environments: { dev: {} } }]',
};
const project = makeProject(FILES);
afterAll(() => project.remove());
const system = join(project.root, '.system');
const options = { cwd: project.root, env: { TEMPORAL_ADDRESS: undefined, ABILITY_CALLER: 'person' } };
const json = async (...args: string[]) => (await abilityJson(args, options)).json;

describe('a gap', () => {
  test('is recorded by route, but not if something fits or nothing is requested; harvest lists it (R-000-93)', async () => {
    await json('route', 'brew some coffee');
    await json('route', 'search the notes');
    await json('route', 'thanks a lot');
    await json('run', 'deploy.prod');
    expect(await json('harvest')).toMatchObject({
      gaps: [
        { request: 'deploy.prod', times: 1, kind: 'nothing_fits' },
        { request: 'brew some coffee', times: 1, environments: ['dev'], kind: 'nothing_fits' },
      ],
    });
  });

  test('is not recorded by a dry run of ask', async () => {
    const before = readFileSync(join(system, 'gaps.jsonl'), 'utf8');
    await json('ask', 'launch the rocket', '--dry-run');
    expect(readFileSync(join(system, 'gaps.jsonl'), 'utf8')).toBe(before);
  });
});

test('scripts are listed with similar abilities, and with how to make an ability of them (R-000-91, R-000-92, R-000-94)', async () => {
  const { scripts } = await json('harvest');
  const path = 'modules/notes/workdocs/outcomes/scripts/grep-notes.sh';
  expect(scripts).toMatchObject([
    {
      path,
      summary: 'Search the notes for a text',
      documented: null,
      near: expect.arrayContaining([{ id: 'notes.search', score: expect.any(Number) }]),
      next: `Compare it with similar abilities; if it does something else: ability harvest promote ${path}`,
    },
  ]);
  const { stdout } = await ability(['harvest'], options);
  expect(stdout).toContain(
    `${path}\n  Search the notes for a text; not described in modular_mannual.md\n  how often it ran is not known\n  near: notes.`,
  );
});

describe('ability prune', () => {
  beforeEach(() => {
    project.write(FILES);
  });

  test('reports that calls are not counted if nothing counts them', async () => {
    const counted_in = { usage: false, records: 0, tasks: null };
    expect(await json('prune')).toMatchObject({ counted_since: null, counted_in, unused: [] });
    const { stdout } = await ability(['prune'], options);
    expect(stdout).toContain('no call is known here');
  });

  test('counts from the records of tasks too, and reports what it could not read (R-000-94)', async () => {
    const at = (days: number): string => new Date(Date.now() - days * 24 * 60 * 60_000).toISOString();
    const script = { kind: 'script', script: 'x', digest: 'd' } as const;
    const call = { path: 'a', call: 'mail.list', runs: script, given: { value: null } };
    const records = [
      taskRecord({ task_key: 'new', ability: 'digest', created_at: at(1), calls: [call], called: ['mail.list'] }),
      taskRecord({
        task_key: 'old',
        ability: 'notes.find',
        created_at: at(200),
        calls: [{ ...call, path: 'run', call: 'notes.find' }],
      }),
    ];
    const paths = records.map((record) => `.system/implement/${record.task_key}/record.json`);
    project.write(Object.fromEntries(records.map((record, index) => [paths[index] ?? '', JSON.stringify(record)])));
    project.write({ '.system/implement/torn/record.json': '{ "task_key"' });
    const found = await json('prune');
    expect(found).toMatchObject({
      counted_since: records[1]?.created_at,
      counted_in: { usage: false, records: 2, tasks: null },
      warnings: [expect.stringContaining('torn/record.json')],
    });
    expect(
      found.unused.map((one: { id: string; used: string; calls: number }) => [one.id, one.used, one.calls]),
    ).toEqual([
      ['mail.find', 'never', 0],
      ['notes.find', 'rarely', 1],
      ['notes.search', 'never', 0],
    ]);
    rmSync(join(system, 'implement'), { recursive: true });
  });

  test('uses what it has if Temporal does not answer, and reports this', async () => {
    const away = { ...options, env: { ...options.env, TEMPORAL_ADDRESS: '127.0.0.1:1' } };
    const { exitCode, json: found } = await abilityJson(['prune'], away);
    expect(exitCode).toBe(0);
    expect(found).toMatchObject({
      counted_in: { tasks: null },
      warnings: [expect.stringContaining('could not be listed')],
    });
  });

  test.each([{ ABILITY_CALLER: 'agent' }, { ABILITY_CALLER: undefined, CLAUDECODE: '1' }])(
    'an agent can look, but deprecates nothing: %j',
    async (env) => {
      const file = join(project.root, 'registry/low-level/notes.find.yaml');
      const before = readFileSync(file, 'utf8');
      const asAgent = { ...options, env: { ...options.env, ...env } };
      expect((await abilityJson(['prune'], asAgent)).exitCode).toBe(0);
      expect(await abilityJson(['prune', '--deprecate', 'notes.find'], asAgent)).toMatchObject({
        exitCode: 4,
        json: { error: { code: 'prune.by_agent' } },
      });
      expect(readFileSync(file, 'utf8')).toBe(before);
    },
  );

  test('names what was never or not recently called, what is alike, and what is deprecated, with its users (R-000-94)', async () => {
    const usage = new UsageLog(system);
    const day = 24 * 60 * 60;
    usage.append({ ability_id: 'notes.search', status: 'succeeded', ts: Date.now() / 1000 - day });
    usage.append({ ability_id: 'notes.find', status: 'succeeded', ts: Date.now() / 1000 - 100 * day });
    const found = await json('prune');
    expect(found).toMatchObject({
      counted_since: expect.any(String),
      alike: [{ ids: ['notes.find', 'notes.search'] }],
      deprecated: [{ id: 'mail.list', replaced_by: 'mail.find', users: ['digest'] }],
    });
    expect(found.unused.map((one: { id: string; used: string }) => [one.id, one.used])).toEqual([
      ['digest', 'never'],
      ['mail.find', 'never'],
      ['mail.list', 'never'],
      ['notes.find', 'rarely'],
    ]);
    expect((await json('prune', '--unused', '200d')).unused.map(({ id }: { id: string }) => id)).not.toContain(
      'notes.find',
    );
  });

  test('--deprecate marks an ability in its file, keeps every other byte, and removes nothing', async () => {
    const file = join(project.root, 'registry/low-level/notes.find.yaml');
    const before = readFileSync(file, 'utf8');
    expect(await json('prune', '--deprecate', 'notes.find', '--replaced-by', 'notes.search')).toEqual({
      deprecated: 'notes.find',
      replaced_by: 'notes.search',
      file: 'registry/low-level/notes.find.yaml',
      users: [],
    });
    expect(readFileSync(file, 'utf8')).toBe(`${before}\nstatus: deprecated\nreplaced_by: notes.search\n`);
    expect(await json('show', 'notes.find')).toMatchObject({
      plan: { ability: { status: 'deprecated', replaced_by: 'notes.search' } },
    });
  });

  test.each([
    [['--deprecate', 'notes.fnd'], 'ability.not_found'],
    [['--deprecate', 'notes.find', '--replaced-by', 'nothing'], 'ability.not_found'],
    [['--deprecate', 'notes.find', '--replaced-by', 'notes.find'], 'usage.invalid'],
    [['--replaced-by', 'notes.find'], 'usage.invalid'],
    [['--unused', 'long'], 'usage.invalid'],
  ])('%j is %s', async (args, code) => {
    expect(await abilityJson(['prune', ...args], options)).toMatchObject({ exitCode: 2, json: { error: { code } } });
  });
});
