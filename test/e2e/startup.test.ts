import { execFileSync } from 'node:child_process';
import { afterAll, expect, test } from 'vitest';
import { CLI } from '../fixtures/command-line.js';
import { makeProject, operation } from '../fixtures/project-folder.js';

const project = makeProject(
  Object.assign({}, ...Array.from({ length: 10 }, (_, n) => operation(`util.op${n}`, 'return 1;'))),
);
afterAll(() => project.remove());

const ROUNDS = 11;

/** Milliseconds of one whole process. */
function time(args: string[]): number {
  const started = performance.now();
  execFileSync(process.execPath, args, { cwd: project.root, stdio: 'ignore' });
  return performance.now() - started;
}

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number;
}

test('`ability --version` costs at most 1.5 times a bare Node, `ability list` at most 5 times', () => {
  const bare: number[] = [];
  const version: number[] = [];
  const list: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(time(['-e', '0']));
    version.push(time([CLI, '--version']));
    list.push(time([CLI, 'list']));
  }
  const node = median(bare);
  expect(median(version) / node).toBeLessThan(1.5);
  expect(median(list) / node).toBeLessThan(5);
});
