import { resolve } from 'node:path';
import { keepingRuntime, takeFiles, viewTask } from '../../../../client/index.js';
import type { TaskFile } from '../../../../contracts/files.js';
import { formatBytes } from '../../../../text/byte-size.js';
import { renderTable } from '../../output/render-table.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import type { TaskFlags } from '../../program/tasks.js';

/** `ability task files KEY [--out DIR]`: the files that a task received and made, or copies of them. */
export async function run(context: Context, [key]: [string], { out }: TaskFlags['files']): Promise<void> {
  return withSession(context, await openRegistry(context), async (connection) => {
    const { terminal, flags } = context;
    const { result } = await keepingRuntime(connection, () => viewTask(connection, key));
    const { files = [] } = result;
    if (out !== undefined) {
      const taken = await takeFiles(connection, files, resolve(context.cwd, out));
      if (flags.json) terminal.printJson(taken);
      else if (taken.length === 0) terminal.note('The task has no files.');
      else for (const { path, wasThere } of taken) terminal.print(wasThere ? `${path} (there already)` : path);
      return;
    }
    if (flags.json) terminal.printJson(files);
    else if (files.length === 0) terminal.note('The task has no files.');
    else terminal.print(renderTable(HEAD, files.map(rowOf)));
  });
}

const HEAD = ['step', 'name', 'size', 'digest', 'file'];

function rowOf({ step, name, file }: TaskFile): string[] {
  return [step === '' ? 'input' : step, name, formatBytes(file.bytes), file.$file.slice(0, 12), file.name];
}
