import { changeInput, viewOwnTask } from '../../../../client/index.js';
import { usageError } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import type { InputEdit } from '../../../../contracts/task.js';
import { findAbility } from '../../../answers/find-ability.js';
import { parseInput } from '../../input/parse-input.js';
import { readCaller } from '../../input/read-caller.js';
import { asTyped } from '../../output/typed-command.js';
import { type Context, currentUser, openRegistry, withSession } from '../../program/context.js';
import type { TaskFlags } from '../../program/tasks.js';
import { createOrReport, noteWarnings } from '../run.js';

type Flags = TaskFlags['set'];

/** `ability task set KEY k=v...`: changes the input of a task that was created and not run. Source: R-000-84, C-37. */
export async function run(context: Context, [key, assignments]: [string, string[]], flags: Flags): Promise<ExitCode> {
  refuseNothing(assignments, flags);
  const registry = await openRegistry(context);
  return withSession(context, registry, async (connection) => {
    const { result } = await viewOwnTask(connection, key, 'temporal');
    const { ability_id: ability, environment } = result;
    const { input_schema: schema } = await findAbility(registry, ability);
    const { input, unset } = flags;
    const given = { set: assignments, ...(input !== undefined && { input }) };
    const who = { by: currentUser(context.env), caller: readCaller(context.env) };
    const edit: InputEdit = { set: parseInput(given, schema, context, ''), unset, ...who };
    const answer = await createOrReport(context, { ability, environment }, () => changeInput(connection, key, edit));
    if (typeof answer === 'number') return answer;
    const { terminal } = context;
    if (context.flags.json) terminal.printJson({ status: 'available', task_key: key, ...answer });
    else {
      terminal.print(describeChange(key, answer));
      noteWarnings(context, answer);
      terminal.note(asTyped(`Run it with: ability task run ${key}`, context));
    }
    return EXIT.ok;
  });
}

function describeChange(key: string, { changed, fields }: { changed: boolean; fields: string[] }): string {
  if (!changed) return `${key} is as it was: the input is the same`;
  return fields.length > 0 ? `${key}: ${fields.join(', ')} changed` : `${key} now uses the changed definitions`;
}

function refuseNothing(assignments: string[], { input, unset }: Flags): void {
  if (assignments.length > 0 || input !== undefined || unset.length > 0) return;
  throw usageError(
    'No change to the input was given',
    'Pass name=text, name:=JSON or name=@file, --input JSON, or --unset NAME.',
  );
}
