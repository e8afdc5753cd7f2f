import { ENGINE } from '../contracts/names.js';
import type { ScriptDefinition } from '../definitions/formats/implementation.js';
import type { OUTPUT_FORMS } from '../definitions/formats/script-arguments.js';
import { writesFile } from '../rules/script-texts/writes-file.js';
import { planArguments } from './resolve-arguments.js';

/** One of {@link OUTPUT_FORMS}. */
export type OutputForm = (typeof OUTPUT_FORMS)[number];

/**
 * How the output of a script is read: as written; else JSON where it is given the file for it or the contract says what it
 * is; else text. Source: issue 11, item 1.
 */
export function outputFormOf(definition: ScriptDefinition, hasOutputSchema: boolean): OutputForm {
  const { args, args_template, stdin, env = {}, output } = definition;
  if (output) return output;
  // Without both, the usual arguments name the file.
  if (hasOutputSchema || (!args && args_template === undefined)) return 'json';
  const items = args ? planArguments(args) : [args_template ?? ''];
  const texts = { args: items, variables: env, ...(stdin !== undefined && { stdin }) };
  return writesFile(texts, ENGINE) ? 'json' : 'text';
}
