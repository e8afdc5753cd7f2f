import {
  Command,
  type CommandUnknownOpts,
  type InferCommandArguments,
  Option,
  type OptionValues,
} from '@commander-js/extra-typings';
import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import type { Context } from './context.js';
import { addGlobalFlags, addPlaceFlags, type GlobalFlags, type OptionsOf } from './global-flags.js';

/** Where the exit code of the command that ran is left. */
export interface Outcome {
  exit: ExitCode;
  /** Of the command that ran. */
  flags?: GlobalFlags;
}

/** What a command line is called with, besides its arguments. */
export type Given = Omit<Context, 'flags'>;

/** A command as it is declared: its arguments and its own flags are typed, those of every command come on top. */
export type Declared<Args extends unknown[] = [], Flags extends OptionValues = OptionValues> = Command<
  Args,
  Flags,
  GlobalFlags
>;

/** The flags of each of several declarations, as the commands receive them. */
export type FlagsOf<Declarations extends Record<string, () => { opts(): OptionValues }>> = {
  [Name in keyof Declarations]: OptionsOf<Declarations[Name]>;
};

/** What the module of a command exports. */
interface CommandModule<Args, Flags> {
  /** @returns left out: it succeeded. */
  run: (context: Context, args: Args, flags: Flags) => Promise<ExitCode | undefined> | Promise<void>;
}

/** Takes the commands below one word of the command line, or below the name of the program. */
export interface Commands {
  /** Adds a command; its module is loaded when it is called. @returns what takes the commands below it. */
  add<Args extends unknown[], Flags extends OptionValues>(
    command: Declared<Args, Flags>,
    load: () => Promise<CommandModule<Args, Flags>>,
  ): Commands;
  /** Adds a word that only groups commands. @returns what takes the commands below it. */
  group(name: string, description: string, ...examples: string[]): Commands;
}

/**
 * Declares a command with the flags that every command takes; its own are added to what is returned.
 *
 * @param usage its name and arguments, such as `run <id>`.
 * @param lines examples, for the end of its help.
 */
export function declare<const Usage extends string>(
  usage: Usage,
  description: string,
  ...lines: string[]
): Declared<InferCommandArguments<Usage>, Record<never, never>> {
  const [name = '', ...args] = usage.split(' ');
  const command = new Command<InferCommandArguments<Usage>, Record<never, never>, GlobalFlags>(name);
  command.description(description).addHelpText('after', examples(lines));
  if (args.length > 0) command.arguments(args.join(' '));
  return withFlags(command, name === 'worker' ? addPlaceFlags : addGlobalFlags);
}

/**
 * Adds flags that several commands share.
 *
 * They are declared on a command of their own type, not on a generic one: types inferred from that double with each option.
 */
export function withFlags<Args extends unknown[], Flags extends OptionValues, More extends OptionValues>(
  command: Declared<Args, Flags>,
  declareFlags: (command: Command) => Command<[], More>,
): Declared<Args, Flags & More> {
  // Commander adds them to the command itself and returns that.
  declareFlags(command as unknown as Command);
  return command as unknown as Declared<Args, Flags & More>;
}

/** The examples at the end of a command's help, one a line. */
function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}

/** What takes the commands below a parent, with what each of them is called with. */
export function commandsBelow(parent: CommandUnknownOpts, given: Given, outcome: Outcome): Commands {
  const take = (command: CommandUnknownOpts): Commands => {
    parent.addCommand(command.copyInheritedSettings(parent));
    return commandsBelow(command, given, outcome);
  };
  return {
    add(command, load) {
      command.action(async () => {
        const flags = command.optsWithGlobals() as GlobalFlags & ReturnType<typeof command.opts>;
        outcome.flags = flags;
        const { run } = await load();
        outcome.exit = (await run({ ...given, flags }, command.processedArgs, flags)) ?? EXIT.ok;
      });
      return take(command);
    },
    group(name, description, ...lines) {
      const command = new Command(name).description(description).addHelpText('after', examples(lines));
      addGlobalFlags(command);
      return take(command);
    },
  };
}

/** An option that may be given several times; its values are a list, in the order of the command line. */
export function repeatable<const Usage extends string>(usage: Usage, description: string) {
  const collect = (value: string, before: string[]): string[] => [...before, value];
  return new Option(usage, description).argParser(collect).default<string[]>([]);
}
