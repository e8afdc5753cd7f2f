// Writes docs/errors.md from the table of error codes. With --check it only says whether the file is in step.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CODES } from '../dist/contracts/codes.js';

const file = fileURLToPath(new URL('../docs/errors.md', import.meta.url));
const sections = Object.entries(CODES).map(
  ([code, { exit, means, next }]) => `## ${code}\n\n${means}\n\n${next}\n\nExit code ${exit}.`,
);
const text = `# Errors

Every error has a stable code; the message beside it may change. \`ability explain CODE\` prints these sections. Families are
the first words: \`retry: { errors: [timeout] }\` names \`timeout.call\` and \`timeout.step\`. A service that answers with a status
that means failure gives \`http.<status>\`, such as \`http.409\`; 408, 425, 429, 502, 503 and 504 also count as \`unavailable\`.
An author's own code (\`fail: { code: ... }\`) is reported as written.

This page is made from \`src/contracts/codes.ts\` by \`npm run docs:errors\`.

${sections.join('\n\n')}
`;

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('docs/errors.md is not in step with src/contracts/codes.ts; run npm run docs:errors');
  process.exitCode = 1;
}
