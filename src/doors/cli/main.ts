import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { usageError } from '../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../contracts/states.js';
import { packageVersion } from '../../server/installation.js';
import type { Given, Outcome } from './program/declare-command.js';
import { buildProgram } from './program/program.js';
import { wantsVersion } from './program/version-flag.js';

export interface CommandLine extends Omit<Given, 'began'> {
  args: string[];
  /** When the command began, on the clock of `performance.now()`; left out: now. */
  began?: number;
}

/**
 * Runs one command line and reports its error; throws only if the package is damaged. All surroundings are passed in,
 * so that a program can call it repeatedly and concurrently; only workers, which some commands start, share the process.
 */
export async function main({ args, began = performance.now(), ...rest }: CommandLine): Promise<ExitCode> {
  const { terminal } = rest;
  if (wantsVersion(args)) {
    terminal.print(packageVersion());
    return EXIT.ok;
  }
  const outcome: Outcome = { exit: EXIT.ok };
  const program = buildProgram({ ...rest, began }, outcome);
  try {
    await program.parseAsync(args, { from: 'user' });
    return outcome.exit;
  } catch (error) {
    // Not needed by a command that succeeds.
    const { reportError } = await import('./output/report.js');
    const flags = { ...outcome.flags, json: args.includes('--json') };
    if (!(error instanceof CommanderError)) return reportError(error, { flags, terminal, env: rest.env });
    if (error.exitCode === 0) return EXIT.ok;
    const command = commandIn(program, args);
    const isHelp = error.code === 'commander.help';
    if (isHelp && args.length === 0) {
      terminal.print(command.helpInformation().trimEnd());
      return EXIT.ok;
    }
    if (isHelp && !flags.json) terminal.note(command.helpInformation());
    const message = isHelp ? `\`${nameOf(command)}\` needs a command` : error.message.replace(/^error: /, '');
    const [what = message, ...hints] = message.split('\n');
    const suggestion = hints.join(' ').replace(/^\(|\)$/g, '') || `See \`${nameOf(command)} --help\`.`;
    return reportError(usageError(what, suggestion), { flags, terminal, env: rest.env });
  }
}

function commandIn(program: CommandUnknownOpts, args: readonly string[]): CommandUnknownOpts {
  let at = program;
  for (const [index, arg] of args.entries()) {
    const inner = at.commands.find((command) => command.name() === arg);
    const mayBeValue = arg.startsWith('-') || args[index - 1]?.startsWith('-');
    if (!inner && !mayBeValue) break;
    at = inner ?? at;
  }
  return at;
}

function nameOf(command: CommandUnknownOpts): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}
