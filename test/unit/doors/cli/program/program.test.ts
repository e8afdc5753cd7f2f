import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../../../src/contracts/states.js';
import type { Outcome } from '../../../../../src/doors/cli/program/declare-command.js';
import { buildProgram } from '../../../../../src/doors/cli/program/program.js';
import { NOWHERE } from '../../../../fixtures/silent-terminal.js';

const program = buildProgram(NOWHERE, { exit: EXIT.ok });

/** Everything that a command prints for `--help`. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (more) => {
      text += more;
    },
  });
  command.outputHelp();
  return text;
}

/** The command with these words, such as `task run`. */
function commandOf(words: string): Command {
  let at: Command = program;
  for (const word of words.split(' ')) {
    const next = at.commands.find((command) => command.name() === word);
    if (!next) throw new Error(`there is no command ${words}`);
    at = next;
  }
  return at;
}

function leavesOf(command: Command, before = ''): [string, Command][] {
  return command.commands.flatMap((child): [string, Command][] => {
    const name = `${before}${child.name()}`;
    return child.commands.length > 0 ? leavesOf(child, `${name} `) : [[name, child]];
  });
}

/** The commands that design section 11 and issue 3 list; other issues bring the others. */
const COMMANDS = [
  'init [options] [dir]',
  'up [options]',
  'down [options]',
  'doctor [options]',
  'worker [options]',
  'list [options]',
  'show [options] <id>',
  'plan [options] <id>',
  'graph [options] <id>',
  'lint [options]',
  'route [options] <text...>',
  'agent [options]',
  'explain [options] <code>',
  'test [options] [id]',
  'docs [options] [paths...]',
  'guard [options]',
  'mcp [options]',
  'open [options] [key]',
  'hooks',
  'run [options] <id>',
  'task',
  'session',
  'schedule',
  'scaffold',
  'approvals [options] [key]',
  'approve [options] [key]',
  'deny [options] <key>',
  'audit',
  'grants',
  'why [options] <key>',
  'replay [options] <what>',
  'import',
  'keys',
  'token',
  'serve [options]',
  'login [options]',
  'logout [options]',
  'hooks',
  'completion [options] <shell> [words...]',
  'ask [options] <text...>',
  'harvest [options]',
  'prune [options]',
];
const TASK_COMMANDS = [
  'create [options] <id>',
  'run [options] <key>',
  'show [options] <key>',
  'get [options] <key> [field]',
  'set [options] <key> [assignments...]',
  'result [options] <key>',
  'logs [options] <key> [step]',
  'files [options] <key>',
  'watch [options] <key>',
  'cancel [options] <key>',
  'delete [options] <key>',
  'pause [options] <key>',
  'resume [options] <key>',
  'signal [options] <key> <name>',
  'retry [options] <key>',
  'reconcile [options] <key>',
  'list [options]',
  'record [options] <key>',
  'open [options] <key>',
];
const SESSION_COMMANDS = [
  'start [options]',
  'prompt [options] <session> <text>',
  'show [options] <session>',
  'stop [options] <session>',
];
const SCAFFOLD_COMMANDS = [
  'low-level [options] [key]',
  'scripts [options] <files...>',
  'high-level [options] [id]',
  'implementation [options] [id]',
  'hook [options] [id]',
  'agent [options] [id]',
  'cases [options] [name]',
  'config [options] <name>',
  'module [options] [id]',
  'capabilities [options]',
  'packs [options]',
  'schemas [options]',
];
const HARVEST_COMMANDS = ['promote [options] <script>'];
const HOOKS_COMMANDS = ['list [options] [id]', 'test [options] [hook]', 'export [options]'];
const SCHEDULE_COMMANDS = [
  'create [options] <id>',
  'list [options]',
  'show [options] <name>',
  'pause [options] <name>',
  'resume [options] <name>',
  'run [options] <name>',
  'delete [options] <name>',
  'sync [options]',
];
const KEYS_COMMANDS = ['create [options]', 'rotate [options]'];
const GRANTS_COMMANDS = ['list [options]', 'revoke [options] <id>'];
const AUDIT_COMMANDS = ['export [options]', 'verify [options]'];
const TOKEN_COMMANDS = ['create [options]', 'list [options]', 'revoke [options] <id>'];
const IMPORT_COMMANDS = ['mcp [options] <server>', 'openapi [options] <source>', 'hooks [options] <file>'];

