import { type CreatedTask, createTask } from '../../../../client/index.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import type { CreateAnswer } from '../../../../contracts/task.js';
import { explainingChange } from '../../output/preview/explain-change.js';
import { asTyped } from '../../output/typed-command.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import type { TaskFlags } from '../../program/tasks.js';
import { createOrReport, newTask, noteWarnings } from '../run.js';

/** `ability task create ID`: preflight only; gives a key, runs nothing. Source: R-000-67 to R-000-73. */
export async function run(context: Context, [ability]: [string], flags: TaskFlags['create']): Promise<ExitCode> {
  const registry = await openRegistry(context);
  const task = await newTask(context, registry, ability, flags, false);
  return withSession(context, registry, async (connection) => {
    const create = (): Promise<CreatedTask> => createTask(connection, task);
    const created = await createOrReport(context, task, () => explainingChange(context, registry, flags.plan, create));
    if (typeof created === 'number') return created;
    const { terminal } = context;
    const answer: CreateAnswer = { status: 'available', task_key: created.id, warnings: created.warnings };
    if (context.flags.json) terminal.printJson(answer);
    else {
      terminal.print(created.id);
      noteWarnings(context, created);
      terminal.note(asTyped(`Run it with: ability task run ${created.id}`, context));
    }
    return EXIT.ok;
  });
}
