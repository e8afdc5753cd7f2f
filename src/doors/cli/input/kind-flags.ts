import { Command } from '@commander-js/extra-typings';
import { LANGUAGES } from '../../../authoring/choices.js';
import type { ChoiceOf, KindChoice } from '../../../authoring/scaffold/scaffolded.js';
import type { JsonObject } from '../../../contracts/json.js';
import { usageError } from '../../../contracts/problem.js';
import type { WrittenKindName } from '../../../kinds/kind.js';
import { WRITTEN_KINDS } from '../../../kinds/kinds.js';
import { splitArguments } from '../../../planning/scripts/resolve-arguments.js';
import type { Context } from '../program/context.js';
import { FLAGS_OF_KINDS, type FlagsOfKind, type KindFlags } from '../program/kind-flags.js';
import { askChoice, askText } from './ask.js';
import { refuseStray } from './flag-values.js';

type Ask<K extends WrittenKindName> = (context: Context, flags: FlagsOfKind<K>) => Promise<ChoiceOf<K>>;

const QUESTIONS: { readonly [K in WrittenKindName]: Ask<K> } = { script: askScript, api: askRequest, mcp: askTool };

const questionsOf = <K extends WrittenKindName>(kind: K): Ask<K> => QUESTIONS[kind];

/** @throws Cancelled, AbilityError `usage.invalid`. */
export async function readKind(context: Context, flags: KindFlags): Promise<KindChoice> {
  const kind = await askChoice(context, flags.kind, WRITTEN_KINDS, { flag: '--kind', message: 'What does it call?' });
  // A flag of another kind would be ignored, so it is refused.
  refuseStray('--kind', kind, flagNames(), flags);
  return questionsOf(kind)(context, flags);
}

function flagNames(): Record<string, (keyof KindFlags)[]> {
  return Object.fromEntries(
    Object.entries(FLAGS_OF_KINDS).map(([kind, declareFlags]) => {
      const { options } = declareFlags(new Command());
      return [kind, options.map((option) => option.attributeName() as keyof KindFlags)];
    }),
  );
}

async function askScript(context: Context, flags: FlagsOfKind<'script'>): Promise<ChoiceOf<'script'>> {
  const question = { flag: '--language', message: 'In which language?', fallback: 'node' as const };
  return { kind: 'script', language: await askChoice(context, flags.language, LANGUAGES, question) };
}

async function askRequest(context: Context, flags: FlagsOfKind<'api'>): Promise<ChoiceOf<'api'>> {
  const message = 'Where is the service? (https://..., or env:NAME of a variable that holds the address)';
  const endpoint = await askText(context, flags.endpoint, { flag: '--endpoint', message });
  return { kind: 'api', method: flags.method ?? 'GET', path: flags.path ?? '/', endpoint };
}

async function askTool(context: Context, flags: FlagsOfKind<'mcp'>): Promise<ChoiceOf<'mcp'>> {
  const question = { flag: '--server', message: 'Which MCP server? (its name here)' };
  const server = await askText(context, flags.server, question);
  const tool = await askText(context, flags.tool, { flag: '--tool', message: 'Which of its tools?' });
  const definition = definitionOf(flags);
  return { kind: 'mcp', server, tool, ...(definition && { definition }) };
}

function definitionOf({ command, url }: FlagsOfKind<'mcp'>): JsonObject | undefined {
  if (command !== undefined && url !== undefined) {
    throw usageError('An MCP server has either a --command or a --url', 'Leave out one of them.');
  }
  if (url !== undefined) return { url };
  if (command === undefined) return undefined;
  const [program, ...args] = splitArguments(command, { file: '--command' });
  if (program !== undefined) return { command: program, args };
  throw usageError(
    '--command names no program',
    'Pass the program with its arguments: --command "node servers/logs.mjs".',
  );
}
