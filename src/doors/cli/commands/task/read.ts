import type { Json } from '../../../../contracts/json.js';
import { usageError } from '../../../../contracts/problem.js';
import { EXIT, EXIT_OF_STATE, type ExitCode, isEndState } from '../../../../contracts/states.js';
import { asTyped, commandOf } from '../../../../shown/typed-command.js';
import { didYouMean } from '../../../../text/nearest.js';
import { refuseMasked } from '../../input/refuse-masked.js';
import type { Context } from '../../program/context.js';
import { withProject } from '../../program/project-client.js';
import { printResult } from '../following/follow-task.js';

/** `ability task get KEY [FIELD]`: the input of a task, or one field. Source: R-000-83. */
export async function get(context: Context, [key, field]: [string, string | undefined]): Promise<void> {
  const { input, whole } = await withProject(context, (project) => project.call('readInput', { key }));
  if (field !== undefined && !Object.hasOwn(input, field)) {
    const suggestion = didYouMean(field, Object.keys(input)) ?? `There are: ${Object.keys(input).join(', ')}.`;
    throw usageError(`The input of ${key} has no field ${field}`, suggestion);
  }
  if (!whole) refuseMasked(key, field === undefined ? input : { [field]: input[field] as Json });
  const value = field === undefined ? input : input[field];
  if (typeof value === 'string' && !context.flags.json) context.terminal.print(value);
  else context.terminal.printJson(value);
}

/**
 * `ability task result KEY`: the result; 5 or 1 while there is none. Source: docs/operations.md#looking-into-a-task.
 */
export async function result(context: Context, [key]: [string]): Promise<ExitCode> {
  return withProject(context, async (project) => {
    const seen = await project.call('readResult', { key });
    await printResult(context, project, seen);
    if (isEndState(seen.status)) return EXIT_OF_STATE[seen.status];
    context.terminal.note(`${key} has not ended yet: ${asTyped(commandOf('ability', 'task', 'watch', key), context)}`);
    return seen.status === 'waiting_approval' ? EXIT.waiting : EXIT.failed;
  });
}
