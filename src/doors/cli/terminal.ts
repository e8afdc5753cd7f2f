import { styleText } from 'node:util';

/** What a command may say and to whom: results on stdout, all else on stderr. Source: design, section 11. */
export interface Terminal {
  /** One result, as it is. */
  print(text: string): void;
  /** Progress, warnings, errors. */
  note(text: string): void;
  /** Rewrites the block of lines it drew before; only on a TTY. */
  redraw(lines: string[]): void;
  /** Whether people look at stderr. */
  isLive: boolean;
  style(format: Parameters<typeof styleText>[0], text: string): string;
}

/** The terminal of this process. */
export function openTerminal(env: NodeJS.ProcessEnv = process.env): Terminal {
  const isLive = process.stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI;
  const isColored = isLive && !env.NO_COLOR;
  let drawn = 0;
  return {
    isLive,
    print(text) {
      drawn = 0;
      process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    },
    note(text) {
      drawn = 0;
      process.stderr.write(text.endsWith('\n') ? text : `${text}\n`);
    },
    redraw(lines) {
      const up = drawn > 0 ? `\x1b[${drawn}A\x1b[J` : '';
      process.stderr.write(`${up}${lines.join('\n')}\n`);
      drawn = lines.length;
    },
    style: (format, text) => (isColored ? styleText(format, text, { validateStream: false }) : text),
  };
}
