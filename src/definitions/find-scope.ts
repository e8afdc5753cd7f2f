import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { SCOPE_FOLDER } from '../contracts/names.js';
import { checkScope } from '../rules/sessions/session-refusals.js';

/**
 * `--scope`, else `ABILITY_SCOPE`, else the folder of the nearest `ABILITY.md` upwards, else `integration`. @param root absolute. @throws AbilityError `usage.invalid` for a malformed scope.
 */
export function findScope(root: string, cwd: string, flag: string | undefined, env: NodeJS.ProcessEnv): string {
  const requested = flag ?? (env.ABILITY_SCOPE || undefined);
  if (requested === undefined) return nearest(root, cwd) ?? 'integration';
  const scope = requested.replace(/\/+$/, '');
  checkScope(scope);
  return scope;
}

/** The root itself is no scope: its page is about the whole project. */
function nearest(root: string, cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const inside = relative(root, folder);
    if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) return undefined;
    const scope = inside.split(sep).join('/');
    if (existsSync(join(folder, 'ABILITY.md')) && SCOPE_FOLDER.test(scope)) return scope;
  }
}
