import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LONG_FILES } from '../fixtures/long-files.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(`${ROOT}/${file}`, 'utf8');
/** Programs outside `src/` that use its built files; the compiler does not check them. */
const programs = ['scripts', 'test', 'bench', 'examples']
  .flatMap((folder) =>
    readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((file) => /\.(mjs|ts)$/.test(file) && !/node_modules|\/build\/|test\/unit\//.test(file));

/** The names that a program imports from built files, with the sources of these files. */
function usesOf(file: string): { file: string; source: string; names: string[] }[] {
  const statement =
    /(?:import \{([^}]*)\} from|const \{([^}]*)\} = await import\()\s*'(?:\.\.\/)+dist\/([\w/-]+)\.js'/g;
  return [...read(file).matchAll(statement)].map(([, imported, awaited, path]) => ({
    file,
    source: `src/${path}.ts`,
    names: (imported ?? awaited ?? '').split(',').flatMap((part) => part.trim().split(/\s+as\s+|:\s*/)[0] || []),
  }));
}

/** The text of a module, with that of the modules whose exports it hands on whole. */
function textOf(source: string): string {
  const text = read(source);
  const handed = [...text.matchAll(/^export \* from '([^']+)\.js';$/gm)].map(([, path]) => `${path}.ts`);
  return [text, ...handed.map((path) => read(join(dirname(source), path)))].join('\n');
}

test('programs import only what the built files export', () => {
  const missing = programs.flatMap(usesOf).flatMap(({ file, source, names }) => {
    if (!existsSync(`${ROOT}/${source}`)) return [`${file}: ${source}`];
    const text = textOf(source);
    return names
      .filter(
        (name) => !new RegExp(`export [^;=({]*\\b${name}\\b|export (?:type |const )?\\{[^}]*\\b${name}\\b`).test(text),
      )
      .map((name) => `${file}: ${name} of ${source}`);
  });
  expect(missing).toEqual([]);
});

test('each file that is left to npm run test:long exists', () => {
  expect(LONG_FILES.length).toBeGreaterThan(0);
  expect(LONG_FILES.filter((file) => !existsSync(`${ROOT}/test/${file}.test.ts`))).toEqual([]);
});
