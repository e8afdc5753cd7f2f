import { KINDS, LANGUAGES } from '../../../authoring/choices.js';
import type { KindChoice } from '../../../authoring/scaffold/plan-kind.js';
import type { JsonObject } from '../../../contracts/json.js';
import { usageError } from '../../../contracts/problem.js';
import { splitArguments } from '../../../planning/scripts/resolve-arguments.js';
import type { KindFlags } from '../program/authoring.js';
import type { Context } from '../program/context.js';
import { askChoice, askText } from './ask.js';
import { refuseStray } from './flag-values.js';

/** A flag of another kind would be ignored, so it is refused. */
const BELONGS: Record<(typeof KINDS)[number], readonly (keyof KindFlags)[]> = {
  script: ['language'],
  api: ['endpoint', 'method', 'path'],
  mcp: ['server', 'tool', 'command', 'url'],
};

/** @throws Cancelled, AbilityError `usage.invalid`. */
export async function readKind(context: Context, flags: KindFlags): Promise<KindChoice> {
  const kind = await askChoice(context, flags.kind, KINDS, { flag: '--kind', message: 'What does it call?' });
  refuseStray('--kind', kind, BELONGS, flags);
  if (kind === 'script') {
    const question = { flag: '--language', message: 'In which language?', fallback: 'node' as const };
    return { kind, language: await askChoice(context, flags.language, LANGUAGES, question) };
  }
  if (kind === 'api') {
    const message = 'Where is the service? (https://..., or env:NAME of a variable that holds the address)';
    const endpoint = await askText(context, flags.endpoint, { flag: '--endpoint', message });
    return { kind, method: flags.method ?? 'GET', path: flags.path ?? '/', endpoint };
  }
  const question = { flag: '--server', message: 'Which MCP server? (its name here)' };
  const server = await askText(context, flags.server, question);
  const tool = await askText(context, flags.tool, { flag: '--tool', message: 'Which of its tools?' });
  const definition = definitionOf(flags);
  return { kind, server, tool, ...(definition && { definition }) };
}

function definitionOf({ command, url }: KindFlags): JsonObject | undefined {
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
