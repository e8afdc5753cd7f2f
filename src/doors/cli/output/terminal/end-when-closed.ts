import { EXIT } from '../../../../contracts/exit-codes.js';
import { showUnseenCharacters } from '../../../../rules/shown-text.js';
import type { Surroundings } from './surroundings.js';

/** What of the surroundings of a command its end is about. */
type Ending = Pick<Surroundings, 'emit' | 'exit'> & { stderr: Pick<Surroundings['stderr'], 'write'> };

/**
 * What ends a command whose output cannot be written.
 *
 * Who reads us has had enough: what can stop in an orderly way does, as at SIGTERM; the rest ends here. What could not be
 * written for another reason was not said, so the command fails.
 */
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
