import {
  Command,
  type CommandUnknownOpts,
  type InferCommandArguments,
  Option,
  type OptionValues,
} from '@commander-js/extra-typings';
import { usageError } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import type { Context } from './context.js';
import { addGlobalFlags, addPlaceFlags, type GlobalFlags, type OptionsOf } from './global-flags.js';

export interface Outcome {
  exit: ExitCode;
  flags?: GlobalFlags;
}

export type Given = Omit<Context, 'flags' | 'door'>;

/** A declared command: its arguments and flags are typed; the flags of every command are added. */
export type Declared<Args extends unknown[] = [], Flags extends OptionValues = OptionValues> = Command<
  Args,
  Flags,
  GlobalFlags
>;

/** The flags of each command of a table. */
export type FlagsOf<Declare extends () => Record<string, { opts(): OptionValues }>> = {
  [Name in keyof ReturnType<Declare>]: OptionsOf<() => ReturnType<Declare>[Name]>;
};

/** What a command does. @returns undefined if it succeeded. */
type Run<Args, Flags> = (context: Context, args: Args, flags: Flags) => Promise<ExitCode | undefined> | Promise<void>;

export interface Commands {
  /** Adds a command; its module is loaded when called. @param name of its export. @returns what adds commands below it. */
  add<Args extends unknown[], Flags extends OptionValues, Name extends string = 'run'>(
    command: Declared<Args, Flags>,
    load: () => Promise<Record<NoInfer<Name>, Run<Args, Flags>>>,
    name?: Name,
  ): Commands;
  /** Adds the commands of a table; one module exports their functions under the names of the table. */
  all<Table extends Record<string, CommandUnknownOpts>>(
    table: Table,
    load: () => Promise<{ [Name in keyof NoInfer<Table>]: RunOf<Table[Name]> }>,
  ): void;
  /** Adds a word that only groups commands. @returns what adds commands below it. */
  group(name: string, description: string, ...examples: string[]): Commands;
}

type RunOf<Command> = Command extends Declared<infer Args, infer Flags> ? Run<Args, Flags> : never;

type None = Record<never, never>;

/** With the global flags. @param usage such as `run <id>`. @param lines examples for the end of its help. */
export function declare<const Usage extends string>(
  usage: Usage,
  description: string,
  ...lines: string[]
): Declared<InferCommandArguments<Usage>, None> {
  const [name = '', ...args] = usage.split(' ');
  const command = new Command<InferCommandArguments<Usage>, None, GlobalFlags>(name);
  command.description(description).addHelpText('after', examples(lines));
  if (args.length > 0) command.arguments(args.join(' '));
  return withFlags(command, name === 'worker' ? addPlaceFlags : addGlobalFlags);
}

type DeclareFlags<Flags extends OptionValues> = (command: Command) => Command<[], Flags>;

/** The flags have a command type of their own: types inferred from a generic one double with each option. */
export function withFlags<
  Args extends unknown[],
  Flags extends OptionValues,
  First extends OptionValues,
  Second extends OptionValues = None,
  Third extends OptionValues = None,
>(
  command: Declared<Args, Flags>,
  ...all: [DeclareFlags<First>, DeclareFlags<Second>?, DeclareFlags<Third>?]
): Declared<Args, Flags & First & Second & Third> {
  // Commander adds them to the command itself and returns that.
  for (const declareFlags of all) declareFlags?.(command as unknown as Command);
  return command as never;
}

function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}

export function commandsBelow(parent: CommandUnknownOpts, given: Given, outcome: Outcome): Commands {
  const take = (command: CommandUnknownOpts): Commands => {
    parent.addCommand(command.copyInheritedSettings(parent));
    return commandsBelow(command, given, outcome);
  };
  const below: Commands = {
    add(command, load, name = 'run' as never) {
      command.action(async () => {
        const flags = flagsOf(command) as GlobalFlags & ReturnType<typeof command.opts>;
        outcome.flags = flags;
        refuseEmpty(command, flags);
        const isThere = flags.door !== undefined || given.env.ABILITY_DOOR;
        const door = isThere
          ? (await import('./door/command-door.js')).readDoor(flags, given.env, nameOf(command))
          : undefined;
        const { [name]: run } = await load();
        outcome.exit = (await run({ ...given, flags, door }, command.processedArgs, flags)) ?? EXIT.ok;
      });
      return take(command);
    },
    group(name, description, ...lines) {
      const command = new Command(name).description(description).addHelpText('after', examples(lines));
      addGlobalFlags(command);
      return take(command);
    },
    all(table, load) {
      for (const [name, command] of Object.entries(table)) below.add(command, load as never, name);
    },
  };
  return below;
}

/** Flags whose value names something; a text or a template may be empty. */
const NAMING = /<(?:name|id|key|dir|folder|file|url|digest|host:port)>$/;

/**
 * A variable that is not set makes `--env "$ENV"` an empty flag, and `"$KEY"` an empty argument, not one that is left out.
 * @throws AbilityError `usage.invalid`.
 */
function refuseEmpty(command: CommandUnknownOpts, flags: OptionValues): void {
  const options = [...command.options, ...(command.parent?.options ?? [])];
  const flag = options.find((option) => NAMING.test(option.flags) && flags[option.attributeName()] === '');
  const argument = command.registeredArguments.find((_, nth) => command.processedArgs[nth] === '');
  const empty = flag?.long ?? (argument && `<${argument.name()}>`);
  if (empty) throw usageError(`${empty} is empty`, 'Give it a value, or leave it out.');
}

/** Such as `task show`. */
function nameOf(command: CommandUnknownOpts): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

/** Its own flags, and those before its name; of one that is given to both, its own. */
function flagsOf(command: CommandUnknownOpts): OptionValues {
  return command.parent ? { ...flagsOf(command.parent), ...command.opts() } : command.opts();
}

/** An option that may be repeated; its value is a list, in the order of the command line. */
export function repeatable<const Usage extends string>(usage: Usage, description: string) {
  const collect = (value: string, before: string[]): string[] => [...before, value];
  return new Option(usage, description).argParser(collect).default<string[]>([]);
}

export const SCOPE = 'the folder that it is about (default: ABILITY_SCOPE, then the nearest ABILITY.md)';

export const TIME = 'a time such as 2026-01-31T08:00:00Z (UTC without a zone)';

export const inputFlags = (command: Command) =>
  command
    .option('--input <json>', 'the input: JSON, @file, or - for stdin')
    .addOption(repeatable('--set <assignment>', 'one field: name=text, name:=JSON, or name=@file'));

/** @param key the description of `--key`. */
export const taskFlags = (key: string) => (command: Command) =>
  inputFlags(command)
    .addOption(repeatable('--file <assignment>', 'a file as input: name=PATH; several of one name are a list'))
    .option('--key <key>', key)
    .option('--intent <text>', 'what it is for; kept and shown with the task')
    .option('--plan <digest>', 'refuse anything but this plan: what `ability plan` prints, or @file of its --json')
    .option('--session <id>', 'the session that it belongs to (default: ABILITY_SESSION)')
    .option('--scope <folder>', SCOPE);

/** @param timeout the description of `--timeout`. */
export const followFlags =
  (timeout = 'wait no longer, from the start of the command; the task goes on') =>
  (command: Command) =>
    command
      .option('--junit <file>', 'write the steps as JUnit XML')
      .option('--verbose', 'show what the calls write as it comes, each line with its step')
      .option('--timeout <duration>', timeout)
      .option('--wait-approval <duration>', 'off a terminal: wait this long for an approval');
