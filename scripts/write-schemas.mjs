// Writes registry/schemas and docs/definitions.md from the formats. With --check it only says whether they are in step.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FORMATS, schemaFiles, schemaOf } from '../build/definitions/schemas/schema-files.js';
import { renderDefinitions } from './render-definitions.mjs';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const files = new Map([...schemaFiles()].map(([name, text]) => [`registry/schemas/${name}`, text]));
const schemas = Object.values(FORMATS).map((format) => ({ ...format, schema: schemaOf(format) }));
const page = 'docs/definitions.md';
files.set(page, renderDefinitions(readFileSync(at(page), 'utf8'), schemas));

for (const [path, text] of files) {
  if (!process.argv.includes('--check')) writeFileSync(at(path), text);
  else if (readIfThere(at(path)) !== text) {
    console.error(`${path} is not in step with src/definitions/formats; run npm run schemas`);
    process.exitCode = 1;
  }
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
