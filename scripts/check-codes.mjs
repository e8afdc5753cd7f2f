// Refuses a malformed row in the tables of codes, before the build puts them into bundles. Run after tsc, which has found those
// that lack a text.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { SEVERITIES } from '../build/contracts/findings.js';
import { EXIT } from '../build/contracts/states.js';

const text = z.string().regex(/\S[.`]$/, 'is no sentence');
const tables = {
  'codes.json': z.strictObject({
    exit: z.enum(Object.keys(EXIT)),
    http: z.int().min(400).max(599).optional(),
    means: text,
    next: text,
  }),
  'lint-codes.json': z.strictObject({ severity: z.enum(SEVERITIES), means: text, why: text, fix: text }),
};
for (const [name, row] of Object.entries(tables)) {
  const rows = JSON.parse(readFileSync(new URL(`../build/contracts/${name}`, import.meta.url), 'utf8'));
  const { error } = z.record(z.string().regex(/^[a-z_]+\.[a-z_]+$/), row).safeParse(rows);
  if (!error) continue;
  console.error(`src/contracts/${name}:\n${z.prettifyError(error)}`);
  process.exitCode = 1;
}
