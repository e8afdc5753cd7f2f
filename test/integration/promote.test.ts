import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject, operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { taskRecord } from '../fixtures/task-record.js';

const PLACE = 'modules/users/workdocs/outcomes/scripts';
const SCRIPT = `${PLACE}/count-users.py`;
const PYTHON = [
  '#!/usr/bin/env python3',
  '"""Counts the users of a domain."""',
  'import argparse',
  'p = argparse.ArgumentParser()',
  "p.add_argument('--domain', required=True)",
  "print('3 at ' + p.parse_args().domain)",
].join('\n');
const FILES = {
  'ability.yaml': projectFile('\n  dev: {}', 'default_environment: dev\n'),
  ...operation('notes.search', 'return 1;'),
  [SCRIPT]: PYTHON,
  [`${PLACE}/typed.ts`]: 'console.log(1 as number);\n',
  '.env': 'TOKEN=s3cr3t-t0ken-value\n',
  'registry/config/known.yaml': [
    'abilities: [{ id: notes.search }]',
    'env_profiles: { default: { secrets: { TOKEN: "env:TOKEN" } } }',
  ].join('\n'),
};
const made: ReturnType<typeof makeProject>[] = [];
afterEach(() => {
  for (const project of made.splice(0)) project.remove();
});

function open(files: Record<string, string> = {}) {
  const project = makeProject({ ...FILES, ...files });
  made.push(project);
  const options = { cwd: project.root, env: { TEMPORAL_ADDRESS: undefined, ABILITY_CALLER: 'person' } };
  const read = (path: string): string => readFileSync(join(project.root, path), 'utf8');
  const has = (path: string): boolean => existsSync(join(project.root, path));
  const keep = (record: { task_key: string }): void => {
    const folder = join(project.root, '.system/implement', record.task_key);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'record.json'), JSON.stringify(record));
  };
  return { project, options, read, has, keep, json: async (...args: string[]) => abilityJson(args, options) };
}

/** The record of a task whose only call was the script. */
function callOf(key: string, domain: string) {
  return taskRecord({
    task_key: key,
    ability: 'old.count',
    calls: [
      {
        path: 'run',
        call: 'old.count',
        runs: { kind: 'script', script: SCRIPT, digest: 'd' },
        given: { value: { args: ['--domain', domain] } },
        gave: { value: `3 at ${domain}` },
      },
    ],
  });
}

