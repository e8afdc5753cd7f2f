// The imports among our own compiled modules. A module is named by its path in build/ without `.js`.
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'es-module-lexer';

export const BUILT = fileURLToPath(new URL('../../build', import.meta.url));

export function fileOf(module) {
  return join(BUILT, `${module}.js`);
}

const known = new Map();

/** The imports of a file: `specifier`, `file` if it is one of ours, and whether it is loaded on demand. */
export function importsOf(file) {
  if (!known.has(file)) known.set(file, read(file));
  return known.get(file);
}

function read(file) {
  if (file.endsWith('.json')) return [];
  const [imports] = parse(readFileSync(file, 'utf8'));
  return imports.flatMap(({ type, specifier }) => {
    if (!specifier) return [];
    const own = specifier.startsWith('.') && { file: resolve(dirname(file), specifier) };
    return [{ specifier, isOnDemand: type === 'dynamic', ...own }];
  });
}

/** Our own files that are loaded with these modules, their own included. */
export function loadedWith(...modules) {
  const loaded = new Set(modules.map(fileOf));
  for (const at of loaded) {
    for (const { file, isOnDemand } of importsOf(at)) if (file && !isOnDemand) loaded.add(file);
  }
  return loaded;
}

/** The modules that these load on demand. */
export function onDemandIn(...modules) {
  const imports = modules.flatMap((module) => importsOf(fileOf(module)));
  return imports.filter(({ file, isOnDemand }) => file && isOnDemand).map(({ file }) => moduleOf(file));
}

function moduleOf(file) {
  return relative(BUILT, file).replace(/\.js$/, '');
}
