import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { atTerminal } from '../fixtures/at-terminal.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject, operation, type ProjectFolder, workflow } from '../fixtures/project-folder.js';
import { openScreen } from '../fixtures/screen.js';

let project: ProjectFolder;

beforeAll(() => {
  project = makeProject({
    ...operation(
      'util.bar',
      [
        'console.error("begin");',
        'for (let done = 0; done <= 100; done += 10) {',
        '  process.stderr.write(`\\r${done}%|${"#".repeat(done / 10)}|`);',
        '  await sleep(250);',
        '}',
        'process.stderr.write("\\n");',
        'return {};',
      ].join(' '),
    ),
    ...operation(
      'util.fails',
      'if (input.n === 2) { console.log("no space left on device"); process.exit(3); } return {};',
      {
        effects: 'write_additive',
      },
    ),
    ...workflow('shows', 'steps:\n  - { id: push, call: util.bar }\n'),
    ...workflow(
      'fails',
      'steps:\n  - { id: good, call: util.fails }\n  - { id: bad, call: util.fails, with: { n: 2 } }\n',
    ),
    ...workflow(
      'forgives',
      [
        'steps:',
        '  - { id: once, call: util.fails, with: { n: 2 }, continue_on_error: true }',
        '  - id: each',
        '    foreach: "[1, 2, 3]"',
        '    as: n',
        '    steps:',
        '      - { id: inner, call: util.fails, with: { n: "${{ n }}" }, continue_on_error: true }',
      ].join('\n'),
    ),
  });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const run = (...args: string[]) => ability(args, { cwd: project.root });

test('at a terminal a running call shows its time and its progress bar, and finally its steps', async () => {
  const { exitCode, screen } = await atTerminal(['run', 'shows', '--key', 'shown'], project.root, []);
  expect(exitCode).toBe(0);
  const drawn = stripVTControlCharacters(screen);
  expect(drawn).toMatch(/▸ push +util\.bar +\ds/);
  expect(drawn).toMatch(/│ [1-9]0%\|#+\|/);
  expect(await openScreen(200, 24).show(screen)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^ {2}✓ push +util\.bar +succeeded/),
      expect.stringMatching(/^succeeded/),
    ]),
  );
}, 120_000);

test('--verbose streams the output of the calls, each line once with its step', async () => {
  const { stderr, exitCode } = await run('run', 'shows', '--verbose');
  expect(exitCode).toBe(0);
  expect(stderr.match(/^push \| begin$/gm)).toHaveLength(1);
  expect(stderr.match(/^push \| 100%\|#{10}\|$/gm)).toHaveLength(1);
  for (const flag of ['--direct', '--detach']) {
    expect(await run('run', 'shows', '--verbose', flag)).toMatchObject({ exitCode: 2 });
  }
}, 60_000);

describe('the next command', () => {
  test('printed below a failure runs as pasted, in any folder', async () => {
    const elsewhere = { cwd: '/', env: { npm_command: 'exec' } };
    const failed = await ability(['run', 'fails', '--project', project.root, '--key', 'broke'], elsewhere);
    expect(failed.exitCode).toBe(1);
    expect(failed.stdout).toMatch(
      /exit code 3\n +It wrote nothing on stderr, and last on stdout:\n +no space left on device/,
    );
    const [, next = ''] = failed.stderr.split('Next:\n');
    const commands = next.split('\n').map((line) => line.trim().replace(/ {3}.*$/, ''));
    expect(commands).toEqual([
      `npx ability --project ${project.root} task logs broke bad`,
      `npx ability --project ${project.root} task retry broke --from bad`,
      `npx ability --project ${project.root} why broke`,
    ]);
    const [logs, retry, why] = commands.map((command) => command.split(' ').slice(2));
    expect(await ability(logs ?? [], elsewhere)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('no space left'),
    });
    expect((await ability(why ?? [], elsewhere)).stdout).toContain(
      `npx ability --project ${project.root} task retry broke --from bad`,
    );
    const again = await ability(retry ?? [], elsewhere);
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toContain('task broke.r2');
    // The same retry again is the same task, and reports that its different `--from` is ignored.
    const third = await ability(['task', 'retry', 'broke', '--from', 'bda', '--project', project.root], elsewhere);
    expect(third.stderr).toContain('broke was already retried, as broke.r2, and --from bda does not change that');
    expect(third.stderr).toContain('task retry broke.r2 --from bda');
  }, 60_000);

  test('is not printed after a success', async () => {
    const { stderr } = await run('run', 'util.fails', '--key', 'fine');
    expect(stderr).not.toMatch(/Next:|retry/);
    expect((await abilityJson(['why', 'fine'], { cwd: project.root })).json).toMatchObject({ retry: null });
  });
});

test('a forgiven failure is a warning, in a loop with its count', async () => {
  const file = join(project.root, 'out.xml');
  const { json, exitCode } = await abilityJson(['run', 'forgives', '--key', 'forgiven', '--junit', file], {
    cwd: project.root,
  });
  expect(exitCode).toBe(0);
  expect(json.warnings).toEqual([
    expect.stringMatching(/^The step once failed and the task went on \(continue_on_error\): script\.exit: /),
    expect.stringMatching(
      /^The step each\/\*\/inner failed in 1 of 3 turns, which went on .*; first item 1 \(2\): script\.exit/,
    ),
  ]);
  expect(readFileSync(file, 'utf8')).toMatch(/<system-err>warning: The step once failed/);
  expect((await run('task', 'result', 'forgiven')).stdout).toMatch(/^warning The step once failed/m);
  expect((await abilityJson(['task', 'record', 'forgiven'], { cwd: project.root })).json.result.warnings).toEqual(
    json.warnings,
  );
}, 60_000);
