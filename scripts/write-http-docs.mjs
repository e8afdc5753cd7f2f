// Writes the table of routes into docs/http.md. With --check it only says whether it is in step.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROUTES } from '../dist/doors/http/routes/all.js';

const file = fileURLToPath(new URL('../docs/http.md', import.meta.url));
const rows = ROUTES.map(
  ({ method, path, right, summary }) =>
    `| \`${method} ${path}\` | ${right === null ? '' : `\`${right}\``} | ${summary} |`,
);
const table = ['| Route | Right | What it does |', '|---|---|---|', ...rows].join('\n');
const before = readFileSync(file, 'utf8');
const after = before.replace(/<!-- routes -->[\s\S]*<!-- \/routes -->/, `<!-- routes -->\n${table}\n<!-- /routes -->`);
if (!process.argv.includes('--check')) writeFileSync(file, after);
else if (before !== after) {
  console.error('docs/http.md is not in step with src/doors/http/routes; run npm run docs:http');
  process.exitCode = 1;
}
