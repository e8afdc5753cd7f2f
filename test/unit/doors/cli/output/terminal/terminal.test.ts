import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import {
  keepAnswer,
  openTerminal,
  type Surroundings,
} from '../../../../../../src/doors/cli/output/terminal/terminal.js';
import { errorOf } from '../../../../error-of.js';

/** A terminal that records what is written to it. */
function terminalOn(isTTY: boolean, rows?: number) {
  const written = { out: '', err: '' };
  const output = (name: 'out' | 'err') => ({
    isTTY,
    ...(rows !== undefined && { rows }),
    write(text: string) {
      written[name] += text;
      return true;
    },
    on() {
      return this;
    },
  });
  const outputs = { stdout: output('out'), stderr: output('err') } as never;
  return { ...openTerminal({ TERM: 'xterm' }, outputs), written };
}

const NASTY = 'a\x1b[2J\x1b]0;title\x07b\r\u009b31mc\u202ed\u2066e\u200ff\tg\nh';

test('data cannot control the terminal, nor reverse text', () => {
  const { print, note, redraw, written } = terminalOn(false);
  print(NASTY);
  note(NASTY);
  const shown = 'a\\u001b[2J\\u001b]0;title\\u0007b\\u000d\\u009b31mc\\u202ed\\u2066e\\u200ff\tg';
  const clean = `${shown}\nh\n`;
  expect(written).toEqual({ out: clean, err: clean });
  redraw([NASTY]);
  expect(written.err).toBe(`${clean}\x1b[?7l${shown} h\n\x1b[?7h`);
});

test('JSON keeps its value, with such characters escaped', () => {
  const { printJson, written } = terminalOn(false);
  printJson({ NASTY });
  expect(JSON.parse(written.out)).toEqual({ NASTY });
  for (const character of ['\x1b', '\x9b', '\u202e', '\u2066', '\u200f']) expect(written.out).not.toContain(character);
});

test('our own styles reach a terminal, but those of data do not, even inside ours', () => {
  const { print, style, written } = terminalOn(true);
  print(`${style('red', 'bad\x1b[8mhidden')} \x1b[32mgood`);
  expect(written.out).toBe('\x1b[31mbad\\u001b[8mhidden\x1b[39m \\u001b[32mgood\n');
});

test('a block leaves the last row to the cursor, and a terminal without a height has the default one', () => {
  expect(terminalOn(true, 10).room()).toBe(9);
  expect(terminalOn(true, 1).room()).toBe(1);
  expect(terminalOn(true, 0).room()).toBe(23);
  expect(terminalOn(true).room()).toBe(23);
});

/** Stands in for a process: an emitter with streams, which records its exit. */
function surroundings(isTTY: boolean) {
  const output = () => Object.assign(new EventEmitter(), { isTTY, columns: 90, write: () => true });
  const around = { stdin: { isTTY }, stdout: output(), stderr: output(), readInput: () => 'typed', exit: vi.fn() };
  return Object.assign(new EventEmitter(), around) as unknown as Surroundings & {
    stdout: EventEmitter;
    emit(name: string): boolean;
  };
}

test('people are asked only if both stdin and stderr are terminals', () => {
  const both = surroundings(true);
  expect(openTerminal({}, both).canPrompt()).toBe(true);
  expect(openTerminal({ CI: '1' }, both).canPrompt()).toBe(false);
  expect(openTerminal({}, { ...both, stdin: { isTTY: false } } as never).canPrompt()).toBe(false);
  expect(openTerminal({}, surroundings(false)).canPrompt()).toBe(false);
  expect(
    [openTerminal({ CI: '1' }, both), openTerminal({}, surroundings(false))].map((one) => one.hasKeyboard()),
  ).toEqual([true, false]);
  expect([openTerminal({}, both).width(), openTerminal({}, surroundings(false)).width()]).toEqual([90, undefined]);
});

test('Ctrl-C and SIGTERM are each handled once, and only while there is a listener', () => {
  const around = surroundings(false);
  const { onInterrupt, readInput, leave } = openTerminal({}, around);
  const listener = vi.fn();
  const stop = onInterrupt(listener);
  around.emit('SIGINT');
  around.emit('SIGINT');
  around.emit('SIGTERM');
  expect(listener).toHaveBeenCalledTimes(2);
  onInterrupt(listener)();
  stop();
  around.emit('SIGINT');
  expect(listener).toHaveBeenCalledTimes(2);
  leave(6);
  expect(around.exit).toHaveBeenCalledExactlyOnceWith(6);
  expect(readInput()).toBe('typed');
});

test('stdin above its limit, in bytes, is refused', () => {
  const around = Object.assign(surroundings(false), { readInput: () => 'ä' });
  expect(openTerminal({}, around).readInput(2)).toBe('ä');
  expect(errorOf(() => openTerminal({}, around).readInput(1))).toMatchObject({
    code: 'input.invalid',
    message: 'stdin is larger than 1 bytes',
  });
});

test('a closed pipe ends a listener as SIGTERM does, and without one ends the command with 130', () => {
  const around = surroundings(false);
  const stop = openTerminal({}, around).onInterrupt(() => {});
  around.stdout.emit('error', Object.assign(new Error('closed'), { code: 'EPIPE' }));
  expect(around.exit).not.toHaveBeenCalled();
  stop();
  const other = surroundings(false);
  openTerminal({}, other);
  other.stdout.emit('error', Object.assign(new Error('closed'), { code: 'EPIPE' }));
  expect(other.exit).toHaveBeenCalledExactlyOnceWith(130);
});

test.each([
  ['has a second after a timeout', 6, [[6]]],
  ['may take its time after another end', 0, []],
] as const)('what is still pending %s', (_, exit, ends) => {
  vi.useFakeTimers();
  const terminal = { note: vi.fn(), leave: vi.fn() };
  keepAnswer(exit, Object.assign(new EventEmitter(), { exitCode: undefined }) as never, terminal);
  vi.advanceTimersByTime(999);
  expect(terminal.leave).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  expect(terminal.leave.mock.calls).toEqual(ends);
});

test('output that cannot be written fails the command, which reports why if it can', () => {
  const around = surroundings(false);
  const write = vi.spyOn(around.stderr, 'write');
  openTerminal({}, around);
  around.stdout.emit('error', Object.assign(new Error('reset by peer'), { code: 'ECONNRESET' }));
  expect(around.exit).toHaveBeenCalledExactlyOnceWith(1);
  expect(write.mock.calls).toEqual([['error The output could not be written: reset by peer\n']]);
});

test.each([new Error('Channel has been shut down'), 'a rejection that is not an error'])(
  'a failure after the answer is reported, and keeps the exit code: %s',
  (fault) => {
    const around = Object.assign(new EventEmitter(), { exitCode: undefined as number | undefined });
    const terminal = { note: vi.fn(), leave: vi.fn() };
    keepAnswer(6, around as never, terminal);
    expect(around.exitCode).toBe(6);
    around.emit('uncaughtException', fault);
    expect(terminal.leave).toHaveBeenCalledExactlyOnceWith(6);
    const message = fault instanceof Error ? fault.message : fault;
    expect(terminal.note).toHaveBeenCalledExactlyOnceWith(`warning The command had ended when this failed: ${message}`);
  },
);