describe('ability harvest promote', () => {
  const CONTRACT = 'registry/low-level/users.count-users.yaml';

  test('turns a script into an ability, with its configuration and a row that names the script as replaced (R-000-91)', async () => {
    const { json, options, read } = open();
    const { json: answer, exitCode } = await json('harvest', 'promote', SCRIPT, '--effects', 'read');
    expect(exitCode).toBe(0);
    expect(answer).toMatchObject({
      status: 'written',
      created: [CONTRACT, 'registry/config/abilities.yaml', 'modules/users/ABILITY.md'],
    });
    expect(read('registry/config/abilities.yaml')).toContain(`Prefer it to calling the ad-hoc script ${SCRIPT}.`);
    expect(read('modules/users/ABILITY.md')).toContain(
      `| users.count-users | script | users | Counts the users of a domain. Replaces the ad-hoc script \`${SCRIPT}\`. |`,
    );
    expect((await ability(['docs', '--check'], options)).exitCode).toBe(0);
    expect((await ability(['lint'], options)).exitCode).toBe(0);
    expect((await json('harvest')).json.scripts).toMatchObject([
      { path: SCRIPT, abilities: ['users.count-users'], next: null },
      { path: `${PLACE}/typed.ts` },
    ]);
  });

  test('uses the newest task that called the script as an example, with secrets masked (R-000-91)', async () => {
    const { json, read, keep } = open();
    keep(callOf('t-1', 's3cr3t-t0ken-value.org'));
    await json('harvest', 'promote', SCRIPT);
    const cases = read('registry/low-level/users.count-users.test.yaml');
    expect(cases).toContain('as it was called: task t-1');
    expect(cases).not.toContain('s3cr3t');
    const { findings } = (await json('lint')).json;
    expect(findings.map(({ code }: { code: string }) => code)).toEqual(['lint.script_not_boxed']);
  });

  test('accepts a record, and refuses one that does not fit', async () => {
    const { json, read, keep, has, project } = open();
    project.write({
      'fits.json': '{ "input": { "args": ["--domain", "acme.test"] }, "output": "3" }',
      'other.json': '{ "input": { "name": 1 }, "output": "3" }',
      'half.json': '{ "input": {} }',
    });
    for (const record of ['other.json', 'half.json', 'no-such-task']) {
      const { json: answer, exitCode } = await json('harvest', 'promote', SCRIPT, '--record', record);
      expect([answer.error.code, exitCode]).toEqual(['harvest.example_invalid', 2]);
      expect([has(CONTRACT), has('registry/config/abilities.yaml'), has('modules/users/ABILITY.md')]).toEqual([
        false,
        false,
        false,
      ]);
    }
    keep(callOf('t-9', 'newer.test'));
    await json('harvest', 'promote', SCRIPT, '--record', 'fits.json');
    expect(read('registry/low-level/users.count-users.test.yaml')).toContain(
      'input: { args: [ --domain, acme.test ] }',
    );
  });

  test('--dry-run reports what would be written, and writes nothing', async () => {
    const { json, has } = open();
    expect((await json('harvest', 'promote', SCRIPT, '--dry-run')).json).toMatchObject({
      status: 'dry_run',
      created: [CONTRACT, 'registry/config/abilities.yaml', 'modules/users/ABILITY.md'],
    });
    expect([has(CONTRACT), has('registry/config/abilities.yaml'), has('modules/users')]).toEqual([false, false, true]);
    expect(has('modules/users/ABILITY.md')).toBe(false);
  });

  test.each([
    ['scripts/notes.search.mjs', 'harvest.no_script'],
    [`${PLACE}/nothing.sh`, 'harvest.no_script'],
    [`${PLACE}/typed.ts`, 'harvest.no_interpreter'],
  ])('of %s is refused as %s', async (script, code) => {
    const { json, has } = open();
    expect(await json('harvest', 'promote', script)).toMatchObject({ exitCode: 2, json: { error: { code } } });
    expect(has('registry/config/abilities.yaml')).toBe(false);
  });

  test('of a TypeScript script leaves the choice to its first line', async () => {
    const { json, project, read } = open();
    project.write({ [`${PLACE}/typed.ts`]: '#!/usr/bin/env node\nconsole.log(1);\n' });
    chmodSync(join(project.root, PLACE, 'typed.ts'), 0o644);
    expect((await json('harvest', 'promote', `${PLACE}/typed.ts`)).exitCode).toBe(0);
    expect(read('registry/low-level/users.typed.yaml')).not.toContain('interpreter');
  });

  test('of a script that an ability already runs is refused, with the name of the ability', async () => {
    const { json } = open();
    await json('harvest', 'promote', SCRIPT);
    const { json: answer, exitCode } = await json('harvest', 'promote', SCRIPT);
    expect([exitCode, answer.error.code]).toEqual([2, 'harvest.promoted']);
    expect(answer.error.message).toContain('users.count-users');
  });

  test.each([
    ['# Ours\n\n<!-- ability:own -->\n', 'ability:own'],
    ['# Nothing here\n', 'no tables'],
  ])('writes nothing if the page of its scope cannot take the row: %j', async (page, why) => {
    const { json, has, read } = open({ 'modules/users/ABILITY.md': page });
    const { json: answer, exitCode } = await json('harvest', 'promote', SCRIPT);
    expect([exitCode, answer.error.code]).toEqual([2, 'harvest.no_page']);
    expect(answer.error.message).toContain(why);
    expect([has(CONTRACT), has('registry/config/abilities.yaml')]).toEqual([false, false]);
    expect(read('modules/users/ABILITY.md')).toBe(page);
  });
});

