import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { SCOPE_FOLDER } from '../contracts/names.js';
import { checkScope } from '../rules/sessions/check-scope.js';

/**
 * The scope of a session, a task or a question: `--scope`, else `ABILITY_SCOPE`, else the folder of the nearest `ABILITY.md` upwards, else
 * `integration`. Source: docs/sessions.md.
 *
 * @param root absolute path of the project. @throws AbilityError `usage.invalid` for a path that is no folder of a project.
 */
export function findScope(root: string, cwd: string, flag: string | undefined, env: NodeJS.ProcessEnv): string {
  const asked = flag ?? (env.ABILITY_SCOPE || undefined);
  if (asked === undefined) return nearest(root, cwd) ?? 'integration';
  const scope = asked.replace(/\/+$/, '');
  checkScope(scope);
  return scope;
}

/** The root itself has the page of the whole project, and is no scope. */
function nearest(root: string, cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const inside = relative(root, folder);
    if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) return undefined;
    const scope = inside.split(sep).join('/');
    if (existsSync(join(folder, 'ABILITY.md')) && SCOPE_FOLDER.test(scope)) return scope;
  }
}
