import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connect, createTask, explainTask, waitForTask } from '../../src/client/index.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { callerOf } from '../fixtures/caller.js';
import { CLEAN, CLI } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';
import { TEST_KEYS } from '../fixtures/running-project.js';

const isHere = spawnSync('faketime', ['--version']).status === 0;
const WHY = isHere ? '' : ' (skipped: faketime is not installed, Debian has it as the package faketime)';

describe.skipIf(!isHere)(`a worker whose clock is not that of the server${WHY}`, () => {
  let project: ProjectFolder;
  const address = inject('temporal').address;
  const at = ['--address', address];
  const faked = (shift: string, ...args: string[]) =>
    execa('faketime', ['-f', shift, process.execPath, CLI, ...args, ...at], {
      cwd: project.root,
      env: { ...CLEAN, ABILITY_SEAL_KEYS: TEST_KEYS },
      reject: false,
      stdin: 'ignore',
      // `faketime` passes no signal on.
      detached: true,
    });

  beforeAll(() => {
    const note = "appendFileSync('written', input.text + ' '); return 1;";
    project = makeProject({
      'ability.yaml': projectFile('{ dev: {} }'),
      ...operation('disk.write', note, { effects: 'write_additive' }),
      ...operation('disk.mark', note, { effects: 'write_idempotent' }),
      ...workflow(
        'release',
        `
steps:
  - { id: a, call: disk.write, with: { text: a }, timeout: 20s, undo: { call: disk.write, with: { text: undone } } }
  - { id: b, call: disk.mark, with: { text: b }, timeout: 20s }
  - { id: c, fail: { code: app.broken, message: It is broken } }
finally: [{ id: f, call: disk.write, with: { text: finally } }]`,
      ),
    });
  });
  afterAll(() => project.remove());

  test.each([
    ['-90s', /1m (29|3[01])s behind/],
    ['+62s', /1m [012]s ahead of/],
    ['+3h', /(2h 59m|3h) ahead of/],
  ])(
    '%s: steps, undo and `finally` run, and doctor, the worker and why name the clock',
    async (shift, words) => {
      const { project: name } = loadRegistry(project.root).project;
      const connection = await connect({ root: project.root, project: name, address, env: process.env });
      const worker = faked(shift, 'worker', '--env', 'dev', '--placement', 'local');
      try {
        let said = '';
        worker.stderr?.on('data', (text: Buffer) => (said += text));
        await expect.poll(() => said, { timeout: 40_000, interval: 200 }).toMatch(words);
        const wanted = { ability: 'release', environment: 'dev', input: {}, caller: callerOf(), run: true };
        const { id } = await createTask(connection, wanted);
        const end = await waitForTask(connection, id, { timeoutMs: 60_000 });
        expect(end).toMatchObject({ kind: 'ended', result: { status: 'failed', error: { code: 'app.broken' } } });
        expect(readFileSync(join(project.root, 'written'), 'utf8').trim().split(' ').slice(-4)).toEqual(
          expect.arrayContaining(['a', 'b', 'undone', 'finally']),
        );
        const { warnings } = await explainTask(connection, id);
        expect(warnings.join('\n')).toMatch(words);
        const { stdout } = await faked(shift, 'doctor');
        expect(stdout).toMatch(/! clock .*/);
        expect(stdout).toMatch(words);
        // By its own clock, no worker was there lately, or all are yet to come.
        expect(stdout).not.toMatch(/No worker serves \S+-dev-local/);
      } finally {
        if (worker.pid !== undefined) process.kill(-worker.pid, 'SIGKILL');
        await worker;
        await connection.close();
      }
    },
    180_000,
  );
});
