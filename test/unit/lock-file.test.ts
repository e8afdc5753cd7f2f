import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

interface Package {
  version?: string;
  dev?: boolean;
  engines?: { node?: string };
  resolved?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const read = (name: string): string => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> };

/** The entry that a package finds: in its own folder of modules, or in one above. */
function lockedFor(from: string, name: string): Package | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const found = packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`];
    if (found || folder === '') return found;
  }
}

const missing = (kind: 'dependencies' | 'optionalDependencies'): string[] =>
  Object.entries(packages).flatMap(([path, entry]) =>
    Object.keys(entry[kind] ?? {})
      .filter((name) => !lockedFor(path, name))
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

/** Of npm, which every checkout has. */
const { satisfies } = createRequire(import.meta.url)('semver') as {
  satisfies: (version: string, range: string) => boolean;
};

test('every package supports the oldest Node that package.json promises', () => {
  const [oldest = ''] = /\d+\.\d+\.\d+/.exec(packages['']?.engines?.node ?? '') ?? [];
  const ranges = Object.entries(packages).map(([path, { engines }]) => [path, engines?.node ?? '*'] as const);
  expect(ranges.filter(([, range]) => range !== '*').length).toBeGreaterThan(200);
  expect(ranges.filter(([, range]) => !satisfies(oldest, range))).toEqual([]);
});

test('no override stands in for a version that users, who do not get it, would have', () => {
  const wrong = Object.entries(packages).flatMap(([path, { dev, dependencies = {} }]) =>
    dev
      ? []
      : Object.entries(dependencies)
          .map(([name, range]) => ({ of: path, name, range, version: lockedFor(path, name)?.version ?? '' }))
          .filter(({ range, version }) => !satisfies(version, range)),
  );
  expect(wrong).toEqual([]);
});

test('it matches this package.json', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Package;
  expect(packages['']).toMatchObject({ dependencies, devDependencies });
});
