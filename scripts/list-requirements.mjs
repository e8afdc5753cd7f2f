// Lists the requirements that no test cites by id. A test cites one in its title, 'R-000-69: ...', or in the first cell of
// a row of each(), which is part of its title.
// With --check=N it fails when more than N are left.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const ID = /R-\d{3}-\d{2}/g;

const filesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });

const wanted = readFileSync(join(root, 'docs/requirements.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, id, text] = /^\| (R-\d{3}-\d{2}) \| (.*?) \|/.exec(line) ?? [];
    return id ? [{ id, text }] : [];
  });

const TITLE = /\b(?:test|it|describe)(?:\.\w+)*(?:<[^()]*>)?(?:\([^()]*\))?\(\s*(['"`])([\s\S]*?)\1/g;
const ROW = /^ *\[(')(R-\d{3}-\d{2}[^']*)',/gm;
const cited = new Map();
for (const file of filesIn('test')) {
  const text = readFileSync(join(root, file), 'utf8');
  for (const [, , title] of [...text.matchAll(TITLE), ...text.matchAll(ROW)]) {
    for (const [id] of title.matchAll(ID)) cited.set(id, [...(cited.get(id) ?? []), file]);
  }
}

const missing = wanted.filter(({ id }) => !cited.has(id));
const unknown = [...cited.keys()].filter((id) => !wanted.some((requirement) => requirement.id === id));
for (const { id, text } of missing) console.log(`${id}  ${text.slice(0, 120)}`);
for (const id of unknown) console.log(`${id}  is cited by ${cited.get(id).join(', ')} and is no requirement`);
console.log(`${wanted.length - missing.length} of ${wanted.length} requirements are cited by a test`);
if (unknown.length > 0) process.exitCode = 1;
