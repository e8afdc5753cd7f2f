// Writes the tables of routes and of functions into docs/http.md and docs/library.md. With --check it only says whether they are in step.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROUTES } from '../build/doors/http/routes/all.js';
import { allOperations } from '../build/operations/operations.js';

const routes = ROUTES.map(
  ({ method, path, right, summary }) => `| \`${method} ${path}\` | ${rightOf(right)} | ${summary} |`,
);
const functions = allOperations().map(([name, { input, at }]) => {
  const fields = Object.entries(input.shape).map(([field, schema]) => (isOptional(schema) ? `${field}?` : field));
  const given = fields.length === 0 ? '' : `\`{ ${fields.join(', ')} }\``;
  return `| \`${name === 'runAbility' ? 'run' : name}\` | ${given} | \`${at}\` |`;
});

write('http.md', 'routes', ['| Route | Right | What it does |', '|---|---|---|', ...routes]);
write('library.md', 'functions', ['| Function | Input | Its route |', '|---|---|---|', ...functions]);

function rightOf(right) {
  if (right === null) return '';
  return typeof right === 'function' ? 'its own' : `\`${right}\``;
}

function isOptional(schema) {
  return schema.safeParse(undefined).success;
}

function write(page, part, table) {
  const file = fileURLToPath(new URL(`../docs/${page}`, import.meta.url));
  const before = readFileSync(file, 'utf8');
  const [open, close] = [`<!-- ${part} -->`, `<!-- /${part} -->`];
  const after = before.replace(new RegExp(`${open}[\\s\\S]*${close}`), `${open}\n${table.join('\n')}\n${close}`);
  if (!process.argv.includes('--check')) writeFileSync(file, after);
  else if (before !== after) {
    console.error(`docs/${page} is not in step with src/operations; run npm run docs:http`);
    process.exitCode = 1;
  }
}
