import type { ExitCode } from '../../../../contracts/exit-codes.js';
import type { Terminal } from './terminal.js';

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
    const message = error instanceof Error ? error.message : String(error);
    terminal.note(`warning The command had ended when this failed: ${message}`);
    terminal.leave(exit);
  });
}
