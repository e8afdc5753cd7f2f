#!/usr/bin/env node
import { packageVersion } from '../../server/installation.js';
import { readGuardLine } from '../guard/guard-line.js';
import { keepCompiledCode } from './program/keep-compiled-code.js';
import { wantsVersion } from './program/version-flag.js';

const args = process.argv.slice(2);
const guardLine = readGuardLine(args);
// Nothing else is loaded for the version: it must cost little more than Node itself.
if (wantsVersion(args)) {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader closed the pipe; that is no crash.
    if (error.code !== 'EPIPE') throw error;
    process.exitCode = 130;
  });
  process.stdout.write(`${packageVersion()}\n`);
} else if (guardLine) {
  // Runs before every tool call of an agent, so it loads only what it needs.
  const { guardProcess } = await import('../guard/run-guard.js');
  const { env, stdin } = process;
  const { stdout, stderr, exit } = await guardProcess(guardLine, { cwd: process.cwd(), env, stdin });
  process.exitCode = exit;
  process.stdout.write(stdout);
  process.stderr.write(stderr);
} else {
  const { env } = process;
  if (!args.includes('guard')) keepCompiledCode(env);
  const { main } = await import('./main.js');
  const { keepAnswer, openTerminal } = await import('./output/terminal/terminal.js');
  const terminal = openTerminal(env, process);
  // `performance.now()` starts with the process, so loading time counts, too.
  keepAnswer(await main({ args, cwd: process.cwd(), env, terminal, began: 0 }), process, terminal);
}
