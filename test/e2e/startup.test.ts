import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import { pathsOf } from '../../src/server/project-paths.js';
import { readRuntimeFile } from '../../src/server/runtime/runtime-file.js';
import { ability } from '../fixtures/called-command.js';
import { CLI } from '../fixtures/command-line.js';
import { makeProject, operation } from '../fixtures/project-folder.js';

/** Two abilities, one of them a workflow that calls nothing. */
const project = makeProject({
  ...operation('util.echo', 'return 1;'),
  'registry/high-level/nothing.yaml':
    'id: nothing\ntype: workflow\nversion: 1\nsummary: Call nothing.\nsteps: [{ id: one, let: { n: 1 } }]\n',
});

/** For compiled code only. */
const cache = mkdtempSync(join(tmpdir(), 'ability-cache-'));

beforeAll(() => ability(['up', '--detach'], { cwd: project.root }), 60_000);
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
  rmSync(cache, { recursive: true, force: true });
}, 60_000);

/**
 * Enough rounds to show that a command is far below its limit, and the maximum for one that seems to be above
 * it.
 */
const [FEW_ROUNDS, MOST_ROUNDS] = [3, 25];

/** Whether this Node can keep compiled code. Such a Node starts in less than half the time of Node 20. */
const keepsCode = 'enableCompileCache' in nodeModule;

/** A request of a tool to the guard. */
const EVENT = JSON.stringify({
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'git status' },
});

/** Makes a process report its processor time on its fourth stream, in microseconds. */
const METER = `data:text/javascript,${encodeURIComponent(`
import { writeSync } from 'node:fs';
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, String(user + system));
});`)}`;

/** Milliseconds of processor time of one whole process; other load on the machine changes it little. */
function time(...args: string[]): number {
  const { status, output } = spawnSync(process.execPath, ['--import', METER, ...args], {
    cwd: project.root,
    env: { ...process.env, ABILITY_CACHE: cache },
    input: EVENT,
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  const taken = Number(output[3]);
  if (status !== 0 || !(taken > 0)) throw new Error(`${args.join(' ')} ended with ${status}, after ${taken} us`);
  return taken / 1000;
}

describe('the whole process of a command, measured alternately with a bare Node', () => {
  // Measured are factors of 1.1, 2.7, 1.5, 3.8 and 2.4 on Node 20, and of 4.7 and 7.1 for list and lint on 22; the
  // lowest times count.
  // A limit is exceeded when something large is newly loaded: the SDK of Temporal alone costs a factor of 6.
  test.each([
    [['--version'], 1.7],
    [['list'], 5],
    [['guard', '--for', 'claude'], 3],
    [['lint'], 8],
    [['run', 'nothing'], 5],
  ])('`ability %j` costs at most %d times as much on Node 20, twice that on later ones', (args, limitOnNode20) => {
    const limit = limitOnNode20 * (keepsCode ? 2 : 1);
    const [bare, command]: [number[], number[]] = [[], []];
    const ratio = (): number => Math.min(...command) / Math.min(...bare);
    for (let round = 0; round < FEW_ROUNDS || (round < MOST_ROUNDS && ratio() >= limit); round += 1) {
      bare.push(time('-e', '0'));
      command.push(time(CLI, ...args));
    }
    expect(ratio()).toBeLessThan(limit);
  });
});

/** What a command needs besides its own code, while the runtime is up. */
const LIGHT = [
  '@commander-js/extra-typings',
  'commander',
  'fast-string-truncated-width',
  'fastest-levenshtein',
  'own',
  'ulid',
];

describe.skipIf(!keepsCode)('compiled code (from Node 22.8 on)', () => {
  test('is kept in the cache of the user, and a cache that cannot be written changes nothing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ability-cache-'));
    const list = (cache: string) =>
      execFileSync(process.execPath, [CLI, 'list', '--json'], {
        cwd: project.root,
        env: {
          ...process.env,
          ABILITY_CACHE: cache,
          NODE_COMPILE_CACHE: undefined,
          NODE_DISABLE_COMPILE_CACHE: undefined,
        },
        encoding: 'utf8',
      });
    try {
      const first = list(folder);
      expect(readdirSync(join(folder, 'compiled'))).toHaveLength(1);
      expect(list(folder)).toBe(first);
      writeFileSync(join(folder, 'file'), '');
      expect(list(join(folder, 'file'))).toBe(first);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test.each([['--for', 'claude'], ['--for=claude']])('is not kept by `ability guard %s`', (...flags) => {
    const folder = mkdtempSync(join(tmpdir(), 'ability-cache-'));
    try {
      const { status } = spawnSync(process.execPath, [CLI, 'guard', ...flags], {
        cwd: project.root,
        env: {
          ...process.env,
          ABILITY_CACHE: folder,
          NODE_COMPILE_CACHE: undefined,
          NODE_DISABLE_COMPILE_CACHE: undefined,
        },
        input: EVENT,
      });
      expect([status, existsSync(join(folder, 'compiled'))]).toEqual([0, false]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('a command while the runtime is up', () => {
  /** Names of the packages whose modules a process loads, from the source maps of what it loaded. */
  function packagesOf(
    args: string[],
    { env = {}, input }: { env?: Record<string, string>; input?: string } = {},
  ): { packages: Set<string>; stdout: string } {
    const folder = mkdtempSync(join(tmpdir(), 'ability-coverage-'));
    try {
      const stdout = execFileSync(process.execPath, [CLI, ...args], {
        cwd: project.root,
        env: { ...process.env, ...env, NODE_V8_COVERAGE: folder },
        ...(input === undefined ? {} : { input }),
        stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore'],
        encoding: 'utf8',
      });
      const loaded = readdirSync(folder)
        .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).result as { url: string }[])
        .filter(({ url }) => url.startsWith('file:') && existsSync(`${fileURLToPath(url)}.map`));
      const sources = loaded.flatMap(
        ({ url }) => JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')).sources as string[],
      );
      const names = sources.map((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? 'own');
      return { packages: new Set(names), stdout };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  test('loads nothing of Temporal, and no formats of definitions', () => {
    const { packages, stdout } = packagesOf(['run', 'nothing', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded' });
    expect([...packages].sort()).toEqual(LIGHT);
    const key = JSON.parse(stdout).task_key as string;
    expect([...packagesOf(['task', 'show', key]).packages].sort()).toEqual(LIGHT);
    // Without the runtime all of it is loaded, which shows that this check detects something.
    expect([...packagesOf(['task', 'show', key], { env: { ABILITY_SOCKET: 'off' } }).packages]).toEqual(
      expect.arrayContaining(['@temporalio/client', '@grpc/grpc-js', 'commander', 'yaml']),
    );
  });

  test('the guard of an agent loads the parser of shell commands, and no formats of definitions', () => {
    const guard = () => packagesOf(['guard', '--for', 'claude'], { input: EVENT });
    // The first one reads the definitions.
    guard();
    expect([...guard().packages].sort()).toEqual(['own', 'unbash']);
  });

  test('continues after a kill of the runtime, whose socket the next one replaces', async () => {
    const paths = pathsOf(project.root);
    const { pid, socket } = readRuntimeFile(paths) as RuntimeFile;
    process.kill(pid, 'SIGKILL');
    expect(JSON.parse(packagesOf(['run', 'nothing', '--json']).stdout)).toMatchObject({ status: 'succeeded' });
    const now = readRuntimeFile(paths) as RuntimeFile;
    expect([now.pid === pid, now.socket]).toEqual([false, socket]);
    expect(packagesOf(['run', 'nothing']).packages.has('@temporalio/client')).toBe(false);
  }, 60_000);
});
