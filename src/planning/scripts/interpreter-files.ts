import { languageOfName } from './imports/language-of.js';
import type { ProjectFiles, ScriptFile } from './script-files.js';

export interface InterpreterFiles {
  /** Files of the project are prefixed with `{pinned}`, so that the pinned copy runs. */
  words: string[];
  files: ScriptFile[];
}

/**
 * Finds project code in `./tools/run`, `node --import ./register.mjs`, `bash --rcfile=ops/rc.sh`: a first word
 * with a slash, and others with the extension of a script.
 */
export function interpreterFiles(project: ProjectFiles, words: readonly string[]): InterpreterFiles {
  const files: ScriptFile[] = [];
  const pinned = words.map((word, index) => {
    const [, option = '', path = ''] = /^(-[^=]*=)?(.*)$/s.exec(word) ?? [];
    const isCode = index === 0 ? path.includes('/') : languageOfName(path) !== undefined;
    const file = isCode ? project.read(path) : undefined;
    if (file === undefined || typeof file === 'string') return word;
    files.push(file);
    return `${option}{pinned}/${file.path}`;
  });
  return { words: pinned, files };
}
