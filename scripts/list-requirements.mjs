// Lists the requirements that no test cites by id. A test cites one in its title, 'R-000-69: ...', or in the first cell of
// a row of each(), which is part of its title.
// It also lists those that no test of `npm test` cites, but only one of `npm run test:long`, and then fails.
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

const wanted = readFileSync(join(root, 'docs/contributing/requirements.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, id, text] = /^- (R-\d{3}-\d{2})[^:]*: (.*)$/.exec(line) ?? [];
    return id ? [{ id, text }] : [];
  });

const TITLE =
  /\b(?:test|it|describe)(?:\.\w+)*(?:<[^()]*>)?(?:\([^()]*\))?\(\s*(['"`])([\s\S]*?)\1(,\s*(?:LONG\b|\{\s*\.\.\.LONG\b))?/g;
const ROW = /^ *\[(')(R-\d{3}-\d{2}[^']*)',/gm;
/** Files that `npm test` leaves to `npm run test:long`. */
const LATER = /`([^`]*)`/.exec(
  readFileSync(join(root, 'test/fixtures/long-files.ts'), 'utf8').split('LONG_FILES')[1],
)[1];
const later = new Set(LATER.trim().split(/\s+/));
const isLater = (file) => /^test\/(long|postgres)\//.test(file) || later.has(file.slice(5, -'.test.ts'.length));
const cited = new Map();
const soon = new Set();
for (const file of filesIn('test')) {
  const text = readFileSync(join(root, file), 'utf8');
  for (const [, , title, long] of [...text.matchAll(TITLE), ...text.matchAll(ROW)]) {
    for (const [id] of title.matchAll(ID)) {
      cited.set(id, [...(cited.get(id) ?? []), file]);
      if (!long && !isLater(file)) soon.add(id);
    }
  }
}

const missing = wanted.filter(({ id }) => !cited.has(id));
const unknown = [...cited.keys()].filter((id) => !wanted.some((requirement) => requirement.id === id));
for (const { id, text } of missing) console.log(`${id}  ${text.slice(0, 120)}`);
for (const id of unknown) console.log(`${id}  is cited by ${cited.get(id).join(', ')} and is no requirement`);
const late = wanted.filter(({ id }) => cited.has(id) && !soon.has(id));
for (const { id } of late) console.log(`${id}  is cited by no test of npm test, only in ${cited.get(id).join(', ')}`);
console.log(`${wanted.length - missing.length} of ${wanted.length} requirements are cited by a test`);
if (unknown.length > 0 || late.length > 0) process.exitCode = 1;
