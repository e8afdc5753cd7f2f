import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const textOf = (file: string): string => readFileSync(`${ROOT}/${file}`, 'utf8');

test('docs/contributing/new-verb.md lists every file that distinguishes the verbs, and no other', () => {
  const listed = [...textOf('docs/contributing/new-verb.md').matchAll(/^\| `([^`]+)` \|/gm)].map(([, file]) => file);
  const files = readdirSync(`${ROOT}/src`, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  // Only code that distinguishes the verbs names a race next to other verbs.
  const found = files.filter((file) => /case 'race':|^ {2}race: 'race',/m.test(textOf(`src/${file}`)));
  expect(listed.sort()).toEqual(found.sort());
});

test('no switch over verbs has a default for unknown verbs', () => {
  const files = readdirSync(`${ROOT}/src`, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const passing = files.filter((file) => {
    const switches = textOf(`src/${file}`).matchAll(/^( *)switch \(\w+\.verb\) \{\n[\s\S]*?^\1\}/gm);
    return [...switches].some(([text]) => /^ *default:/m.test(text));
  });
  expect(passing).toEqual([]);
});
