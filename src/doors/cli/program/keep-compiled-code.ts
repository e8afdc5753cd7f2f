import * as nodeModule from 'node:module';
import { isAbsolute, join } from 'node:path';
import { cacheFolder } from '../../../server/project-paths.js';
import { attempt } from '../../../text/attempt.js';

/**
 * Node 22.8 and later keep compiled modules on disk, so that the next command need not compile them. Nothing is kept on
 * earlier versions, or if the folder cannot be written. Not used for the guard: the agent that it guards could write
 * there.
 */
export function keepCompiledCode(env: NodeJS.ProcessEnv): void {
  const folder = compiledCodeFolder(env);
  // The types are those of Node 20.
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
  if (folder !== undefined) enableCompileCache?.(folder);
}

/** Undefined for a relative cache: code in the current folder may come from anyone. */
export function compiledCodeFolder(env: NodeJS.ProcessEnv): string | undefined {
  // The user has no home.
  return attempt(() => {
    const folder = join(cacheFolder(env), 'compiled');
    return isAbsolute(folder) ? folder : undefined;
  });
}
