import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { styleText } from 'node:util';
import type { ExitCode } from '../../../../contracts/exit-codes.js';
import { reasonOf } from '../../../../contracts/problem.js';
import { showUnseenCharacters } from '../../../../rules/shown-text.js';
import { type PaintedBlock, paintBlock, type ScreenSize } from './paint-block.js';
import { enderOfClosed, type Output, type Surroundings } from './surroundings.js';

/** The output, prompts and input of a command: results go to stdout, all else to stderr. Source: docs/guide.md. */
export interface Terminal {
  /** One result, for people: control and invisible characters are shown, as `\u202e`. */
  print(text: string): void;
  /** One result as JSON, exactly: such characters are escaped in it. */
  printJson(value: unknown): void;
  /** Progress, warnings, errors. */
  note(text: string): void;
  /**
   * Rewrites the block of lines it drew before, as far as they differ; only on a TTY. Lines are cut at its width; none
   * erase the block. What is said meanwhile stands above it, and takes it away until it is drawn again.
   */
  redraw(lines: readonly string[]): void;
  /** The maximum number of lines of a block: more would scroll away, and could not be rewritten. */
  room(): number;
  /** Columns that a line of a block may have. */
  columns(): number;
  /** Columns of stdout; undefined where it is no terminal. */
  width(): number | undefined;
  /** Whether people read stderr. */
  isLive: boolean;
  style(format: Parameters<typeof styleText>[0], text: string): string;
  /** Whether there is a person to ask. */
  canAsk(): boolean;
  /** Where questions are put and answers typed. */
  questions(): { input: NodeJS.ReadStream; output: NodeJS.WriteStream };
  /** All of stdin, as text. Blocks until it ends. */
  readInput(): string;
  /** Listens for one Ctrl-C, and for one SIGTERM. @returns stops listening. */
  onInterrupt(listener: () => void): () => void;
  /** Ends the command and its process at once. @param exit left out: the exit code that the process has by then. */
  leave(exit?: ExitCode): void;
}

/** Colours or weights a text, where the terminal has these. */
export type Style = Terminal['style'];

const INTERRUPTIONS = ['SIGINT', 'SIGTERM'] as const;
/** The assumed height of a terminal that does not report one. */
const USUAL_ROWS = 24;
const USUAL_COLUMNS = 80;

/** The terminal of a command. */
export function openTerminal(env: NodeJS.ProcessEnv, around: Surroundings): Terminal {
  const { stdout, stderr } = around;
  const isLive = stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI;
  const isColored = isLive && !env.NO_COLOR;
  // Replaces the escape character of our own styles, so that data cannot contain any.
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
    // Nothing touches stdin that need not: the stream of a process is opened by the first look.
    canAsk: () => isLive && around.stdin.isTTY === true,
    questions: () => ({ input: around.stdin as NodeJS.ReadStream, output: stderr as NodeJS.WriteStream }),
    readInput: () => (around.readInput ? around.readInput() : readFileSync(0, 'utf8')),
    onInterrupt(listener) {
      for (const signal of INTERRUPTIONS) around.once(signal, listener);
      return () => {
        for (const signal of INTERRUPTIONS) around.removeListener(signal, listener);
      };
    },
    // An exit code that is named takes the place of the one there is, even where it is undefined.
    leave: (exit) => void (exit === undefined ? around.exit() : around.exit(exit)),
  };
}

/** What of a process its end is about. */
type Ending = Pick<NodeJS.Process, 'exitCode' | 'on'>;

/**
 * Lets a process end with the exit code of the answer that it has printed, once nothing is under way any more.
 *
 * What fails from then on, such as a connection that closes late, changes nothing of the answer: it is reported on stderr,
 * and ends the process.
 */
export function keepAnswer(exit: ExitCode, around: Ending, terminal: Pick<Terminal, 'note' | 'leave'>): void {
  around.exitCode = exit;
  around.on('uncaughtException', (error) => {
    terminal.note(`warning The command had ended when this failed: ${reasonOf(error)}`);
    terminal.leave(exit);
  });
}
