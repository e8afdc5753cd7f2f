/** Where the runtime takes typed commands. */
export const COMMANDS_PATH = '/v1/commands';

/** The first line of the request: the command line to run. Each line is one JSON value. */
export interface CommandRequest {
  /** Of the package that asks; another one passes by. */
  version: string;
  args: string[];
  cwd: string;
  /** See `sentOf`. */
  env: Record<string, string>;
  /** `TZ` of who asks; null where it has none. Times for people are local. */
  timezone: string | null;
  /** The key for a task that is created without one. */
  made?: string;
  /** Milliseconds since the command began. */
  elapsedMs: number;
  stdout: Screen;
  stderr: Screen;
}

/** What a command knows of where it writes to. */
export interface Screen {
  isTTY: boolean;
  columns?: number | undefined;
  rows?: number | undefined;
}

/** The other lines of a request: what the process that asks was sent. */
export interface SignalLine {
  signal: 'SIGINT' | 'SIGTERM';
}

/** The reply, line by line; the first is `taken`, or `passed` with nothing done. The last one is `exit`. */
export type AnswerLine =
  | { taken: true }
  | { passed: string }
  | { out: string }
  | { err: string }
  /** No part of the command listens to that signal, so that it ends the process. */
  | { unheard: SignalLine['signal'] }
  | { exit: number };

/** Gives each whole line of what comes in pieces. @param maxBytes of one line; more ends it with an error. */
export function splitLines(
  onLine: (line: string) => void,
  maxBytes = Number.POSITIVE_INFINITY,
): (piece: string) => void {
  let rest = '';
  return (piece) => {
    rest += piece;
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      onLine(line);
    }
    if (rest.length > maxBytes) throw new RangeError(`a line has more than ${maxBytes} characters`);
  };
}