describe('`--help` lists', () => {
  test.each(COMMANDS)('ability %s', (usage) => {
    expect(helpOf(program)).toContain(`\n  ${usage} `);
  });

  test.each(TASK_COMMANDS)('ability task %s', (usage) => {
    expect(helpOf(commandOf('task'))).toContain(`\n  ${usage} `);
  });

  test.each(SCAFFOLD_COMMANDS)('ability scaffold %s', (usage) => {
    expect(helpOf(commandOf('scaffold'))).toContain(`\n  ${usage} `);
  });

  test.each(SESSION_COMMANDS)('ability session %s', (usage) => {
    expect(helpOf(commandOf('session'))).toContain(`\n  ${usage} `);
  });

  test.each(HARVEST_COMMANDS)('ability harvest %s', (usage) => {
    expect(helpOf(commandOf('harvest'))).toContain(`\n  ${usage} `);
  });

  test.each(IMPORT_COMMANDS)('ability import %s', (usage) => {
    expect(helpOf(commandOf('import'))).toContain(`\n  ${usage} `);
  });

  test.each(SCHEDULE_COMMANDS)('ability schedule %s', (usage) => {
    expect(helpOf(commandOf('schedule'))).toContain(`\n  ${usage} `);
  });

  test.each(TOKEN_COMMANDS)('ability token %s', (usage) => {
    expect(helpOf(commandOf('token'))).toContain(`\n  ${usage} `);
  });

  test.each(GRANTS_COMMANDS)('ability grants %s', (usage) => {
    expect(helpOf(commandOf('grants'))).toContain(`\n  ${usage} `);
  });

  test.each(AUDIT_COMMANDS)('ability audit %s', (usage) => {
    expect(helpOf(commandOf('audit'))).toContain(`\n  ${usage} `);
  });

  test.each(KEYS_COMMANDS)('ability keys %s', (usage) => {
    expect(helpOf(commandOf('keys'))).toContain(`\n  ${usage} `);
  });

  test.each(HOOKS_COMMANDS)('ability hooks %s', (usage) => {
    expect(helpOf(commandOf('hooks'))).toContain(`\n  ${usage} `);
  });

  test('nothing else', () => {
    const known = [
      ...COMMANDS,
      ...TASK_COMMANDS.map((usage) => `task ${usage}`),
      ...SESSION_COMMANDS.map((usage) => `session ${usage}`),
      ...SCAFFOLD_COMMANDS.map((usage) => `scaffold ${usage}`),
      ...IMPORT_COMMANDS.map((usage) => `import ${usage}`),
      ...SCHEDULE_COMMANDS.map((usage) => `schedule ${usage}`),
      ...KEYS_COMMANDS.map((usage) => `keys ${usage}`),
      ...GRANTS_COMMANDS.map((usage) => `grants ${usage}`),
      ...AUDIT_COMMANDS.map((usage) => `audit ${usage}`),
      ...TOKEN_COMMANDS.map((usage) => `token ${usage}`),
      ...HOOKS_COMMANDS.map((usage) => `hooks ${usage}`),
      ...HARVEST_COMMANDS.map((usage) => `harvest ${usage}`),
    ].map((usage) => usage.replace(/ [[<].*/, ''));
    expect(
      leavesOf(program)
        .map(([name]) => name)
        .sort(),
    ).toEqual(
      known
        .filter(
          (name) =>
            ![
              'task',
              'session',
              'schedule',
              'scaffold',
              'import',
              'keys',
              'token',
              'hooks',
              'harvest',
              'grants',
              'audit',
            ].includes(name),
        )
        .sort(),
    );
  });

  test('the exit codes of every command', () => {
    expect(helpOf(program)).toMatch(/0 succeeded[\s\S]*8 outcome unknown[\s\S]*130 interrupted/);
  });
});

describe('options', () => {
  test.each([
    ['test', ['--junit', '--watch']],
    ['docs', ['--check', '--add', '--agents', '--skill', '--gaps']],
    ['harvest', ['--write', '--proposal']],
    ['harvest promote', ['--prefix', '--effects', '--record', '--dry-run']],
    ['open', []],
    ['up', ['--detach']],
    ['doctor', ['--fix']],
    ['keys create', ['--id', '--add', '--payload']],
    ['keys rotate', ['--payload']],
    ['worker', ['--env', '--placement']],
    ['run', ['--input', '--set', '--env', '--key', '--direct', '--detach', '--junit', '--timeout', '--wait-approval']],
    ['init', ['--name', '--env-names', '--example', '--force']],
    ['scaffold scripts', ['--prefix', '--args', '--effects', '--scope']],
    ['scaffold low-level', ['--from', '--kind', '--scope']],
    ['scaffold hook', ['--from', '--phase', '--handler', '--match', '--deny-if', '--confirm-if', '--warn-if']],
    ['task create', ['--input', '--set', '--key']],
    ['task run', ['--detach', '--junit', '--timeout', '--wait-approval']],
    ['task watch', ['--timeout']],
    ['task logs', ['--follow']],
    [
      'import mcp',
      ['--select', '--prefix', '--dry-run', '--overwrite', '--command', '--url', '--env-profile', '--timeout'],
    ],
    ['approve', ['--approval', '--as', '--comment']],
    ['deny', ['--approval', '--as', '--comment']],
  ])('%s accepts %j', (name, options) => {
    const taken = commandOf(name).options.map(({ long }) => long);
    expect(taken).toEqual(expect.arrayContaining(options));
  });

  test.each(leavesOf(program).map(([name]) => name))('%s accepts the flags that every command accepts', (name) => {
    const taken = commandOf(name).options.map(({ long }) => long);
    const globals = [
      '--project',
      '--address',
      '--namespace',
      '--profile',
      '--json',
      '--env',
      '--yes',
      '--strict',
      '--door',
    ];
    expect(taken).toEqual(expect.arrayContaining(globals));
  });
});

test.each([
  [['--env', 'dev', 'show', 'x', '--env', 'prod'], 'prod'],
  [['show', 'x', '--env', 'prod', '--env', 'dev'], 'dev'],
  [['--env', 'a', 'task', '--env', 'b', 'show', 'x', '--env', 'c'], 'c'],
  [['--env', 'dev', 'task', 'show', 'x'], 'dev'],
  [['--env', 'dev', 'worker', '--env', 'prod'], ['prod']],
  [
    ['worker', '--env', 'dev', '--env', 'prod'],
    ['dev', 'prod'],
  ],
  [
    ['worker', '--env', 'dev', 'prod'],
    ['dev', 'prod'],
  ],
])('a flag holds as it was typed last, and `worker` takes several environments: %j', async (args, env) => {
  const outcome: Outcome = { exit: EXIT.ok };
  // There is no project here.
  await expect(buildProgram(NOWHERE, outcome).parseAsync(args, { from: 'user' })).rejects.toThrow(/ability\.yaml/);
  expect(outcome.flags?.env).toEqual(env);
});

test.each(['', ...leavesOf(program).map(([name]) => name)])('the help of `ability %s` has an example', (name) => {
  const help = helpOf(name === '' ? program : commandOf(name));
  expect(help).toMatch(new RegExp(`\\nExamples:\\n(.*\\n)* +\\$ .*ability ${name}`));
});

test('the help of `ability task` has an example', () => {
  expect(helpOf(commandOf('task'))).toMatch(/Examples:\n +\$ ability task /);
});

test.each([
  ['--env', ['run', 'greet', '--env', '']],
  ['--env', ['--env=', 'task', 'list']],
  ['--session', ['run', 'greet', '--session', '']],
  ['--key', ['task', 'create', 'greet', '--key=']],
  ['<key>', ['approve', '']],
  ['<id>', ['run', '']],
])('an empty %s, as of a variable that is not set, is refused: %j', async (flag, words) => {
  const running = buildProgram(NOWHERE, { exit: EXIT.ok }).parseAsync(words, { from: 'user' });
  await expect(running).rejects.toMatchObject({ code: 'usage.invalid', message: `${flag} is empty` });
});
