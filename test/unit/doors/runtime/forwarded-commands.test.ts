import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../../../../src/doors/cli/program/program.js';
import { mayAsk, sentOf } from '../../../../src/doors/runtime/forward-command.js';
import { GLOBAL, LINES, readLine } from '../../../../src/doors/runtime/forwarded-commands.js';
import { SILENT_TERMINAL } from '../../../fixtures/silent-terminal.js';

describe('a command line that may be passed to the runtime', () => {
  test.each([
    [['run', 'x'], { isFollowing: true, makesKey: true }],
    [['run', 'x', '--json', '--set', 'a=b', '--set', 'c:=1', '--input', '{}'], { isFollowing: true, makesKey: true }],
    [['run', 'x', '--key', 'mine'], { isFollowing: true, makesKey: false }],
    [['--project', 'p', 'run', 'x'], { project: 'p', isFollowing: true, makesKey: true }],
    [['task', 'watch', 'k', '--timeout', '5s'], { isFollowing: true, makesKey: false }],
    [['task', 'list', '--status', 'failed', '--env', 'dev'], { isFollowing: false, makesKey: false }],
    [['task', '--json', 'show', 'k'], { isFollowing: false, makesKey: false }],
  ])('%j is accepted', (args, line) => {
    expect(readLine(args)).toEqual(line);
  });

  test.each([
    ['none', []],
    ['help', ['run', 'x', '--help']],
    ['an unknown flag', ['run', 'x', '--nope']],
    ['a flag of another command', ['task', 'show', 'k', '--timeout', '1s']],
    ['a value that is missing', ['run', 'x', '--set']],
    ['a value that may be a flag', ['run', 'x', '--set', '-v']],
    ['a value behind an equals sign', ['run', 'x', '--env=dev']],
    ['the end of flags', ['run', '--', 'x']],
    ['stdin', ['run', 'x', '--input', '-']],
    ['a file as input', ['run', 'x', '--input', '@in.json']],
    ['a file as a field', ['run', 'x', '--set', 'a=@in.txt']],
    ['a file of the task', ['run', 'x', '--file', 'a=in.txt']],
    ['a file as plan', ['run', 'x', '--plan', '@plan.json']],
    ['a file that is written', ['run', 'x', '--junit', 'out.xml']],
    ['output as it comes', ['run', 'x', '--verbose']],
    ['a run that ends with its command', ['run', 'x', '--direct']],
    ['another server', ['run', 'x', '--address', 'localhost:7233']],
    ['a profile', ['run', 'x', '--profile', 'prod']],
    ['a decision', ['approve', 'k']],
    ['a denial', ['deny', 'k']],
    ['a change', ['task', 'cancel', 'k']],
    ['a name of every object', ['constructor']],
    ['a list of definitions', ['list']],
  ])('%s is not accepted', (_, args) => {
    expect(readLine(args)).toBeUndefined();
  });

  test.each(Object.entries(LINES))(
    '%s has the same flags here as in the program',
    (name, { values = [], switches = [] }) => {
      const program = buildProgram({ terminal: SILENT_TERMINAL, cwd: '/', env: {}, began: 0 }, { exit: 0 });
      const command = name
        .split(' ')
        .reduce((at: Command, word) => at.commands.find((one) => one.name() === word) as Command, program);
      const takesValue = (flag: string): boolean | undefined =>
        command.options.find(({ long }) => long === flag)?.required;
      for (const flag of [...GLOBAL.values, ...values]) expect([flag, takesValue(flag)]).toEqual([flag, true]);
      for (const flag of [...GLOBAL.switches, ...switches]) expect([flag, takesValue(flag)]).toEqual([flag, false]);
    },
  );
});

describe('the environment of a command', () => {
  test('is sent over the socket only as far as commands read it', () => {
    const env = {
      ABILITY_USER: 'a',
      CLAUDECODE: '1',
      CI: 'true',
      AWS_SECRET_ACCESS_KEY: 's',
      PATH: '/bin',
      ABILITY_TOKEN: 't',
    };
    expect(sentOf(env)).toEqual({ ABILITY_USER: 'a', CLAUDECODE: '1', CI: 'true' });
  });

  test.each([
    [{}, true],
    [{ TEMPORAL_NAMESPACE: 'x' }, true],
    [{ TEMPORAL_ADDRESS: 'x:1' }, false],
    [{ TEMPORAL_PROFILE: 'x' }, false],
    [{ ABILITY_STORE: '/x' }, false],
    [{ ABILITY_SOCKET: 'off' }, false],
  ])('%j lets the runtime be used: %s', (env, may) => {
    expect(mayAsk(env)).toBe(may);
  });
});
