import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTask } from '../../src/client/index.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { scriptAbility } from '../fixtures/servers/definitions.js';
import { times } from './extent.js';

let project: RunningProject;

beforeAll(async () => {
  project = await runProject({});
});
afterAll(() => project.stop());

const says = (text: string): string => `console.log(JSON.stringify(${JSON.stringify(text)}));\n`;
/** Is not retried. */
const ONCE = { effects: 'write_additive' };
const sleeps = (ms: number): string => `await new Promise((resolve) => setTimeout(resolve, ${ms}));\n`;

/** Swaps two contents of a file, by a rename every few milliseconds, until it is stopped. */
async function swap(path: string, one: string, other: string): Promise<ChildProcess> {
  const code = `
    const { renameSync, writeFileSync } = require('node:fs');
    const [, path, ...contents] = process.argv;
    let turn = 0;
    setInterval(() => {
      turn += 1;
      writeFileSync(path + '.next', contents[turn % 2]);
      renameSync(path + '.next', path);
      if (turn === 2) console.log('on');
    }, 5);`;
  const swapper = spawn(process.execPath, ['-e', code, join(project.root, path), one, other]);
  await once(swapper.stdout, 'data');
  return swapper;
}

async function during<T>(swapper: ChildProcess, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } finally {
    swapper.kill('SIGKILL');
  }
}

async function created(ability: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push((await project.create(ability, {}, { run: false })).id);
  return ids;
}

async function result(id: string): Promise<TaskResult> {
  await runTask(project.connection, id);
  const end = await project.wait(id);
  if (end.kind !== 'ended') throw new Error(`${id} did not end`);
  return end.result;
}

/** The copies that contain a file, under `.system/pinned`. */
function copiesOf(path: string): string[] {
  const folder = join(project.root, '.system/pinned');
  return readdirSync(folder)
    .map((name) => join(folder, name, path))
    .filter((file) => existsSync(file));
}

function onlyCopyOf(path: string): string {
  const copies = copiesOf(path);
  expect(copies).toHaveLength(1);
  return copies[0] as string;
}

/** Where the store has this content. */
function blobOf(content: string): string {
  const folder = join(project.root, '.system/store');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const found = names.find(
    (name) => /[0-9a-f]{64}$/.test(name) && readFileSync(join(folder, name), 'utf8') === content,
  );
  return join(folder, found ?? 'not there');
}

function tamper(file: string, content: string): void {
  chmodSync(file, 0o755);
  writeFileSync(file, content);
  chmodSync(file, 0o555);
}

describe('a file that is swapped every few milliseconds', () => {
  test('no run executes bytes other than the pinned ones', async () => {
    const approved = sleeps(1) + says('approved');
    const other = sleeps(1) + says('swapped');
    project.write(scriptAbility('s.swapped', 'scripts/swapped.mjs', approved, { script: { args: [] } }));
    const tasks = await created('s.swapped', times(5, 60));
    const results = await during(await swap('scripts/swapped.mjs', approved, other), async () => {
      const ended: TaskResult[] = [];
      for (const id of tasks) ended.push(await result(id));
      return ended;
    });
    expect(results.map(({ output }) => output)).toEqual(tasks.map(() => 'approved'));
  });

  test('no guard is a script other than the pinned one', async () => {
    const answer = (decision: string): string =>
      `console.log(JSON.stringify({ guard_decision: '${decision}', reason: 'as ${decision}' }));\n`;
    project.write({
      'scripts/guard.mjs': answer('deny'),
      'registry/hooks/PreAbilityCall.yaml':
        'hooks:\n  - { id: swapped_guard, blocking: true, match: { abilities: [s.guarded] }, handler: { script: { path: scripts/guard.mjs } } }\n',
      ...scriptAbility('s.guarded', 'scripts/guarded.mjs', says('ran'), { script: { args: [] } }),
    });
    const tasks = await created('s.guarded', times(4, 40));
    const results = await during(await swap('scripts/guard.mjs', answer('deny'), answer('allow')), async () => {
      const ended: TaskResult[] = [];
      for (const id of tasks) ended.push(await result(id));
      return ended;
    });
    expect(results.map(({ status }) => status)).toEqual(tasks.map(() => 'denied'));
  });

  test('a task created meanwhile runs what it was created with, or reports the edit', async () => {
    const one = says('one');
    const two = says('two');
    project.write(scriptAbility('s.meanwhile', 'scripts/meanwhile.mjs', one, { script: { args: [] }, more: ONCE }));
    const digests = new Map<unknown, Set<string>>();
    await during(await swap('scripts/meanwhile.mjs', one, two), async () => {
      for (let n = 0; n < times(4, 40); n += 1) {
        const { output, error, digest } = await project.run('s.meanwhile');
        if (error) expect(error.code).toBe('script.changed');
        else digests.set(output, (digests.get(output) ?? new Set()).add(digest));
      }
    });
    // No plan ever ran both contents.
    const [ones = new Set(), twos = new Set()] = [digests.get('one'), digests.get('two')];
    expect([...ones].filter((digest) => twos.has(digest))).toEqual([]);
  });
});

