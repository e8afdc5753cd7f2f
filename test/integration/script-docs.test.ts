import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import { RegistryLoader } from '../../src/definitions/load-registry.js';
import { lintProject } from '../../src/lint/lint-project.js';
import { projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const page = readFileSync(new URL('../../docs/scripts.md', import.meta.url), 'utf8');
/** The blocks of the page that state their file. */
const files = Object.fromEntries(
  [...page.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = '', text = '']) => [path, text]),
);

let project: RunningProject;

beforeAll(async () => {
  project = await runProject({ 'ability.yaml': projectFile('{ dev: {} }'), ...files });
});
afterAll(() => project.stop());

test('lint reports nothing for the definitions of docs/scripts.md', () => {
  const { findings } = lintProject(new RegistryLoader(project.root), {});
  expect(findings.filter(({ location }) => location.file.startsWith('registry/low-level'))).toEqual([]);
});

test.each([
  ['greet', { names: ['Ada', '-rf'], loud: true }, { lines: ['Hello, Ada!', 'Hello, -rf!'] }],
  ['greet', { names: [], greeting: 'Hi' }, { lines: [] }],
  ['words.count', { text: 'a b a c b', least: 2, skip: ['c'] }, { region: 'dev', words: ['a', 'b'] }],
  ['words.count', { text: 'b a', sorted: true }, { region: 'dev', words: ['a', 'b'] }],
  [
    'disks.list',
    {},
    {
      rows: [
        { mount: '/', free_gb: '20' },
        { mount: '/data, old', free_gb: '7' },
      ],
    },
  ],
  ['cert.check', { days: 30 }, { text: '30 days left' }],
  ['cert.check', { days: -1 }, { text: '-1 days left' }],
] as [string, JsonObject, JsonObject][])(
  '%s of docs/scripts.md returns for %j what the page states',
  async (id, input, output) => {
    expect(await project.run(id, input)).toMatchObject({ status: 'succeeded', output });
  },
);

test('an exit code of docs/scripts.md fails as the page states', async () => {
  expect(await project.run('cert.check', { days: 3 })).toMatchObject({
    status: 'failed',
    error: { code: 'cert.expiring', details: { exit_code: 2 } },
  });
});
