import { type Command, Option } from '@commander-js/extra-typings';
import { LANGUAGES, METHODS } from '../../../authoring/choices.js';
import type { WrittenKindName } from '../../../kinds/kind.js';
import { WRITTEN_KINDS } from '../../../kinds/kinds.js';
import type { OptionsOf } from './global-flags.js';

export const LANGUAGE = 'script: its language (default: node)';

/** The flags of scaffolds that one kind of implementation has. */
export const FLAGS_OF_KINDS = {
  script: (command: Command) => command.addOption(new Option('--language <name>', LANGUAGE).choices(LANGUAGES)),
  api: (command: Command) =>
    command
      .option('--endpoint <url>', 'api: where the service is, a URL or env:NAME')
      .addOption(new Option('--method <method>', 'api: the method (default: GET)').choices(METHODS))
      .option('--path <path>', 'api: the path, with {name} for fields of the input (default: /)'),
  mcp: (command: Command) =>
    command
      .option('--server <name>', 'mcp: the server, as the configuration names it')
      .option('--tool <name>', 'mcp: its tool')
      .option('--command <words>', 'mcp: defines the server: the program and its arguments')
      .option('--url <url>', 'mcp: defines the server: its address'),
} satisfies Record<WrittenKindName, unknown>;

export type FlagsOfKind<K extends WrittenKindName> = OptionsOf<(typeof FLAGS_OF_KINDS)[K]>;

type FlagsOfAll<K> = (K extends WrittenKindName ? (flags: FlagsOfKind<K>) => void : never) extends (
  flags: infer All,
) => void
  ? All
  : never;

export type KindFlags = FlagsOfAll<WrittenKindName> & { kind?: WrittenKindName | undefined };

export const kindFlags = (command: Command) => {
  command.addOption(new Option('--kind <kind>', 'what it calls').choices(WRITTEN_KINDS));
  for (const declareFlags of Object.values(FLAGS_OF_KINDS)) declareFlags(command);
  return command as Command<[], KindFlags>;
};
