import { mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { yamlFilesIn } from '../../src/definitions/find-files.js';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));

const HISTORY = join(CHECKOUT, 'test/histories/engine-1/agent-2.json');

/** Uses each entry of the package; TypeScript and JavaScript in one. */
const USE_EACH = `
import { runAbility } from 'ability-runtime';
import { inferCapabilities } from 'ability-runtime/choosing';
import { AbilityError } from 'ability-runtime/contracts';
import { runProjectCases } from 'ability-runtime/testing';
import { readHistoryFile, replayHistory } from 'ability-runtime/worker';

const refusal = await runAbility('no.such', {}).catch((error) => error);
const report = await runProjectCases({ root: '.' });
const replayed = await replayHistory(readHistoryFile(${JSON.stringify(HISTORY)}));
console.log(JSON.stringify({
  refused: refusal instanceof AbilityError && refusal.code,
  meant: inferCapabilities('List the folder', [{ id: 'files', keywords: ['folder'], needs: undefined }]),
  tested: report.status,
  replayed: replayed.status,
}));
`;

/** Installing fetches a hundred packages if npm has not cached them. */
const PATIENCE_MS = 10 * 60_000;

let folder: string;

/** An npm command as typed by a user: of the test's own npm only the source of packages is passed on. */
async function type(command: string, ...args: string[]) {
  const own = Object.keys(process.env).filter((name) =>
    /^(npm_(package|lifecycle|command|node)|INIT_CWD|VITEST)/.test(name),
  );
  const { exitCode, stdout, stderr } = await execa(command, args, {
    cwd: folder,
    env: {
      NO_COLOR: '1',
      CI: undefined,
      NODE_ENV: undefined,
      ...Object.fromEntries(own.map((name) => [name, undefined])),
    },
    reject: false,
    stdin: 'ignore',
  });
  return { exitCode, stdout: String(stdout), stderr: String(stderr) };
}

const ability = (...args: string[]) => type('npx', '--no', 'ability', ...args);

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ability-packed-')));
});
afterAll(async () => {
  await ability('down');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}, 60_000);

test(
  'a new user packs, installs, and goes from an empty folder to abilities that run [R-000-88, R-002-65]',
  async ({ skip }) => {
    const ping = await type('npm', 'ping', '--fetch-retries=0', '--fetch-timeout=10000');
    if (ping.exitCode !== 0) skip('npm reaches no registry from here');

    const packed = await execa('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
      cwd: CHECKOUT,
    });
    const [{ filename, files }] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    for (const path of [
      'dist/command/bin.js',
      'dist/workflow-bundle.js',
      'dist/types/doors/library/index.d.ts',
      'dist/authoring/templates/init/ci-job.yml',
      'docs/guide.md',
      'README.md',
      'LICENSE',
    ]) {
      expect(paths).toContain(path);
    }
    // The schemas that the first lines of scaffolded files name, once they are generated.
    const schemas = yamlFilesIn(join(CHECKOUT, 'registry/schemas')).map((path) => relative(CHECKOUT, path));
    expect(paths).toEqual(expect.arrayContaining(schemas));
    expect(paths.filter((path) => /^(test|src|build|bench|examples|node_modules)\//.test(path))).toEqual([]);

    await type('npm', 'init', '-y');
    const installed = await type('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', `./${filename}`);
    expect(installed, installed.stderr).toMatchObject({ exitCode: 0 });
    expect(installed.stderr).not.toMatch(/EBADENGINE/);

    const init = await ability('init', '--name', 'shop');
    expect(init, init.stderr).toMatchObject({ exitCode: 0 });
    expect(init.stderr).not.toMatch(/package\.json/);
    expect(await ability('scaffold', 'low-level', 'log.write', '--kind', 'script')).toMatchObject({ exitCode: 0 });
    expect(await ability('scaffold', 'high-level', 'both', '--calls', 'hello,log.write')).toMatchObject({
      exitCode: 0,
    });
    const hook = ['--phase', 'PostAbilityCall', '--handler', 'builtin', '--builtin', 'usage'];
    expect(await ability('scaffold', 'hook', 'usage', ...hook)).toMatchObject({ exitCode: 0 });
    for (const command of ['lint', 'docs']) {
      const end = await ability(command);
      expect(end, `${command}: ${end.stdout}\n${end.stderr}`).toMatchObject({ exitCode: 0 });
    }
    const tested = await ability('test', '--junit', 'cases.xml');
    expect(tested, tested.stdout + tested.stderr).toMatchObject({ exitCode: 0 });
    const ran = await ability('run', 'both', '--set', 'name=Ann', '--json', '--junit', 'run.xml');
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout).output).toEqual({ hello: { text: 'Hello, Ann!' }, write: { message: 'Hello' } });
    expect(readFileSync(join(folder, '.system/usage.jsonl'), 'utf8')).toContain('"log.write"');
    const program =
      "import { runAbility } from 'ability-runtime'; console.log((await runAbility('hello', { name: 'Bob' })).output.text)";
    const called = await type('node', '--input-type=module', '-e', program);
    expect(called, called.stderr).toMatchObject({ exitCode: 0, stdout: 'Hello, Bob!' });

    writeFileSync(join(folder, 'use-each.mts'), USE_EACH);
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023'];
    const typed = await type('node', join(CHECKOUT, 'node_modules/typescript/bin/tsc'), ...options, 'use-each.mts');
    expect(typed, typed.stdout).toMatchObject({ exitCode: 0 });
    renameSync(join(folder, 'use-each.mts'), join(folder, 'use-each.mjs'));
    const used = await type('node', 'use-each.mjs');
    expect(used, used.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(used.stdout)).toEqual({
      refused: 'ability.not_found',
      meant: ['files'],
      tested: 'passed',
      replayed: 'ok',
    });
  },
  PATIENCE_MS,
);
