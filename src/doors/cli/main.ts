import { type Command, CommanderError } from 'commander';
import { EXIT, type ExitCode } from '../../contracts/exit-codes.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Outcome } from './define-command.js';
import { buildProgram } from './program.js';
import { reportError } from './report.js';
import { openTerminal } from './terminal.js';

/** Runs one command line. @returns its exit code; never throws. */
export async function main(args: string[]): Promise<ExitCode> {
  const terminal = openTerminal();
  const outcome: Outcome = { exit: EXIT.ok };
  const program = buildProgram(terminal, outcome);
  try {
    await program.parseAsync(args, { from: 'user' });
    return outcome.exit;
  } catch (error) {
    const flags = { json: args.includes('--json') };
    if (!(error instanceof CommanderError)) return reportError(error, { flags, terminal });
    if (error.exitCode === 0) return EXIT.ok;
    if (error.code === 'commander.help') {
      // A command that only groups others was given alone.
      terminal.print(commandIn(program, args).helpInformation().trimEnd());
      return EXIT.ok;
    }
    const message = error.message.replace(/^error: /, '');
    const [what = message, ...hints] = message.split('\n');
    const suggestion = hints.join(' ').replace(/^\(|\)$/g, '') || `See \`${nameOf(commandIn(program, args))} --help\`.`;
    const usage = new AbilityError({ code: 'usage.invalid', message: what, suggestion });
    return reportError(usage, { flags, terminal });
  }
}

/** The command that a command line names, as far as it names one. */
function commandIn(program: Command, args: readonly string[]): Command {
  return args.reduce((at, arg) => at.commands.find((command) => command.name() === arg) ?? at, program);
}

/** A command as it is typed. */
function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}
