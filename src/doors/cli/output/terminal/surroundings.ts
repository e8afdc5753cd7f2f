import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { showUnseenCharacters } from '../../../../rules/shown-text.js';

export type Output = Pick<NodeJS.WriteStream, 'write' | 'on' | 'isTTY'> &
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

type Ending = Pick<Surroundings, 'emit' | 'exit'> & { stderr: Pick<Surroundings['stderr'], 'write'> };

/** After EPIPE, ends as at SIGTERM, in an orderly way if possible; other write errors fail the command. */
export function enderOfClosed(around: Ending): (error: NodeJS.ErrnoException) => void {
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
