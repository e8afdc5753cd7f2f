// __TITLE__
// The input is JSON in the file after --input; the output goes as JSON into the file after --output.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values: files } = parseArgs({ options: { input: { type: 'string' }, output: { type: 'string' } } });
const input = JSON.parse(readFileSync(files.input, 'utf8'));

// The work goes here. It has failed when this ends with another exit code than 0; say why on stderr.
const output = __OUTPUT__;
__UNUSED__
writeFileSync(files.output, JSON.stringify(output));