describe('.system/harvest.jsonl', () => {
  const lines = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('stores what is known of each script, and invents no number of runs (R-000-90, R-000-92)', async () => {
    const { json, read, keep, project } = open({
      'modules/users/modular_mannual.md': '| Script | For |\n|---|---|\n| count-users.py | after notes.search |\n',
      [`${PLACE}/both.sh`]: '#!/bin/sh\n# Searches twice.\nability run notes.search --set q=1\n',
    });
    keep(callOf('t-1', 'a.test'));
    keep(callOf('t-2', 'b.test'));
    await json('harvest');
    const [both, count, typed] = lines(read('.system/harvest.jsonl'));
    expect(count).toMatchObject({
      kind: 'script',
      location: SCRIPT,
      problem: 'Counts the users of a domain.',
      documented: 'modules/users/modular_mannual.md:3',
      runs: { times: 2, at_least: false, from: 'records' },
      abilities_used: ['notes.search'],
      became: [],
    });
    expect(both).toMatchObject({ done_by: 'both', abilities_used: ['notes.search'], runs: null });
    expect(typed).toMatchObject({ done_by: 'new_code', abilities_used: null, runs: null, documented: null });
    rmSync(join(project.root, PLACE, 'both.sh'));
    await json('harvest');
    const later = lines(read('.system/harvest.jsonl'));
    expect(later).toHaveLength(3);
    expect(later[0].last_seen).toBe(both.last_seen);
    expect(later[1].first_seen).toBe(count.first_seen);
  });

  test('reports what it cannot read or write, and harvest continues', async () => {
    const { json, project } = open();
    project.write({ '.system/implement/torn/record.json': '{' });
    mkdirSync(join(project.root, '.system/harvest.jsonl'));
    const { json: found, exitCode } = await json('harvest');
    expect(exitCode).toBe(0);
    expect(found.scripts).toHaveLength(2);
    expect(found.warnings).toEqual([
      expect.stringContaining('torn/record.json'),
      expect.stringContaining('could not be stored'),
    ]);
  });

  test.skipIf(process.getuid?.() === 0)('reports a folder without read access', async () => {
    const { json, project } = open({ 'modules/closed/workdocs/scripts/a.sh': '#!/bin/sh\n' });
    const closed = join(project.root, 'modules/closed');
    chmodSync(closed, 0);
    try {
      expect((await json('harvest')).json.warnings).toEqual([expect.stringContaining('modules/closed')]);
    } finally {
      chmodSync(closed, 0o755);
    }
  });
});

