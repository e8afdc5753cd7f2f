import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import { BROKEN_REPOSITORIES } from '../fixtures/broken-repositories.js';
import { abilityJson } from '../fixtures/called-command.js';
import { exampleProject } from '../fixtures/example-project.js';
import { LONG } from '../fixtures/extent.js';
import { GitRepository } from '../fixtures/git-repository.js';
import { keepEndpoint, type ModelServer, startModel } from '../fixtures/model-server.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const setBack = keepEndpoint();
const models: Record<string, ModelServer> = {};
let project: RunningProject;

beforeAll(async () => {
  for (const name of ['engineer', 'researcher', 'writer']) models[name] = await startModel(name);
  project = await runProject(exampleProject(), { onDemand: true });
  mkdirSync(join(project.root, 'workspace'));
});
afterAll(async () => {
  setBack();
  await project.stop();
  for (const model of Object.values(models)) await model.stop();
});

const inWorkspace = (...path: string[]): string => join(project.root, 'workspace', ...path);
/** Runs the tests of a repository as the harness does, without the agent and its operations. */
const passes = (repository: string): boolean =>
  spawnSync(process.execPath, ['--test'], { cwd: repository, env: { PATH: process.env.PATH } }).status === 0;

describe('engineering', () => {
  test.each(BROKEN_REPOSITORIES.map((one, at) => [one.name, at, one] as const))(
    'R-000-98, R-003-26: repairs a repository whose suite fails by %s, and records the repair in its log',
    LONG,
    async (_, at, { files, suite }) => {
      models.engineer?.use();
      const repository = new GitRepository(inWorkspace(`e${at}`));
      const old = Array.from({ length: 200 }, (__, line) => `line ${line}`).join('\n');
      repository.commit({ ...files, 'docs/IMPLEMENTATION_LOG.md': `${old}\n` });
      expect(passes(repository.folder)).toBe(false);
      const result = await project.run('engineering', { request: 'The suite fails. Mend it.', repository: `e${at}` });
      expect(result).toMatchObject({ status: 'succeeded', output: { mended: true, changed: [expect.any(String)] } });
      expect(passes(repository.folder)).toBe(true);
      expect(readFileSync(join(repository.folder, suite), 'utf8')).toBe(files[suite]);
      const log = readFileSync(join(repository.folder, 'docs/IMPLEMENTATION_LOG.md'), 'utf8');
      expect(log.startsWith(`${old}\n\n## `)).toBe(true);
      expect(log).toContain((result.output as { summary: string }).summary);
      const record = readFileSync(join(project.root, '.system/implement', `${result.task_key}`, 'record.json'), 'utf8');
      const calls = (JSON.parse(record).calls as { call: string }[]).map(({ call }) => call);
      const tools = calls.filter((call) => !call.startsWith('model:'));
      expect(tools.slice(0, 3)).toEqual(['repo.read_file', 'worklog.read', 'repo.run_script']);
      expect(tools.at(-1)).toBe('worklog.add');
      const read = await project.run('worklog.read', { repository: `e${at}` });
      expect(read.output).toMatchObject({ found: true, lines: 150 });
    },
  );

  test('ability ask --pack engineering proposes to delegate to it (R-004-23, R-000-98)', async () => {
    const text = 'The suite fails. Mend it.';
    const { json } = await abilityJson(
      ['ask', '--pack', 'engineering', text, '--address', project.connection.address],
      { cwd: project.root },
    );
    expect(json).toMatchObject({
      decision: { decision: 'delegate', target: { agentId: 'engineering' } },
      _meta: { pack: 'engineering' },
      plan: [{ ability_id: 'engineering', input: { request: text } }],
    });
  });
});

describe('research', () => {
  const QUESTION = 'Which soil do blueberries need for good growth?';
  const CORPUS = {
    'soil.md':
      '# Soil of blueberries\n\nBlueberries need an acid soil for good growth, of pH 4.5 to 5.5.\nThe roots are shallow.\n',
    'old/garden.txt':
      'Notes from a garden\n\nOn chalk the growth of blueberries was not good; the soil they need is not this one.\n',
    'cars.md': '# Cars\n\nGood growth of sales was seen in all regions.\n',
    'birds.txt': 'Birds\n\nSome birds eat blueberries.\n',
  };
  const writeCorpus = (name: string, files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(inWorkspace(name, path, '..'), { recursive: true });
      writeFileSync(inWorkspace(name, path), text);
    }
  };
  interface Found {
    answer: string;
    screened: { kept: string[]; left_out: string[] };
    citations: { document: string; from_line: number; to_line: number; quote: string }[];
  }
  const research = async (corpus: string, request = QUESTION): Promise<Found> => {
    models.researcher?.use();
    const result = await project.run('research', { request, corpus });
    expect(result).toMatchObject({ status: 'succeeded' });
    return result.output as unknown as Found;
  };

  test('R-004-05: searches, screens, extracts and cites, and each citation is found at its stated lines', async () => {
    writeCorpus('c1', CORPUS);
    const { answer, screened, citations } = await research('c1');
    expect(screened.kept.sort()).toEqual(['old/garden.txt', 'soil.md']);
    expect(screened.left_out.sort()).toEqual(['birds.txt', 'cars.md']);
    expect(citations).toHaveLength(2);
    for (const { document, from_line, to_line, quote } of citations) {
      const lines = readFileSync(inWorkspace('c1', document), 'utf8').split('\n');
      expect(lines.slice(from_line - 1, to_line).join('\n')).toBe(quote);
    }
    expect(answer).toMatch(/pH 4\.5 to 5\.5 \[\d\]/);
  });

  test('gives another answer for another corpus, and reports if a corpus has none', LONG, async () => {
    writeCorpus('c2', { ...CORPUS, 'soil.md': CORPUS['soil.md'].replace('4.5 to 5.5', '4 to 5') });
    expect((await research('c2')).answer).toMatch(/pH 4 to 5 \[\d\]/);
    expect(await research('c2', 'Who invented zeppelins?')).toMatchObject({
      citations: [],
      answer: expect.stringContaining('does not answer'),
    });
  });
});

