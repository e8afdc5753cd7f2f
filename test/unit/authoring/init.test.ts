import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { mergeGitIgnore } from '../../../src/authoring/init/git-ignore.js';
import { namedEnvironments, proposedEnvironments } from '../../../src/authoring/init/named-environments.js';
import { type NewProject, planProject } from '../../../src/authoring/init/plan-project.js';
import { writeTogether } from '../../../src/authoring/write-together.js';
import { EXIT } from '../../../src/contracts/exit-codes.js';
import { loadRegistry } from '../../../src/definitions/load-registry.js';
import { buildProgram } from '../../../src/doors/cli/program.js';
import { resolvePlan } from '../../../src/planning/resolve-plan.js';
import { makeProject, type ProjectFiles, type ProjectFolder } from '../../fixtures/project-folder.js';
import { NOWHERE } from '../../fixtures/silent-terminal.js';
import { errorOf } from '../error-of.js';

let folder: ProjectFolder | undefined;
afterEach(() => folder?.remove());

const wanted: NewProject = { name: 'shop', environments: ['dev', 'prod'], example: 'script', force: [] };

/** A folder that is no project yet. */
function emptyFolder(files: ProjectFiles = {}): string {
  folder = makeProject(files);
  rmSync(join(folder.root, 'ability.yaml'));
  return folder.root;
}

describe('a new project', () => {
  test.each(['script', 'none'] as const)('loads without a problem, with the example %s', (example) => {
    const root = emptyFolder();
    writeTogether(root, planProject(root, { ...wanted, example }).files);
    const registry = loadRegistry(root);
    expect(registry.problems).toEqual([]);
    expect(registry.project).toMatchObject({ default_environment: 'dev', environments: { prod: { protected: true } } });
    if (example === 'script') expect(resolvePlan(registry, 'hello', 'dev').warnings).toEqual([]);
  });

  test('leaves what is there, merges .gitignore, and overwrites only what it is told to', () => {
    const root = emptyFolder({ 'AGENTS.md': 'ours\n', 'registry/README.md': 'ours\n', '.gitignore': 'x\n.env\n' });
    const { files, left } = planProject(root, { ...wanted, force: ['AGENTS.md'] });
    expect(left).toEqual(['registry/README.md']);
    writeTogether(root, files);
    expect(readFileSync(join(root, 'AGENTS.md'), 'utf8')).toMatch(/^# How AIs/);
    expect(readFileSync(join(root, 'registry/README.md'), 'utf8')).toBe('ours\n');
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toMatch(
      /^x\n\.env\n\n?#.*\n\.system\/\nnode_modules\/\n\.env\.\*\n/,
    );
  });

  test('puts its definitions where those of the folder stand [C-18]', () => {
    const root = emptyFolder({ '.system/registry/config/a.yaml': 'abilities: []\n' });
    writeTogether(root, planProject(root, wanted).files);
    expect(loadRegistry(root).operations.get('hello')?.file).toBe('.system/registry/low-level/hello.yaml');
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toMatch(/\.system\/\*\n!\.system\/registry\/\n/);
  });

  test.each([
    [{ name: '../x' }],
    [{ name: 'Shop' }],
    [{ environments: [] }],
    [{ environments: ['dev', 'dev'] }],
    [{ environments: ['__proto__'] }],
    [{ force: ['package.json'] }],
    [{ force: ['ability.yaml'] }],
  ])('is not made with %j', async (more) => {
    const root = emptyFolder();
    expect((await errorOf(() => planProject(root, { ...wanted, ...more }))).code).toBe('usage.invalid');
  });

  test('is not made where there is one', async () => {
    folder = makeProject();
    const { root } = folder;
    expect((await errorOf(() => planProject(root, wanted))).code).toBe('project.exists');
  });
});

describe('the job for GitHub Actions', () => {
  const job = (example: NewProject['example']) => {
    const root = emptyFolder();
    const file = planProject(root, { ...wanted, example }).files.find(({ path }) => path.endsWith('ability.yml'));
    return { text: file?.content ?? '', ...parse(file?.content ?? '').jobs.ability };
  };

  test('tests, runs, keeps the servers it fetched and the reports it wrote, and holds no secret', () => {
    const { text, steps, env } = job('script');
    const runs = steps.map((step: { run?: string }) => step.run).filter(Boolean);
    expect(runs).toContain('npx --no ability test --junit reports/cases.xml');
    expect(runs.join('\n')).toMatch(/ability run hello --set name=CI .*--junit reports\/run\.xml --json/);
    const cache = steps.find((step: { uses?: string }) => step.uses?.startsWith('actions/cache'));
    expect(env.ABILITY_CACHE.endsWith(cache.with.path)).toBe(true);
    expect(text).not.toMatch(/secrets\./);
  });

  test('compares the contracts of a pull request with those it is merged into, whatever that branch is called', () => {
    const { steps } = job('none');
    const compare = steps.find(({ run = '' }) => run.includes('--since'));
    expect(compare).toMatchObject({
      if: "github.event_name == 'pull_request'",
      run: expect.stringContaining('"$BASE"'),
    });
    expect(compare.env.BASE).toBe('origin/$' + '{{ github.base_ref }}');
    const checkout = steps.find(({ uses = '' }) => uses.startsWith('actions/checkout'));
    expect(checkout.with['fetch-depth']).toBe(0);
  });

  test('without an example runs nothing that is not there', () => {
    expect(job('none').steps.some(({ run = '' }) => /ability (test|run)/.test(run))).toBe(false);
  });
});

const agents = (): string =>
  planProject(emptyFolder(), wanted).files.find(({ path }) => path === 'AGENTS.md')?.content ?? '';

test('AGENTS.md says that AIs act through `ability` alone, and why, and shows no other command [R-002-57]', () => {
  expect(agents()).toMatch(/Act only through abilities\.\*\* Never run a script of `scripts\/`, a tool or a service/);
  expect(agents()).toMatch(/has no guard, no approval and no record/);
  const typed = [...agents().matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, lines = '']) =>
    lines.trim().split('\n'),
  );
  expect(typed.length).toBeGreaterThan(8);
  expect(typed.filter((line) => !line.startsWith('npx --no ability '))).toEqual([]);
});

