#!/usr/bin/env node
import { readFileSync } from 'node:fs';

// Nothing is loaded for the version: it must cost little more than Node itself.
const [first] = process.argv.slice(2);
if (first === '--version' || first === '-V') {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Who reads us has gone; that is no crash.
    if (error.code !== 'EPIPE') throw error;
    process.exitCode = 130;
  });
  process.stdout.write(`${version}\n`);
} else {
  const { main } = await import('./main.js');
  process.exitCode = await main(process.argv.slice(2));
}