describe('writer', () => {
  test('R-003-27: a request for 10 different versions is delegated to it, and it writes them', async () => {
    models.writer?.use();
    const text = 'Write 10 different versions of the launch mail';
    const { json } = await abilityJson(['ask', text, '--address', project.connection.address], { cwd: project.root });
    expect(json).toMatchObject({ decision: { decision: 'delegate', target: { agentId: 'writer' } } });
    const [planned] = json.plan as { ability_id: string; input: JsonObject }[];
    const result = await project.run('writer', planned?.input);
    const lines = (result.output as string).split('\n');
    expect(lines).toHaveLength(10);
    expect(new Set(lines.map((line) => line.replace(/^\d+\. /, ''))).size).toBe(10);
  });
});

describe('build_and_test', () => {
  const scripts = (build: number, unit: number, integration: number) => ({
    'package.json': JSON.stringify({
      scripts: {
        build: 'node stage.mjs build',
        'test:unit': 'node stage.mjs unit',
        'test:integration': 'node stage.mjs integration',
      },
    }),
    'stage.mjs': `import { appendFileSync } from 'node:fs';
const ends = { build: ${build}, unit: ${unit}, integration: ${integration} };
appendFileSync('ran', process.argv[2] + ' ');
console.log('stage ' + process.argv[2]);
process.exitCode = ends[process.argv[2]];
`,
  });

  test.each([
    [
      'all pass',
      [0, 0, 0],
      { status: 'success', failed: null, output: 'stage integration\n' },
      'build unit integration ',
    ],
    ['the build fails', [1, 0, 0], { status: 'failure', failed: 'build', output: 'stage build\n' }, 'build '],
    ['the unit tests fail', [0, 3, 0], { status: 'failure', failed: 'unit', output: 'stage unit\n' }, 'build unit '],
    ['the integration tests fail', [0, 0, 1], { status: 'failure', failed: 'integration' }, 'build unit integration '],
  ] as const)(
    'R-000-98: builds, then tests, and stops at the first failure: %s',
    async (name, [a, b, c], output, ran) => {
      const repository = `b-${name.replaceAll(' ', '-')}`;
      for (const [path, text] of Object.entries(scripts(a, b, c))) {
        mkdirSync(inWorkspace(repository), { recursive: true });
        writeFileSync(inWorkspace(repository, path), text);
      }
      const result = await project.run('build_and_test', { repository });
      expect(result).toMatchObject({ status: 'succeeded', output });
      expect(readFileSync(inWorkspace(repository, 'ran'), 'utf8')).toBe(ran);
    },
  );
});

describe('the operations of agents', () => {
  beforeAll(() => {
    new GitRepository(inWorkspace('safe')).commit({
      'a.txt': 'a\n',
      'package.json': '{"scripts":{"bad":"node a.js; touch pwned"}}',
    });
    writeFileSync(join(project.root, 'outside.txt'), 'secret');
    writeFileSync(inWorkspace('safe', '.env'), 'KEY=secret');
    symlinkSync(project.root, inWorkspace('safe', 'up'));
    symlinkSync(join(project.root, 'outside.txt'), inWorkspace('safe', 'link.txt'));
  });
  const read = (path: string, repository = 'safe') => ['repo.read_file', { repository, path }] as const;
  const write = (path: string, repository = 'safe') =>
    ['repo.write_file', { repository, path, text: 'pwned' }] as const;

  test.each([
    read('../../outside.txt'),
    read('up/outside.txt'),
    read('link.txt'),
    read('.env'),
    read('.git/config'),
    read('a.txt', '/etc'),
    read('ability.yaml', '..'),
    read('outside.txt', 'safe/up'),
    write('../other.txt'),
    write('up/outside.txt'),
    write('up/new/file.txt'),
    write('link.txt'),
    write('.GIT/hooks/post-commit'),
    write('ability.yaml', '..'),
    ['repo.run_script', { repository: 'safe', script: 'bad' }] as const,
    ['git.show_file', { repository: 'safe', revision: 'HEAD', path: '../outside.txt' }] as const,
    ['git.diff', { repository: '.', base: 'HEAD', head: 'HEAD' }] as const,
    ['git.diff', { repository: 'safe', base: 'HEAD', head: 'none' }] as const,
    ['corpus.cite', { corpus: 'safe', document: '../../outside.txt', from_line: 1, to_line: 1 }] as const,
  ])('%s stays in its folder: %j', LONG, async (ability, input) => {
    const result = await project.run(ability, input);
    expect(result).toMatchObject({ status: 'failed' });
    expect(JSON.stringify(result)).not.toContain('secret');
    expect(readFileSync(join(project.root, 'outside.txt'), 'utf8')).toBe('secret');
    for (const path of ['other.txt', 'safe/pwned']) expect(existsSync(inWorkspace(path))).toBe(false);
    expect(existsSync(join(project.root, 'new'))).toBe(false);
  });

  test('repo.write_file writes a complete file in its folder', async () => {
    const result = await project.run('repo.write_file', { repository: 'safe', path: 'src/new.txt', text: 'new' });
    expect(result.output).toEqual({ path: 'src/new.txt', created: true, bytes: 3 });
    expect(readFileSync(inWorkspace('safe/src/new.txt'), 'utf8')).toBe('new');
  });
});
