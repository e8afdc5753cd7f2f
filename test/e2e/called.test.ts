import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as called from '../fixtures/called-command.js';
import * as started from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';

let project: ProjectFolder;

beforeAll(() => {
  project = makeProject({
    'ability.yaml': projectFile('{ dev: {}, prod: { protected: true } }', 'default_environment: dev\n'),
    ...operation('util.echo', 'return input;', { yaml: 'notes: "\\e[2J"' }),
    ...workflow('twice', 'steps: [{ id: a, call: util.echo, with: { n: 1 } }]'),
  });
  writeFileSync(join(project.root, 'broken.json'), '{');
});
afterAll(() => project.remove());

type Env = Record<string, string | undefined>;

describe('a command that is called prints and exits like one that is started', () => {
  test.each<[args: string[], env?: Env, input?: string]>([
    [['--version']],
    [['--help']],
    [['task']],
    [['list']],
    [['rum', 'x']],
    [['rum', '--json']],
    [['show', 'twice', '--json'], { ABILITY_ENV: 'prod' }],
    [['plan', 'twice', '--env', 'nowhere']],
    [['plan', 'util.echo', '--input', '-', '--json'], { ABILITY_USER: 'ann' }, '{ "n": 7 }'],
    [['plan', 'util.echo', '--input', '@broken.json']],
    [['lint', '--format', 'sarif']],
    [['task', 'list'], { TEMPORAL_PROFILE: 'unknown', HOME: '/nowhere', XDG_CONFIG_HOME: '/nowhere' }],
  ])('ability %j', async (args, env = {}, input = '') => {
    const options = { cwd: project.root, env, input };
    expect(await called.ability(args, options)).toEqual(await started.ability(args, options));
  });
});

test('concurrent calls mix neither their output nor their environments', async () => {
  const plan = ['plan', 'util.echo', '--json'];
  const users = Array.from({ length: 10 }, (_, n) => `user-${n}`);
  const ends = await Promise.all(
    users.map((ABILITY_USER) => called.abilityJson(plan, { cwd: project.root, env: { ABILITY_USER } })),
  );
  expect(ends.map(({ json }) => json.requested_by)).toEqual(users);
});

test('a call leaves nothing behind in the calling process', async () => {
  const listeners = () => process.eventNames().map((name) => [name, process.listenerCount(name as 'exit')]);
  const [before, exitCode, environment] = [listeners(), process.exitCode, { ...process.env }];
  await called.ability(['lint'], { cwd: project.root, env: { ABILITY_ENV: 'prod' } });
  await called.ability(['run', 'nothing'], { cwd: project.root });
  expect([listeners(), process.exitCode, { ...process.env }]).toEqual([before, exitCode, environment]);
});
