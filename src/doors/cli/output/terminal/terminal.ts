import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import { AbilityError, reasonOf } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { readUpTo } from '../../../../disk/read-up-to.js';
import { showUnseenCharacters } from '../../../../rules/shown-text.js';
import { readUtf8 } from '../../../../text/lossless-json/read-json.js';
import { type PaintedBlock, paintBlock, type ScreenSize } from './paint-block.js';

type Output = Pick<NodeJS.WriteStream, 'write' | 'on' | 'isTTY'> &
  Partial<Pick<NodeJS.WriteStream, 'rows' | 'columns'>>;

/** The environment of a command: a process, or its substitute if another program calls the command. */
export interface Surroundings {
  stdin: { isTTY?: boolean | undefined };
  stdout: Output;
  stderr: Output;
  /** Reads all of stdin; left out: from file descriptor 0. */
  readInput?(): string;
  once(signal: NodeJS.Signals, listener: () => void): unknown;
  removeListener(signal: NodeJS.Signals, listener: () => void): unknown;
  emit(signal: NodeJS.Signals, value: NodeJS.Signals): boolean;
  exit(code: ExitCode): unknown;
}

/** The output, prompts and input of a command: results go to stdout, all else to stderr. Source: docs/guide.md. */
export interface Terminal {
  /** Prints one result for people; makes control and invisible characters visible, such as `\u202e`. */
  print(text: string): void;
  /** Prints one result as exact JSON, which escapes such characters. */
  printJson(value: unknown): void;
  /** Prints progress, warnings and errors. */
  note(text: string): void;
  /**
   * Rewrites its block of lines, as far as they differ; only on a TTY. Lines are cut to the width; none erase the
   * block. Other output goes above it, and removes it until it is drawn again.
   */
  redraw(lines: readonly string[]): void;
  /** The maximum number of lines of a block: more would scroll away, and could not be rewritten. */
  room(): number;
  columns(): number;
  /** Columns of stdout; undefined where it is no terminal. */
  width(): number | undefined;
  /** Whether stderr is an interactive terminal. */
  isLive: boolean;
  style(format: Parameters<typeof styleText>[0], text: string): string;
  /** Whether stdin and stderr are an interactive terminal. */
  canPrompt(): boolean;
  /** Whether stdin is a terminal, so that a person may wait for a question that {@link canPrompt} rules out. */
  hasKeyboard(): boolean;
  questions(): { input: NodeJS.ReadStream; output: NodeJS.WriteStream };
  /** Reads all of stdin. Blocks until it ends. @param max bytes. @throws AbilityError `input.invalid` above it. */
  readInput(max?: number): string;
  /** Listens for one Ctrl-C and one SIGTERM. @returns a function that stops listening. */
  onInterrupt(listener: () => void): () => void;
  /** Ends the process at once. */
  leave(exit: ExitCode): void;
}

export type Style = Terminal['style'];

/** Larger inputs belong in a file or service that the ability reads. */
export const MAX_INPUT_BYTES = 16 * 1024 * 1024;
const INTERRUPTIONS = ['SIGINT', 'SIGTERM'] as const;
const STDIN = 0;
/** The assumed height of a terminal that does not report one. */
const USUAL_ROWS = 24;
const USUAL_COLUMNS = 80;
/** How long work that cannot be aborted, such as a download, may continue after a timeout. */
export const LATE_WORK_MS = 1000;

export function openTerminal(env: NodeJS.ProcessEnv, around: Surroundings): Terminal {
  const { stdout, stderr } = around;
  const isLive = stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI;
  const isColored = isLive && !env.NO_COLOR;
  // Stands for the escape character of our styles, so that data cannot contain any.
  const ownEscape = `<${randomUUID()}>`;
  const shown = (text: string): string =>
    showUnseenCharacters(text.replaceAll('\r\n', '\n')).replaceAll(ownEscape, '\x1b');
  let drawn: PaintedBlock | undefined;
  const size = (): ScreenSize => ({ columns: stderr.columns || USUAL_COLUMNS, rows: stderr.rows || USUAL_ROWS });
  const paint = (lines: readonly string[]): void => {
    const { text, block } = paintBlock(drawn, lines, size());
    drawn = block;
    if (text !== '') stderr.write(text);
  };
  const say = (output: Output, text: string): void => {
    paint([]);
    output.write(text.endsWith('\n') ? text : `${text}\n`);
  };
  // Accesses stdin only when needed: the first access opens the stream.
  const hasKeyboard = (): boolean => around.stdin.isTTY === true;
  const endWhenClosed = enderOfClosed(around);
  for (const output of [stdout, stderr]) output.on('error', endWhenClosed);
  return {
    isLive,
    print: (text) => say(stdout, shown(text)),
    printJson: (value) => say(stdout, showUnseenCharacters(JSON.stringify(value, null, 2))),
    note: (text) => say(stderr, shown(text)),
    redraw: (lines) => paint(lines.map((line) => shown(line).replaceAll('\n', ' '))),
    room: () => Math.max(1, size().rows - 1),
    columns: () => Math.max(1, size().columns - 1),
    width: () => (stdout.isTTY ? stdout.columns : undefined),
    style(format, text) {
      if (!isColored) return text;
      return styleText(format, showUnseenCharacters(text), { validateStream: false }).replaceAll('\x1b', ownEscape);
    },
    canPrompt: () => isLive && hasKeyboard(),
    hasKeyboard,
    questions: () => ({ input: around.stdin as NodeJS.ReadStream, output: stderr as NodeJS.WriteStream }),
    readInput: (max = MAX_INPUT_BYTES) => readStdin(around, max),
    onInterrupt(listener) {
      for (const signal of INTERRUPTIONS) around.once(signal, listener);
      return () => {
        for (const signal of INTERRUPTIONS) around.removeListener(signal, listener);
      };
    },
    leave: (exit) => void around.exit(exit),
  };
}

/** After EPIPE, ends as at SIGTERM, in an orderly way if possible; other write errors fail the command. */
function enderOfClosed(around: Surroundings): (error: NodeJS.ErrnoException) => void {
  let isClosed = false;
  return (error) => {
    if (isClosed) return;
    isClosed = true;
    if (error.code !== 'EPIPE') {
      around.stderr.write(`error The output could not be written: ${showUnseenCharacters(error.message)}\n`);
      around.exit(EXIT.failed);
      return;
    }
    if (!around.emit('SIGTERM', 'SIGTERM')) around.exit(EXIT.interrupted);
  };
}

function readStdin(around: Surroundings, max: number): string {
  const bytes = around.readInput ? Buffer.from(around.readInput()) : readUpTo(max, STDIN);
  if (bytes !== undefined && bytes.length <= max) return readUtf8(bytes, { code: 'input.invalid', what: 'stdin' });
  throw new AbilityError({ code: 'input.invalid', message: `stdin is larger than ${max} bytes` });
}

type Ending = Pick<NodeJS.Process, 'exitCode' | 'on'>;

/**
 * Ends the process with the exit code of the printed answer once nothing is pending. A later failure, such as a
 * connection that closes late, is reported on stderr, ends the process, and keeps that exit code. After a timeout,
 * what is pending has a second.
 */
export function keepAnswer(exit: ExitCode, around: Ending, terminal: Pick<Terminal, 'note' | 'leave'>): void {
  around.exitCode = exit;
  around.on('uncaughtException', (error) => {
    terminal.note(`warning The command had ended when this failed: ${reasonOf(error)}`);
    terminal.leave(exit);
  });
  if (exit === EXIT.timedOut) setTimeout(() => terminal.leave(exit), LATE_WORK_MS).unref();
}
