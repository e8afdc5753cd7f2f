import { findRecord, readInput, viewTask } from '../../../../client/index.js';
import type { Json, JsonObject } from '../../../../contracts/json.js';
import { AbilityError, usageError } from '../../../../contracts/problem.js';
import { didYouMean } from '../../../../text/nearest.js';
import { refuseMasked } from '../../input/refuse-masked.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';

/** `ability task get KEY [FIELD]`: the input of a task, or one field. Source: R-000-83. */
export async function run(context: Context, [key, field]: [string, string | undefined]): Promise<void> {
  return withSession(context, await openRegistry(context), async (connection) => {
    const { view, result } = await viewTask(connection, key, 'anyone');
    // A local record with the key of another project's task belongs to another task.
    const recorded = result.project === undefined ? (await findRecord(connection, key))?.input : undefined;
    // Known secrets are masked in a record, so it comes last.
    const whole = view?.input ?? (await readInput(connection, key).catch(orElse(recorded)));
    const input = whole ?? recorded;
    if (!input) {
      throw new AbilityError({
        code: 'record.missing',
        message: `The input of ${key} is neither in Temporal nor in a record here`,
        suggestion: 'Run the command where the worker that ran the task keeps its records.',
      });
    }
    if (field !== undefined && !Object.hasOwn(input, field)) {
      const suggestion = didYouMean(field, Object.keys(input)) ?? `There are: ${Object.keys(input).join(', ')}.`;
      throw usageError(`The input of ${key} has no field ${field}`, suggestion);
    }
    if (whole === undefined) refuseMasked(key, field === undefined ? input : { [field]: input[field] as Json });
    const value = field === undefined ? input : input[field];
    if (typeof value === 'string' && !context.flags.json) context.terminal.print(value);
    else context.terminal.printJson(value);
  });
}

/** The task's start may lie in a store out of reach; the input in a record is enough then. */
function orElse(recorded: JsonObject | undefined): (error: unknown) => undefined {
  return (error) => {
    if (recorded === undefined) throw error;
    return undefined;
  };
}
