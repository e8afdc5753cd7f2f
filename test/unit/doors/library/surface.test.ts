import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, { types: string }> };
const kept = JSON.parse(read('test/unit/doors/library/surface.json')) as Record<string, string[]>;

/** Types and bundle of an entry are made from one module: see scripts/build-bundles.mjs. */
const sourceOf = (types: string): string => types.replace('./dist/types/', 'src/').replace(/\.d\.ts$/, '.ts');

/** The names that an entry exports, including types, in order. */
function namesIn(file: string): string[] {
  const text = read(file).replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const listed = [...text.matchAll(/export (type |const )?\{([^}]*)\}/g)].flatMap(([, how, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^\w+: /, ''))
      .filter((name) => name !== '')
      .map((name) => (how === 'type ' || name.startsWith('type ') ? `type ${name.replace(/^type /, '')}` : name)),
  );
  const whole = [...text.matchAll(/export (?:type )?\* from '([^']+)'/g)].flatMap(([, from = '']) =>
    declaredIn(join(dirname(file), from).replace(/\.js$/, '.ts')),
  );
  return [...new Set([...listed, ...whole])].sort();
}

/** For `export type *`: the types that a file declares, and those that it exports from other files. */
function declaredIn(file: string): string[] {
  const passedOn = namesIn(file).map((name) => (name.startsWith('type ') ? name : `type ${name}`));
  const declared = [...read(file).matchAll(/^export (?:interface|type|const|class) (\w+)/gm)].map(
    ([, name]) => `type ${name}`,
  );
  return [...passedOn, ...declared];
}

describe('the exported surface', () => {
  test.each(Object.entries(exports))('%s is the same as recorded', (entry, { types }) => {
    // An added name is a promise, and a removed one breaks programs: both need a review, and a change of surface.json.
    expect(namesIn(sourceOf(types))).toEqual(kept[entry]);
  });

  test('has no entry that is not recorded', () => {
    expect(Object.keys(kept)).toEqual(Object.keys(exports));
  });

  test('exports at run time exactly what it declares', async () => {
    const library = await import('../../../../src/doors/library/index.js');
    const values = kept['.']?.filter((name) => !name.startsWith('type '));
    expect(Object.keys(library).sort()).toEqual(values);
  });

  test('exposes no internals', () => {
    const inside = /^(type )?(Store|.*Codec|check[A-Z]\w*|.*Payload|Seal|sharedStore|SharedLogs|connectWithin)$/;
    expect(kept['.']?.filter((name) => inside.test(name))).toEqual([]);
  });
});
