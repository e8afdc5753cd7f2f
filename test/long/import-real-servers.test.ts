import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { resolvePlan } from '../../src/planning/resolve/resolve-plan.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';

let project: ProjectFolder;

/** The program of a server that is installed as a package. */
function programOf(name: string): string {
  const file = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(dirname(file), 'dist/index.js');
}
const serve = (name: string, more = '') => `"${process.execPath}" "${programOf(name)}" ${more}`.trim();
const json = (args: string[]) => abilityJson(args, { cwd: project.root });
async function run(id: string, input: object) {
  const { json: result, exitCode } = await json(['run', id, '--input', JSON.stringify(input)]);
  return { exitCode, status: result.status, output: result.output, error: result.error };
}

beforeAll(async () => {
  project = makeProject({
    'ability.yaml': projectFile('{ dev: {} }'),
    'hello.txt': 'Hello there.\n',
    'registry/config/profiles.yaml':
      'env_profiles: { graph: { pass: [PATH], set: { MEMORY_FILE_PATH: graph.jsonl } } }\n',
  });
  project.write({
    'registry/config/profiles.yaml': `env_profiles: { graph: { pass: [PATH], set: { MEMORY_FILE_PATH: ${JSON.stringify(join(project.root, 'graph.jsonl'))} } } }\n`,
  });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

describe('public MCP servers are imported live, and their tools are abilities (R-000-21)', () => {
  test.each([
    ['everything', serve('server-everything'), [], 12, ['simulate-research-query']],
    ['files', serve('server-filesystem', '.'), [], 14, []],
    ['graph', serve('server-memory'), ['--env-profile', 'graph'], 9, []],
    ['thinking', serve('server-sequential-thinking'), [], 1, []],
  ])('%s', async (name, command, more, tools, leftOut) => {
    const { json: end, exitCode } = await json(['import', 'mcp', name, '--command', command, ...more]);
    expect(exitCode).toBe(0);
    expect(end.new).toHaveLength(tools);
    expect(end.left_out.map(({ source }: { source: string }) => source)).toEqual(leftOut);
    expect(end).toMatchObject({ status: 'imported', changed: [], kept: [], gone: [], config: { status: 'new' } });
    const again = await json(['import', 'mcp', name]);
    expect(again.json).toMatchObject({ new: [], changed: [], kept: [] });
    expect(again.json.unchanged).toHaveLength(tools);
  });

  test('all of them load without a problem, resolve to plans, and state their effects', () => {
    const registry = loadRegistry(project.root);
    expect(registry.problems).toEqual([]);
    expect(registry.operations.size).toBe(36);
    const effects = Object.fromEntries(
      [...registry.operations.keys()].map((key) => [key, resolvePlan(registry, key, 'dev').plan.ability.effects]),
    );
    expect(effects).toMatchObject({
      'files.read_text_file': 'read',
      'files.create_directory': 'write_idempotent',
      'files.write_file': 'destructive',
      'graph.add_observations': 'write_additive',
      'everything.gzip-file-as-resource': 'write_idempotent',
    });
    const { plan } = resolvePlan(registry, 'files.read_text_file', 'dev');
    expect(plan.operations['files.read_text_file']?.implementation).toMatchObject({
      mcp: { pinned: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  test('lint reports nothing for them', async () => {
    const { exitCode, json: end } = await json(['lint']);
    expect([exitCode, end.findings]).toEqual([0, []]);
  });

  test.each([
    ['everything.get-sum', { a: 2, b: 3 }, { text: expect.stringContaining('5') }],
    ['everything.get-structured-content', { location: 'Chicago' }, { conditions: expect.any(String) }],
    [
      'everything.get-tiny-image',
      {},
      { content: expect.arrayContaining([expect.objectContaining({ type: 'image' })]) },
    ],
    ['files.read_text_file', { path: 'hello.txt' }, { content: 'Hello there.\n' }],
    ['files.write_file', { path: 'made.txt', content: 'x' }, { content: expect.stringContaining('made.txt') }],
    [
      'graph.create_entities',
      { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] },
      { entities: [{ name: 'Ada' }] },
    ],
    ['graph.search_nodes', { query: 'Ada' }, { entities: [{ name: 'Ada' }] }],
    [
      'thinking.sequentialthinking',
      { thought: 'One.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      { thoughtNumber: 1 },
    ],
  ])('%s is called through the runtime', async (id, input, output) => {
    expect(await run(id, input)).toMatchObject({ exitCode: 0, status: 'succeeded', output });
  });

  test('the contract is checked before any call', async () => {
    const { exitCode, json: end } = await json(['run', 'everything.get-sum', '--input', '{"a": "two"}']);
    expect(exitCode).toBe(2);
    expect(end.error.code).toBe('input.invalid');
  });
});
