import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ability } from '../fixtures/called-command.js';
import { CLI } from '../fixtures/command-line.js';
import { makeProject, operation } from '../fixtures/project-folder.js';

/** Two abilities, one of them a workflow that calls nothing. */
const project = makeProject({
  ...operation('util.echo', 'return 1;'),
  'registry/high-level/nothing.yaml':
    'id: nothing\ntype: workflow\nversion: 1\nsummary: Call nothing.\nsteps: [{ id: one, let: { n: 1 } }]\n',
});

beforeAll(() => ability(['up', '--detach'], { cwd: project.root }), 60_000);
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
}, 60_000);

/** So many rounds show that a command is far from its limit; one that seems to be above it has as many as it takes. */
const [FEW_ROUNDS, MOST_ROUNDS] = [3, 11];

/** What a tool asks the guard about. */
const EVENT = JSON.stringify({
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'git status' },
});

function execute(...args: string[]): void {
  execFileSync(process.execPath, args, { cwd: project.root, input: EVENT, stdio: ['pipe', 'ignore', 'ignore'] });
}

/** Milliseconds of one whole process. */
function time(...args: string[]): number {
  const started = performance.now();
  execute(...args);
  return performance.now() - started;
}

describe('a command as a whole process, beside a bare Node in turns with it', () => {
  // What is measured alone is 2.7, 4.6 and 7.3 times; other tests on the same cores make each of them more, so the least counts.
  test.each([
    [['--version'], 1.5],
    [['list'], 3.5],
    [['guard', '--for', 'claude'], 3],
    [['lint'], 6],
    [['run', 'nothing'], 11],
  ])('`ability %j` costs at most %d times as much', (args, limit) => {
    const [bare, command]: [number[], number[]] = [[], []];
    const ratio = (): number => Math.min(...command) / Math.min(...bare);
    for (let round = 0; round < FEW_ROUNDS || (round < MOST_ROUNDS && ratio() >= limit); round += 1) {
      bare.push(time('-e', '0'));
      command.push(time(CLI, ...args));
    }
    expect(ratio()).toBeLessThan(limit);
  });
});
