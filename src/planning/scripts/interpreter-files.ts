import { languageOfName } from './imports/language-of.js';
import type { ProjectFiles, ScriptFile } from './script-files.js';

/** The words of an interpreter, and the files of the project that it runs or loads. */
export interface InterpreterFiles {
  /** With `{pinned}` in front of each such file, so that it is run as it was pinned. */
  words: string[];
  files: ScriptFile[];
}

/**
 * Finds code of the project in an interpreter: `./tools/run`, `node --import ./register.mjs`, `bash --rcfile=ops/rc.sh`.
 *
 * The first word is a program, which without a slash is looked for in PATH; of the others those count whose ending is
 * that of a script.
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
