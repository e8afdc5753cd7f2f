// Writes docs/errors.md and docs/lint.md from the tables of codes. With --check it only says whether they are in step.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CODES } from '../build/contracts/codes.js';
import { LINT_CODES, LINT_ERRORS } from '../build/contracts/lint-codes.js';

const errors = `# Errors

Codes are stable, messages may change. \`ability explain CODE\` prints an entry. In brackets is the exit code of a command, if it is
not 1. The first word is the family: \`retry: { errors: [timeout] }\` names \`timeout.call\`, \`timeout.step\` and the others. A failed
HTTP answer is \`http.<status>\`, such as \`http.409\`; 408, 425, 429, 502, 503 and 504 also count as \`unavailable\`. An author's own
code (\`fail: { code: ... }\`) is reported as written. \`npm run docs:errors\` makes this page from \`src/contracts/codes.json\`.

${Object.entries(CODES)
  .map(([code, { exit, means, next }]) => `- \`${code}\`${exit === 1 ? '' : ` (${exit})`}: ${means} *${next}*`)
  .join('\n')}
`;

const found = Object.entries(LINT_CODES).sort(([one], [other]) => (one < other ? -1 : 1));
const findingsOf = (wanted) =>
  found
    .filter(([, { severity }]) => severity === wanted)
    .map(([code, { means, why, fix }]) => `- \`${code}\`: ${means} ${why} *${fix}*`)
    .join('\n');
const lint = `# What lint finds

\`ability lint\` reports what does not hold in the definitions of a project. It needs no server and runs nothing. \`ability explain
CODE\` prints an entry.

Exit codes: 0 without findings, 1 with errors (\`--fail-on warning\`: or warnings), 2 for bad usage. \`--format human|json|sarif|junit\`
chooses how findings are printed. \`npm run docs:errors\` makes this page from \`src/contracts/lint-codes.json\`.

## Errors

What keeps an ability from running or breaks a promise.

${findingsOf('error')}

## Warnings

Likely mistakes.

${findingsOf('warning')}

## Notes

These may be meant.

${findingsOf('note')}

## What a task would meet, too

Explained under [errors](errors.md): ${LINT_ERRORS.map((code) => `\`${code}\``).join(', ')}.
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
