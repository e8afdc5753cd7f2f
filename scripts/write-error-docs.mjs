// Writes docs/errors.md and docs/lint.md from the tables of codes. With --check it only says whether they are in step.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CODES } from '../dist/contracts/codes.js';
import { LINT_CODES, LINT_ERRORS } from '../dist/contracts/lint-codes.js';

const errorSections = Object.entries(CODES).map(
  ([code, { exit, means, next }]) => `## ${code}\n\n${means}\n\n${next}\n\nExit code ${exit}.`,
);
const errors = `# Errors

Every error has a stable code; the message beside it may change. \`ability explain CODE\` prints these sections. Families are
the first words: \`retry: { errors: [timeout] }\` names \`timeout.call\` and \`timeout.step\`. A service that answers with a status
that means failure gives \`http.<status>\`, such as \`http.409\`; 408, 425, 429, 502, 503 and 504 also count as \`unavailable\`.
An author's own code (\`fail: { code: ... }\`) is reported as written.

This page is made from \`src/contracts/codes.ts\` by \`npm run docs:errors\`.

${errorSections.join('\n\n')}
`;

const lintSections = [
  ...Object.entries(LINT_CODES)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([code, { severity, means, why, fix }]) =>
        `## ${code}\n\n${severity[0].toUpperCase()}${severity.slice(1)}. ${means}\n\nWhy: ${why}\n\nFix: ${fix}`,
    ),
  ...LINT_ERRORS.map((code) => `## ${code}\n\nError. ${CODES[code].means}\n\nFix: ${CODES[code].next}`),
];
const lint = `# What lint finds

\`ability lint\` reads the definitions of a project and reports what does not hold, each with a stable code, its place as
\`file:line:column\`, why it matters and what to do. It needs no server and runs nothing. Errors keep an ability from running or
break a promise; warnings run and are likely not what was meant; notes may well be meant. \`ability explain CODE\` prints these sections.

Exit codes: 0 when there are no findings, 1 when there are errors (\`--fail-on warning\`: or warnings), 2 for bad
usage. \`--format human|json|sarif|junit\` chooses how findings are printed; the codes after those of \`lint.\` are errors that a
task would meet, too (see [errors](errors.md)).

This page is made from \`src/contracts/lint-codes.ts\` by \`npm run docs:errors\`.

${lintSections.join('\n\n')}
`;

for (const [name, text] of [
  ['errors.md', errors],
  ['lint.md', lint],
]) {
  const file = fileURLToPath(new URL(`../docs/${name}`, import.meta.url));
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`docs/${name} is not in step with src/contracts; run npm run docs:errors`);
    process.exitCode = 1;
  }
}
