export const COMMANDS_PATH = '/v1/commands';

/** The first line of the request: the command line to run. Each line is one JSON value. */
export interface CommandRequest {
  /** Package version of the caller; a runtime of another version does not run the command. */
  version: string;
  args: string[];
  cwd: string;
  /** The variables that `sentOf` lets through. */
  env: Record<string, string>;
  /** `TZ` of the caller; null if unset. A runtime with another one does not run the command. */
  timezone: string | null;
  /** Key for the task that the command creates, where the command line gives none. */
  made?: string;
  elapsedMs: number;
  stdout: Screen;
  stderr: Screen;
}

export interface Screen {
  isTTY: boolean;
  columns?: number | undefined;
  rows?: number | undefined;
}

/** The other lines of a request: signals that the calling process received. */
export interface SignalLine {
  signal: 'SIGINT' | 'SIGTERM';
}

/** The reply, line by line: first `taken`, or `passed` if the runtime declines the command; last `exit`. */
export type AnswerLine =
  | { taken: true }
  | { passed: string }
  | { out: string }
  | { err: string }
  /** No part of the command listens to that signal, so it ends the calling process. */
  | { unheard: SignalLine['signal'] }
  | { exit: number };

/** Splits chunks into whole lines. @param maxBytes maximum size of a line. @throws RangeError above it. */
export function splitLines(
  onLine: (line: string) => void,
  maxBytes = Number.POSITIVE_INFINITY,
): (piece: string) => void {
  let rest = '';
  let bytes = 0;
  return (piece) => {
    rest += piece;
    bytes += Buffer.byteLength(piece);
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      bytes -= Buffer.byteLength(line) + 1;
      onLine(line);
    }
    if (bytes > maxBytes) throw new RangeError(`a line has more than ${maxBytes} bytes`);
  };
}
