import { ENGINE } from '../../contracts/names.js';
import type { ScriptDefinition } from '../../definitions/formats/implementation.js';
import type { OUTPUT_FORMS } from '../../definitions/formats/script-arguments.js';
import { planArguments } from '../scripts/resolve-arguments.js';
import { writesFile } from '../scripts/texts/writes-file.js';

/** One of {@link OUTPUT_FORMS}. */
export type OutputForm = (typeof OUTPUT_FORMS)[number];

/**
 * How the output of a script is read: as written; else JSON where it is given the file for it or the contract says what it
 * is; else text.
 */
export function outputFormOf(definition: ScriptDefinition, hasOutputSchema: boolean): OutputForm {
  const { args, args_template, stdin, env = {}, output } = definition;
  if (output) return output;
  // The usual arguments name the file.
  if (hasOutputSchema || hasUsualArguments(definition)) return 'json';
  const items = args ? planArguments(args) : [args_template ?? ''];
  const texts = { args: items, variables: env, ...(stdin !== undefined && { stdin }) };
  return writesFile(texts, ENGINE) ? 'json' : 'text';
}

/**
 * Whether a script is called with the usual arguments, a file for its input and one for its output: where its definition says
 * neither what they are nor that it takes its input or gives its output in another way. Source: R-002-13.
 */
export function hasUsualArguments({ args, args_template, stdin, output }: ScriptDefinition): boolean {
  const isOther = stdin !== undefined || (output !== undefined && output !== 'json');
  return !args && args_template === undefined && !isOther;
}
