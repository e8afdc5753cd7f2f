import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Compiles one file of `src/` and what it imports, so that child processes run the code under test.
 *
 * @param file relative to `src/`, importing only Node modules and other files of this project.
 * @returns the folder, to be removed by the caller, and the path of the compiled file.
 */
export function compileForChildren(file: string): { folder: string; path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'ability-test-compiled-'));
  const options = [
    '--outDir',
    folder,
    '--rootDir',
    'src',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
  ];
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '--ignoreConfig', '--skipLibCheck', ...options, `src/${file}`], { cwd: ROOT });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return { folder, path: join(folder, file.replace(/\.ts$/, '.js')) };
}
