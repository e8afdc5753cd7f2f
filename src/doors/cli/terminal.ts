import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import { EXIT } from '../../contracts/exit-codes.js';
import { showUnseenCharacters } from '../../rules/shown-text.js';

/** What a command may say and to whom: results on stdout, all else on stderr. Source: design, section 11. */
export interface Terminal {
  /** One result, for people: what would steer a terminal or hide text is shown, as `\u202e`. */
  print(text: string): void;
  /** One result as JSON, exactly: such characters are escaped in it. */
  printJson(value: unknown): void;
  /** Progress, warnings, errors. */
  note(text: string): void;
  /** Rewrites the block of lines it drew before; only on a TTY. Lines are cut at its width; none erase the block. */
  redraw(lines: string[]): void;
  /** So many lines a block may have: more would scroll away, and could not be rewritten. */
  room(): number;
  /** Whether people look at stderr. */
  isLive: boolean;
  style(format: Parameters<typeof styleText>[0], text: string): string;
}

type Output = Pick<NodeJS.WriteStream, 'write' | 'on' | 'isTTY'> & Partial<Pick<NodeJS.WriteStream, 'rows'>>;

/** What a terminal that does not tell its height is taken for. */
const USUAL_ROWS = 24;
/** A line that wraps would count as one and take two. */
const NO_WRAP = '\x1b[?7l';
const WRAP = '\x1b[?7h';

/** Where a terminal writes. */
export interface Outputs {
  stdout: Output;
  stderr: Output;
}

/** The terminal of this process. */
export function openTerminal(env: NodeJS.ProcessEnv = process.env, { stdout, stderr }: Outputs = process): Terminal {
  const isLive = stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI;
  const isColored = isLive && !env.NO_COLOR;
  // Stands for the escape character of our own styles, so that data cannot have any.
  const ownEscape = `<${randomUUID()}>`;
  const shown = (text: string): string =>
    showUnseenCharacters(text.replaceAll('\r\n', '\n')).replaceAll(ownEscape, '\x1b');
  let drawn = 0;
  const say = (output: Output, text: string): void => {
    drawn = 0;
    output.write(text.endsWith('\n') ? text : `${text}\n`);
  };
  const endWhenClosed = enderOfClosed();
  for (const output of [stdout, stderr]) output.on('error', endWhenClosed);
  return {
    isLive,
    print: (text) => say(stdout, shown(text)),
    printJson: (value) => say(stdout, showUnseenCharacters(JSON.stringify(value, null, 2))),
    note: (text) => say(stderr, shown(text)),
    redraw(lines) {
      const up = drawn > 0 ? `\x1b[${drawn}A\x1b[J` : '';
      const block = lines.map((line) => `${shown(line).replaceAll('\n', ' ')}\n`).join('');
      stderr.write(block === '' ? up : `${up}${NO_WRAP}${block}${WRAP}`);
      drawn = lines.length;
    },
    room: () => Math.max(1, (stderr.rows || USUAL_ROWS) - 1),
    style(format, text) {
      if (!isColored) return text;
      return styleText(format, showUnseenCharacters(text), { validateStream: false }).replaceAll('\x1b', ownEscape);
    },
  };
}

/** Who reads us has had enough: what can stop in an orderly way does, as at SIGTERM; the rest ends here. */
function enderOfClosed(): (error: NodeJS.ErrnoException) => void {
  let isClosed = false;
  return (error) => {
    if (error.code !== 'EPIPE') throw error;
    if (isClosed) return;
    isClosed = true;
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(EXIT.interrupted);
  };
}
