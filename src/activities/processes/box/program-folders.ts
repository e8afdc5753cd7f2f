import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isExecutable, isInside } from '../../../disk/paths.js';
import { NO_PATH, programsIn } from '../../../planning/scripts/interpreter.js';
import { attempt } from '../../../text/attempt.js';

/** Files by which an installation is known in the folder above that of its programs. */
const LANDMARKS = ['pyvenv.cfg', 'libexec/pyenv', 'lib/node_modules/npm/package.json'];

/**
 * What a box needs of the programs that words start: each file on the way through links, and the installation around
 * it where one is known, such as a virtual environment; never a folder with the home or the project in it.
 */
export function programFolders(words: readonly string[], path: string | undefined, root: string): string[] {
  const found = new Set<string>();
  for (const program of programsIn(words)) {
    if (!program) continue;
    const folders = program.includes('/') ? [''] : (path ?? NO_PATH).split(':');
    let file = folders.map((folder) => resolve(root, folder, program)).find(isExecutable);
    for (let links = 0; file !== undefined && links < 40; links += 1) {
      const prefix = dirname(dirname(file));
      const isWide = isInside(prefix, root) || isInside(prefix, homedir());
      found.add(!isWide && isInstallation(prefix) ? prefix : file);
      const target = attempt(() => readlinkSync(file as string));
      file = target === undefined ? undefined : resolve(dirname(file), target);
    }
  }
  return [...found];
}

function isInstallation(prefix: string): boolean {
  if (LANDMARKS.some((name) => existsSync(join(prefix, name)))) return true;
  const libraries = attempt(() => readdirSync(join(prefix, 'lib')), []);
  return libraries.some((name) => name.startsWith('python') && existsSync(join(prefix, 'lib', name, 'os.py')));
}
