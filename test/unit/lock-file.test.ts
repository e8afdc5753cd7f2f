import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

interface Package {
  resolved?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const read = (name: string): string => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> };

/** Whether a package finds another one: in its own folder of modules, or in one above. */
function isLocked(from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in packages) return true;
    if (folder === '') return false;
  }
}

const missing = (kind: 'dependencies' | 'optionalDependencies'): string[] =>
  Object.entries(packages).flatMap(([path, entry]) =>
    Object.keys(entry[kind] ?? {})
      .filter((name) => !isLocked(path, name))
      .map((name) => `${name} (of ${path || 'the project'})`),
  );

test('every optional dependency has an entry, so that `npm ci` installs on every platform', () => {
  expect(Object.values(packages).some(({ optionalDependencies }) => optionalDependencies)).toBe(true);
  expect(missing('optionalDependencies')).toEqual([]);
});

test('every dependency has an entry', () => {
  expect(missing('dependencies')).toEqual([]);
});

test('it names no registry host, so that it installs from any registry', () => {
  const resolved = Object.entries(packages).filter(([, entry]) => /^https?:/.test(entry.resolved ?? ''));
  expect(resolved.map(([path]) => path)).toEqual([]);
  expect(read('package-lock.json')).not.toMatch(/"resolved": "https?:/);
});

test('it matches this package.json', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Package;
  expect(packages['']).toMatchObject({ dependencies, devDependencies });
});
