import { accessSync, constants, statSync } from 'node:fs';
import { attempt } from '../text/attempt.js';

/** Whether this process may run a file. */
export function isExecutable(path: string): boolean {
  return attempt(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  }, false);
}
