// __TITLE__
// Reads on stdin what happens (__FIELDS__); answers on stdout.
import { readFileSync } from 'node:fs';

const event = JSON.parse(readFileSync(0, 'utf8'));

__ANSWER__

console.log(JSON.stringify(answer));
