import type { PlanOutputFile } from '../../contracts/files.js';
import type { PlanOperation } from '../../contracts/plan.js';
import { invalidDefinition } from '../../contracts/problem.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { OUTPUT_FORMS } from '../../definitions/formats/script-arguments.js';
import type { Loaded } from '../../definitions/registry.js';
import type { ScriptDefinition } from '../../kinds/script/format.js';
import { writesFile, writesFolder } from '../scripts/placeholders.js';
import { planArguments } from '../scripts/resolve-arguments.js';

/** Normalizes both notations of `output_files`. */
export function resolveOutputFiles(written: NonNullable<LowLevel['output_files']>): Record<string, PlanOutputFile> {
  const entries = Object.entries(written).map(([name, file]): [string, PlanOutputFile] => {
    if (typeof file === 'string') return [name, { glob: file }];
    return [name, { glob: file.glob, ...(file.many && { many: true as const }) }];
  });
  return Object.fromEntries(entries);
}

/**
 * @throws AbilityError `definition.invalid` for a script that writes into {output_dir} without a file in its
 * contract, and for `output_files` of an HTTP call, whose only file is its answer.
 */
export function checkOutputFiles(
  { key, output_files, implementation }: PlanOperation,
  operation: Loaded<LowLevel>,
): void {
  if (implementation.kind === 'api' && output_files) {
    throw invalidDefinition(
      `${key} is an HTTP call, and an HTTP call leaves no files but its answer`,
      operation.locate(['output_files'], 'key'),
      'Set `response: { as: file }` under `api`: the output is then the file.',
    );
  }
  if (implementation.kind !== 'script' || output_files) return;
  if (!writesFolder(implementation.script)) return;
  throw invalidDefinition(
    `The script of ${key} is given {output_dir}, and the contract names no file that it leaves there`,
    operation.locate([]),
    'Name them beside `output_schema`: `output_files: { report: "*.html" }`.',
  );
}

/** One of {@link OUTPUT_FORMS}. */
export type OutputForm = (typeof OUTPUT_FORMS)[number];

/** How to read a script's output. Default: JSON if it has an output file or a schema, else text. */
export function outputFormOf(definition: ScriptDefinition, hasOutputSchema: boolean): OutputForm {
  const { args, args_template, stdin, env = {}, output } = definition;
  if (output) return output;
  // The usual arguments include an output file.
  if (hasOutputSchema || hasUsualArguments(definition)) return 'json';
  const items = args ? planArguments(args) : [args_template ?? ''];
  const texts = { args: items, variables: env, ...(stdin !== undefined && { stdin }) };
  return writesFile(texts) ? 'json' : 'text';
}

/** An input and an output file, unless arguments or other forms are defined. Source: R-002-13. */
export function hasUsualArguments({ args, args_template, stdin, output }: ScriptDefinition): boolean {
  const isOther = stdin !== undefined || (output !== undefined && output !== 'json');
  return !args && args_template === undefined && !isOther;
}
