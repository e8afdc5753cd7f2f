import type { Command, OutputConfiguration } from 'commander';
import type { ExitCode } from '../../../contracts/exit-codes.js';
import type { Context, GlobalFlags } from './context.js';

/** Where the exit code of the command that ran is left. */
export interface Outcome {
  exit: ExitCode;
  /** Of the command that ran. */
  flags?: GlobalFlags;
}

/** What a command line is called with, besides its arguments. */
export type Given = Omit<Context, 'flags'>;

/** Help is a result, to be printed; errors are thrown, so nothing is said of them here. */
export function outputOf({ terminal }: Given): OutputConfiguration {
  return {
    writeOut: terminal.print,
    writeErr: () => {},
    outputError: () => {},
    getOutHelpWidth: () => terminal.width() ?? USUAL_COLUMNS,
    getOutHasColors: () => false,
  };
}

/** What commander takes where there is no terminal. */
const USUAL_COLUMNS = 80;

/** What the module of a command exports. */
interface CommandModule<Options> {
  run(context: Context, args: string[], options: Options): Promise<ExitCode>;
}

/** Defines one command: its usage, what it does, and the module that is loaded when it is called. */
export type Define = (usage: string, description: string, load: () => Promise<CommandModule<never>>) => Command;

/** Defines commands under a parent, each with the global flags and a module that is loaded when it is called. */
export function definer(parent: Command, given: Given, outcome: Outcome): Define {
  return (usage, description, load) => {
    const command = parent.command(usage).description(description).exitOverride();
    command.configureOutput(outputOf(given));
    addGlobals(command, usage.startsWith('worker'));
    return command.action(async () => {
      const args = command.processedArgs.flat().filter((arg): arg is string => typeof arg === 'string');
      const options = command.optsWithGlobals<GlobalFlags & Record<string, unknown>>();
      outcome.flags = options;
      const { run } = await load();
      outcome.exit = await run({ ...given, flags: options }, args, options as never);
    });
  };
}

/** Flags every command takes, before its name or after it. */
export function addGlobals(command: Command, hasOwnEnv = false): void {
  command
    .option('--project <dir>', 'the project (default: the nearest ability.yaml upwards)')
    .option('--address <host:port>', 'a Temporal server, instead of the runtime of the project')
    .option('--namespace <name>', 'its namespace')
    .option('--profile <name>', 'a profile of the Temporal configuration file')
    .option('--json', 'print exactly one JSON value on stdout')
    .option('--yes', 'answer the questions of the command itself with yes; never an approval')
    .option('--strict', 'refuse where definitions or scripts of the worker differ from those here');
  if (!hasOwnEnv) command.option('--env <name>', 'the environment (default: ABILITY_ENV, then default_environment)');
}

/** What `--file` says of itself, wherever a task is created. */
export const FILE_OPTION = 'a file as input: name=PATH; several of one name are a list';

/** What `--plan` is for, wherever it is. */
export const PLAN_OPTION = 'refuse anything but this plan: what `ability plan` prints, or @file of its --json';

/** Lets an option be given several times. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

/** The examples at the end of a command's help, one a line. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}
