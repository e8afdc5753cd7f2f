import { usageError } from '../../../../contracts/problem.js';
import type { ExitCode } from '../../../../contracts/states.js';
import type { Further } from '../../../../operations/create-task.js';
import { parseInput } from '../../input/parse-input.js';
import type { Context } from '../../program/context.js';
import { withProject } from '../../program/project-client.js';
import type { TaskFlags } from '../../program/tasks.js';
import { noteStall } from '../following/follow-task.js';
import { create, createOrReport, explaining, newTask, reportUnrun, schemaFor } from '../run.js';

/** `ability task create ID`: preflight only; gives a key, runs nothing. Source: R-000-67 to R-000-73. */
export async function run(context: Context, [ability]: [string], flags: TaskFlags['create']): Promise<ExitCode> {
  return withProject(context, async (project) => {
    const wanted = await newTask(context, project, ability, flags);
    const further: Further = { onStall: (stall) => noteStall(context.terminal, stall) };
    const created = await createOrReport(context, ability, () =>
      explaining(context, flags.plan, () => create(context, project, wanted, flags, further)),
    );
    if (typeof created === 'number') return created;
    return reportUnrun(context, created.task_key, created, created.task_key);
  });
}

/** `ability task set KEY k=v...`: changes the input of a task that was created and not run. Source: R-000-84, C-37. */
export async function set(
  context: Context,
  [key, assignments]: [string, string[]],
  flags: TaskFlags['set'],
): Promise<ExitCode> {
  refuseNothing(assignments, flags);
  return withProject(context, async (project) => {
    const { ability_id: ability, environment } = await project.call('readResult', { key });
    const { input, unset } = flags;
    const given = { set: assignments, ...(input !== undefined && { input }) };
    const fields = parseInput(given, await schemaFor(project, ability, environment, assignments), context, '');
    const change = { key, set: fields, unset };
    const answer = await createOrReport(context, ability, () => project.call('changeInput', change));
    if (typeof answer === 'number') return answer;
    return reportUnrun(context, key, answer, describeChange(key, answer));
  });
}

function describeChange(key: string, { changed, fields }: { changed: boolean; fields: string[] }): string {
  if (!changed) return `${key} is as it was: the input is the same`;
  return fields.length > 0 ? `${key}: ${fields.join(', ')} changed` : `${key} now uses the changed definitions`;
}

function refuseNothing(assignments: string[], { input, unset }: TaskFlags['set']): void {
  if (assignments.length > 0 || input !== undefined || unset.length > 0) return;
  throw usageError(
    'No change to the input was given',
    'Pass name=text, name:=JSON or name=@file, --input JSON, or --unset NAME.',
  );
}
