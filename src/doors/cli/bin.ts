#!/usr/bin/env node
import { packageVersion } from '../../server/package-version.js';

// Nothing is loaded for the version: it must cost little more than Node itself.
const [first] = process.argv.slice(2);
if (first === '--version' || first === '-V') {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Who reads us has gone; that is no crash.
    if (error.code !== 'EPIPE') throw error;
    process.exitCode = 130;
  });
  process.stdout.write(`${packageVersion()}\n`);
} else {
  const { main } = await import('./main.js');
  process.exitCode = await main(process.argv.slice(2));
}
