// Greets a person. The input is JSON in the file after --input; the output goes as JSON into the file after --output.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values: files } = parseArgs({ options: { input: { type: 'string' }, output: { type: 'string' } } });
const { name } = JSON.parse(readFileSync(files.input, 'utf8'));

writeFileSync(files.output, JSON.stringify({ text: `Hello, ${name}!` }));
