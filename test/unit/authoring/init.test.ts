import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { newAgentDocuments } from '../../../src/authoring/agent-documents/plan-agent-documents.js';
import {
  mergeGitIgnore,
  type NewProject,
  namedEnvironments,
  planProject,
  proposedEnvironments,
} from '../../../src/authoring/init/plan-project.js';
import { writeTogether } from '../../../src/authoring/write-together.js';
import { loadRegistry, RegistryLoader } from '../../../src/definitions/load-registry.js';
import { lintProject } from '../../../src/lint/lint-project.js';
import { resolvePlan } from '../../../src/planning/resolve/resolve-plan.js';
import { makeProject, type ProjectFiles, type ProjectFolder } from '../../fixtures/project-folder.js';
import { errorOf } from '../error-of.js';

let folder: ProjectFolder | undefined;
afterEach(() => folder?.remove());

const wanted: NewProject = { name: 'shop', environments: ['dev', 'prod'], example: 'script', force: [] };

/** A folder that is not yet a project. */
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

  test('keeps existing files, merges .gitignore, and overwrites only what is requested', () => {
    const root = emptyFolder({ 'AGENTS.md': 'ours\n', 'registry/README.md': 'ours\n', '.gitignore': 'x\n.env\n' });
    const { files, left } = planProject(root, { ...wanted, force: ['AGENTS.md'] });
    expect(left).toEqual(['registry/README.md']);
    writeTogether(root, files);
    expect(readFileSync(join(root, 'AGENTS.md'), 'utf8')).toMatch(/^# How AI developers/);
    expect(readFileSync(join(root, 'registry/README.md'), 'utf8')).toBe('ours\n');
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toMatch(
      /^x\n\.env\n\n?#.*\n\.system\/\nnode_modules\/\n\.env\.\*\n/,
    );
  });

  test('has hints for each prompt and a line for each call, by hooks that run [R-000-57, R-000-65, R-002-16]', () => {
    const root = emptyFolder();
    writeTogether(root, planProject(root, wanted).files);
    const registry = loadRegistry(root);
    const hooks = [...registry.hooks.values()].flat().map(({ value, file }) => [file, value.handler]);
    expect(hooks).toEqual([
      ['registry/hooks/PostAbilityCall.yaml', { builtin: { name: 'usage', options: {} } }],
      ['registry/hooks/PromptSubmit.yaml', { builtin: { name: 'suggest', options: {} } }],
    ]);
    const { plan } = resolvePlan(registry, 'hello', 'dev');
    expect(plan.operations.hello?.hooks.post_call.map(({ id }) => id)).toEqual(['ability_usage_tracker']);
    expect(lintProject(new RegistryLoader(root)).findings).toEqual([]);
    expect(registry.agents.has('generic')).toBe(true);
  });

  test('puts its definitions where the folder already has some [C-18]', () => {
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
  ])('is not created with %j', async (more) => {
    const root = emptyFolder();
    expect((await errorOf(() => planProject(root, { ...wanted, ...more }))).code).toBe('usage.invalid');
  });

  test('is not created inside an existing one', async () => {
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

  test('tests, runs, keeps fetched servers and written reports, and contains no secret', () => {
    const { text, steps, env } = job('script');
    const runs = steps.map((step: { run?: string }) => step.run).filter(Boolean);
    expect(runs).toContain('npx --no ability test --junit reports/cases.xml');
    expect(runs.join('\n')).toMatch(/ability run hello --set name=CI .*--junit reports\/run\.xml --json/);
    const cache = steps.find((step: { uses?: string }) => step.uses?.startsWith('actions/cache'));
    expect(env.ABILITY_CACHE.endsWith(cache.with.path)).toBe(true);
    expect(text).not.toMatch(/secrets\./);
  });

  test('compares the contracts of a pull request with those of its target branch, whatever its name', () => {
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

  test.each(['script', 'none'] as const)(
    'lists what harvest finds, and never fails because of it: %s (R-000-87, R-000-93)',
    (example) => {
      const { steps } = job(example);
      const harvest = steps.find(({ run = '' }) => run.includes('ability harvest'));
      expect(harvest).toMatchObject({
        if: 'always()',
        'continue-on-error': true,
        run: 'npx --no ability harvest --json > reports/harvest.json',
      });
      expect(steps.indexOf(harvest)).toBe(steps.length - 2);
      expect(steps.at(-1).with.path).toContain('reports/harvest.json');
    },
  );

  test('without an example runs no ability', () => {
    expect(job('none').steps.some(({ run = '' }) => /ability (test|run)/.test(run))).toBe(false);
  });
});

test('a new project has the rules for AIs, those of the runtime next to its definitions, and a log [R-002-56, R-003-26]', () => {
  const { files } = planProject(emptyFolder(), wanted);
  const made = Object.fromEntries(files.map(({ path, content }) => [path, content]));
  expect(made).toMatchObject(newAgentDocuments('registry'));
});

describe('mergeGitIgnore', () => {
  test.each([
    ['', /^# .*\n\.system\/\nnode_modules\/\n\.env\n\.env\.\*\n!\.env\.example\n$/],
    ['/node_modules\n/.system\n.env*\n!.env.example\n', /^\/node_modules\n\/\.system\n\.env\*\n!\.env\.example\n$/],
    ['dist', /^dist\n\n#/],
  ])('of %j', (text, merged) => {
    expect(mergeGitIgnore(text, false)).toMatch(merged);
  });

  test('adds nothing twice when it is repeated', () => {
    const once = mergeGitIgnore('dist\r\n', false);
    expect(mergeGitIgnore(once, false)).toBe(once);
    expect(once.split('\r\n').length).toBeGreaterThan(5);
  });
});

describe('the environments of a new project', () => {
  test('are those named by definitions in the folder, the most important one last', () => {
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
