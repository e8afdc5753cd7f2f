import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Where the logins of this user are kept: `$XDG_CONFIG_HOME/ability/doors.json`. A relative folder counts as none. */
export function loginsFile({ XDG_CONFIG_HOME: folder, HOME: home }: NodeJS.ProcessEnv): string {
  const config = folder && isAbsolute(folder) ? folder : join(home || homedir(), '.config');
  return join(config, 'ability', 'doors.json');
}
