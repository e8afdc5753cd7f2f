import type { Command, OptionValues } from '@commander-js/extra-typings';

/** The flags that every command takes, before its name or after it. Source: docs/guide.md#configuration. */
export type GlobalFlags = OptionsOf<typeof addGlobalFlags>;

/** A declaration's flags, as a command receives them; one without a value is a boolean. */
export type OptionsOf<Declare extends (...args: never[]) => { opts(): OptionValues }> = Widened<
  ReturnType<ReturnType<Declare>['opts']>
>;

type Widened<Flags> = { [Name in keyof Flags]: Flags[Name] extends true | undefined ? boolean : Flags[Name] };

export function addGlobalFlags(command: Command) {
  return addPlaceFlags(command).option(
    '--env <name>',
    'the environment (default: ABILITY_ENV, then default_environment)',
  );
}

/** Like {@link addGlobalFlags}, without `--env`: for a command with its own. */
export function addPlaceFlags(command: Command) {
  return command
    .option('--project <dir>', 'the project (default: the nearest ability.yaml upwards)')
    .option('--door <url>', 'a door of `ability serve`, instead of a project here (default: ABILITY_DOOR)')
    .option('--address <host:port>', 'a Temporal server, instead of the runtime of the project')
    .option('--namespace <name>', 'its namespace')
    .option('--profile <name>', 'a profile of the Temporal configuration file')
    .option('--json', 'print exactly one JSON value on stdout')
    .option('--yes', 'answer the questions of the command itself with yes; never an approval')
    .option('--strict', 'refuse where definitions or scripts of the worker differ from those here');
}