describe('abilities that are called together', () => {
  const MORE = {
    ...operation('users.add', 'return 1;', {
      yaml: 'input_schema: { type: object, required: [name], properties: { name: { type: string } } }',
    }),
    ...operation('mail.send', 'return 1;'),
  };
  const inSession = (session: string, ...abilities: string[]) =>
    abilities.map((name, at) =>
      taskRecord({
        task_key: `${session}-${at}`,
        ability: name,
        session,
        intent: 'Welcome a new user',
        created_at: `2026-11-01T10:0${at}:00.000Z`,
      }),
    );

  test('in one order are proposed as a workflow, which is linted and written for review only on request (R-000-94)', async () => {
    const { json, keep, has, read, project, options } = open(MORE);
    for (const session of ['a', 'b', 'c']) for (const one of inSession(session, 'users.add', 'mail.send')) keep(one);
    const id = 'users.add_then_mail.send';
    expect((await json('harvest')).json.flows).toMatchObject([
      { calls: ['users.add', 'mail.send'], order: 'fixed', times: 3, proposal: { id, type: 'workflow' } },
    ]);
    expect(read('.system/harvest.jsonl')).toContain('"location":"users.add > mail.send"');
    expect(has(`registry/high-level/${id}.yaml`)).toBe(false);
    const { json: answer } = await json('harvest', '--write', 'proposals', '--proposal', id);
    expect(answer.created).toEqual([`proposals/${id}.yaml`, `proposals/${id}.test.yaml`]);
    expect(has(`registry/high-level/${id}.yaml`)).toBe(false);
    expect(read(`proposals/${id}.yaml`)).toContain('seen 3 times, such as in session:a');
    project.write({ [`registry/high-level/${id}.yaml`]: read(`proposals/${id}.yaml`) });
    expect((await ability(['lint'], options)).exitCode).toBe(0);
    expect((await json('harvest')).json.flows).toMatchObject([{ became: [id], proposal: null }]);
  });

  test('in several orders are proposed as an agent with these operations (R-000-94)', async () => {
    const { json, keep, read } = open(MORE);
    const orders = [
      ['users.add', 'mail.send', 'notes.search'],
      ['mail.send', 'notes.search', 'users.add'],
      ['notes.search', 'users.add', 'mail.send'],
    ];
    for (const [at, order] of orders.entries()) for (const one of inSession(`s${at}`, ...order)) keep(one);
    const { json: answer } = await json('harvest', '--write', 'proposals');
    const id = 'agent_mail.send_notes.search_users.add';
    expect(answer.created).toEqual([`proposals/${id}.yaml`]);
    expect(read(`proposals/${id}.yaml`)).toMatch(/type: agent[\s\S]*operations: \[ .*users\.add.*\]/);
  });

  test.each([
    [['--proposal', 'x'], 'usage.invalid'],
    [['--write', 'proposals', '--proposal', 'x'], 'harvest.no_proposal'],
    [['--write', 'registry/high-level'], 'usage.invalid'],
    [['--write', '../elsewhere'], 'usage.invalid'],
  ])('%j is refused as %s', async (args, code) => {
    const { json } = open();
    expect(await json('harvest', ...args)).toMatchObject({ exitCode: 2, json: { error: { code } } });
  });

  test('an invalid proposal is not written', async () => {
    const { json, keep, has } = open({
      ...MORE,
      ...operation('mail.send', 'return 1;', { yaml: 'scope: { environments: [prod] }' }),
      'ability.yaml': projectFile('\n  dev: {}\n  prod: {}', 'default_environment: dev\n'),
      ...operation('users.add', 'return 1;', { yaml: 'scope: { environments: [dev] }' }),
      ...workflow('other', 'steps: [{ id: a, call: notes.search }]'),
    });
    for (const session of ['a', 'b', 'c']) for (const one of inSession(session, 'users.add', 'mail.send')) keep(one);
    const { json: answer, exitCode } = await json('harvest', '--write', 'proposals');
    expect([answer.error.code, exitCode]).toEqual(['harvest.proposal_invalid', 1]);
    expect([has('proposals'), has('registry/high-level/users.add_then_mail.send.yaml')]).toEqual([false, false]);
  });
});

describe('ability docs --check --gaps', () => {
  test('shows each gap as a comment on its page, and changes no page (R-000-87, R-000-93)', async () => {
    const { json, options } = open({ 'modules/users/readme.md': '' });
    await ability(['docs'], options);
    await ability(['docs', '--add', 'modules/users'], options);
    await json('route', 'brew some coffee -->');
    await json('route', 'water the plants', '--scope', 'modules/users');
    const { json: found, exitCode } = await json('docs', '--check', '--gaps');
    expect(exitCode).toBe(0);
    expect(found.documents).toMatchObject([
      { file: 'ABILITY.md', gaps: [{ request: 'brew some coffee -->', times: 1 }] },
      { file: 'modules/users/ABILITY.md', gaps: [{ request: 'water the plants', times: 1 }] },
    ]);
    const { stderr } = await ability(['docs', '--check', '--gaps'], options);
    expect(stderr).toMatch(/modules\/users\/ABILITY\.md:1\S* <!-- gap: "water the plants" asked for once, /);
    expect(stderr).toMatch(/^ABILITY\.md:1\S* <!-- gap: "brew some coffee - ->" .* -->$/m);
    expect((await json('docs', '--check')).json.documents[0].gaps).toBeUndefined();
  });

  test('--gaps without --check is usage.invalid', async () => {
    const { json } = open();
    expect(await json('docs', '--gaps')).toMatchObject({ exitCode: 2, json: { error: { code: 'usage.invalid' } } });
  });
});