test('AGENTS.md says that commands block, and what to read then: each exit code and the JSON [R-002-59]', () => {
  expect(agents()).toMatch(/Commands block\.\*\* Nothing has happened before a command returns/);
  expect(agents()).toMatch(/Then read its exit code and its JSON; never assume/);
  const codes = [...agents().matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(codes).toEqual(Object.values(EXIT));
  expect(agents()).not.toContain('--detach');
});

test.each([
  ['R-002-42', /Read the turn context before each decision/],
  ['R-002-43', /`ability_guards` with `deny`: do not call that ability on your own initiative/],
  ['R-002-45', /with `need_user_confirm`: explain the risk to the person first, get their confirmation, then call it/],
  ['R-002-44', /`risk_alerts`: tell the person the risk and ask for confirmation/],
  ['R-002-46', /`routing_hints`: prefer what they name/],
  ['R-002-47', /signal that is none of these is not ignored: .* the `workdocs` of the scope.* tell the person/],
  ['R-002-41', /Never call the handler of a hook yourself/],
])('AGENTS.md says what an AI does with the turn context of a session [%s]', (_, sentence) => {
  expect(agents().replaceAll(/\s+/g, ' ')).toMatch(sentence);
});

test('AGENTS.md names only commands that there are', () => {
  const text = agents();
  const program = buildProgram(NOWHERE, { exit: EXIT.ok });
  const known = program.commands.map((command) => command.name());
  const named = [...text.matchAll(/(?:`|--no )ability ([a-z-]+)/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

describe('mergeGitIgnore', () => {
  test.each([
    ['', /^# .*\n\.system\/\nnode_modules\/\n\.env\n\.env\.\*\n!\.env\.example\n$/],
    ['/node_modules\n/.system\n.env*\n!.env.example\n', /^\/node_modules\n\/\.system\n\.env\*\n!\.env\.example\n$/],
    ['dist', /^dist\n\n#/],
  ])('of %j', (text, merged) => {
    expect(mergeGitIgnore(text, false)).toMatch(merged);
  });

  test('doubles nothing when it is done again', () => {
    const once = mergeGitIgnore('dist\r\n', false);
    expect(mergeGitIgnore(once, false)).toBe(once);
    expect(once.split('\r\n').length).toBeGreaterThan(5);
  });
});

describe('the environments of a new project', () => {
  test('are those that definitions in the folder name, the one that counts most last', () => {
    const root = emptyFolder({
      'registry/low-level/op.yaml': 'operation_key: op\nsummary: s\nscope: { environments: [prod, dev] }\n',
      'registry/low-level/op.test.yaml': 'ability: op\ncases: [{ name: n, environment: ci }]\n',
      'registry/config/a.yaml':
        'abilities: [{ id: op, environments: { staging: {} } }]\nservices: { s: { environments: { qa: {} } } }\n',
      'registry/hooks/PreAbilityCall.yaml':
        'hooks: [{ id: h, match: { environments: [eu, "us-*"] }, examples: [{ environment: local, decision: allow }] }]\n',
      'registry/high-level/broken.yaml': 'id: [',
    });
    expect(namedEnvironments(root)).toEqual(['dev', 'ci', 'eu', 'local', 'qa', 'staging', 'prod']);
  });

  test('begin with a harmless one, in which the example runs', () => {
    const config = 'abilities: [{ id: op, environments: { prod: {}, staging: {} } }]\n';
    expect(proposedEnvironments(emptyFolder({ 'registry/config/a.yaml': config }))).toEqual(['dev', 'staging', 'prod']);
  });

  test('are not found in a folder without definitions', () => {
    expect(namedEnvironments(emptyFolder())).toEqual([]);
    expect(proposedEnvironments('/there/is/no/such/folder')).toEqual(['dev']);
  });
});
