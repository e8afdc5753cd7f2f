import { expect, test } from 'vitest';
import { main } from '../../../../src/doors/cli/main.js';
import { SILENT_TERMINAL } from '../../../fixtures/silent-terminal.js';

async function end(...args: string[]) {
  const out: unknown[] = [];
  const err: string[] = [];
  const terminal = {
    ...SILENT_TERMINAL,
    print: (text: string) => void out.push(text),
    printJson: (value: unknown) => void out.push(value),
    note: (text: string) => void err.push(text),
  };
  const exit = await main({ args, cwd: '/', env: {}, terminal });
  return { exit, out, err: err.join('\n') };
}

test.each([[['task']], [['--env', 'dev', 'task']], [['task', '--env', 'dev']]])(
  'a group without a command is wrong usage, with its help on stderr: %j',
  async (args) => {
    const { exit, out, err } = await end(...args);
    expect({ exit, out }).toEqual({ exit: 2, out: [] });
    expect(err).toMatch(/^Usage: ability task [\s\S]*usage\.invalid[\s\S]*`ability task` needs a command/);
  },
);

test.each([[['task', '--json']], [['--json', 'task']]])('with --json it is one error on stdout: %j', async (args) => {
  const { exit, out, err } = await end(...args);
  const error = { code: 'usage.invalid', message: '`ability task` needs a command' };
  expect({ exit, out, err }).toMatchObject({ exit: 2, out: [{ status: 'error', error }], err: '' });
});

test('flags without a command are wrong usage', async () => {
  expect(await end('--env', 'dev')).toMatchObject({ exit: 2, out: [] });
});

test.each([[[]], [['--help']], [['help']], [['task', '--help']], [['task', 'help']]])(
  'help that was asked for is the result: %j',
  async (args) => {
    expect(await end(...args)).toMatchObject({
      exit: 0,
      out: expect.arrayContaining([expect.stringMatching(/^Usage: ability/)]),
      err: '',
    });
  },
);