describe('a copy that was tampered with', () => {
  test('is rewritten before it runs: other bytes, other permissions, an extra file, a link to elsewhere', async () => {
    const lib = 'def text():\n    return "approved"\n';
    const main = 'import json\nfrom lib import text\nprint(json.dumps(text()))\n';
    project.write({
      ...scriptAbility('s.tampered', 'ops/tampered.py', main, { script: { args: [] } }),
      'ops/lib.py': lib,
    });
    const run = async (): Promise<unknown> => (await project.run('s.tampered')).output;
    expect(await run()).toBe('approved');
    const copy = onlyCopyOf('ops/tampered.py');
    const folder = join(copy, '..');
    const evil = 'print(\'"tampered"\')\nraise SystemExit(0)\n';
    const attacks = [
      () => tamper(copy, evil),
      () => tamper(join(folder, 'lib.py'), evil),
      // Python finds it before its own module of the same name.
      () => writeFileSync(join(folder, 'json.py'), evil),
      () => rmSync(join(folder, 'lib.py')),
      () => {
        project.write({ 'elsewhere/tampered.py': evil, 'elsewhere/lib.py': lib });
        chmodSync(join(project.root, 'elsewhere/tampered.py'), 0o555);
        rmSync(folder, { recursive: true });
        symlinkSync(join(project.root, 'elsewhere'), folder);
      },
      () => {
        rmSync(copy);
        symlinkSync(join(project.root, 'elsewhere/tampered.py'), copy);
      },
    ];
    for (const attack of attacks) {
      attack();
      expect(await run()).toBe('approved');
      expect(readFileSync(copy, 'utf8')).toBe(main);
      expect(readdirSync(folder).sort()).toEqual(['lib.py', 'tampered.py']);
    }
  });

  test('a half-written copy is completed', async () => {
    project.write({
      ...scriptAbility(
        's.half',
        'half/main.mjs',
        "import { text } from './lib.mjs';\nconsole.log(JSON.stringify(text));\n",
        {
          script: { args: [] },
        },
      ),
      'half/lib.mjs': 'export const text = "whole";\n',
    });
    expect((await project.run('s.half')).output).toBe('whole');
    const copy = onlyCopyOf('half/main.mjs');
    tamper(copy, 'console');
    rmSync(join(copy, '../lib.mjs'));
    expect((await project.run('s.half')).output).toBe('whole');
  });
});

describe('a blob of the store that was tampered with', () => {
  const approved = says('as approved');

  test('does not run, and is rewritten if the project has the right bytes', async () => {
    project.write(scriptAbility('s.blob', 'scripts/blob.mjs', approved, { script: { args: [] } }));
    const [first, second] = await created('s.blob', 2);
    const blob = blobOf(approved);
    tamper(blob, says('tampered'));
    expect((await result(first as string)).output).toBe('as approved');
    expect(readFileSync(blob, 'utf8')).toBe(approved);
    project.write({ 'scripts/blob.mjs': says('edited') });
    rmSync(copiesOf('scripts/blob.mjs')[0] as string);
    expect((await result(second as string)).output).toBe('as approved');
  });

  test('fails the task if the right bytes exist nowhere', async () => {
    const content = `// ${approved}`;
    project.write(scriptAbility('s.lost', 'scripts/lost.mjs', content, { script: { args: [] }, more: ONCE }));
    const [id] = await created('s.lost', 1);
    tamper(blobOf(content), says('tampered'));
    project.write({ 'scripts/lost.mjs': says('edited') });
    expect(await result(id as string)).toMatchObject({ status: 'failed', error: { code: 'script.changed' } });
  });
});
