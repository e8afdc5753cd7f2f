import type { ExitCode } from '../../../../contracts/exit-codes.js';

export type Output = Pick<NodeJS.WriteStream, 'write' | 'on' | 'isTTY'> &
  Partial<Pick<NodeJS.WriteStream, 'rows' | 'columns'>>;

/** What surrounds a command: a process, or what stands in for one where a command is called within another program. */
export interface Surroundings {
  stdin: { isTTY?: boolean | undefined };
  stdout: Output;
  stderr: Output;
  /** All of stdin; left out: what file descriptor 0 has. */
  readInput?(): string;
  once(signal: NodeJS.Signals, listener: () => void): unknown;
  removeListener(signal: NodeJS.Signals, listener: () => void): unknown;
  emit(signal: NodeJS.Signals, value: NodeJS.Signals): boolean;
  exit(code?: ExitCode): unknown;
}
