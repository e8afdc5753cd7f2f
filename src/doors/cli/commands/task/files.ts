import { resolve } from 'node:path';
import { keepingRuntime, takeFiles, viewTask } from '../../../../client/index.js';
import type { TaskFile } from '../../../../contracts/files.js';
import { formatBytes } from '../../../../text/byte-size.js';
import { renderTable } from '../../output/render-table.js';
import { type Context, openRegistry, printList, withSession } from '../../program/context.js';
import type { TaskFlags } from '../../program/tasks.js';

/** `ability task files KEY [--out DIR]`: the files that a task received and made, or copies of them. */
export async function run(context: Context, [key]: [string], { out }: TaskFlags['files']): Promise<void> {
  return withFiles(context, key, async (files, store) => {
    if (out !== undefined) {
      const taken = await takeFiles({ store }, files, resolve(context.cwd, out));
      return printList(context, taken, NONE, () =>
        taken.map(({ path, wasThere }) => (wasThere ? `${path} (there already)` : path)).join('\n'),
      );
    }
    const rows = files.map(({ step, name, file }) => {
      return [step === '' ? 'input' : step, name, formatBytes(file.bytes), file.$file.slice(0, 12), file.name];
    });
    printList(context, files, NONE, () => renderTable(['step', 'name', 'size', 'digest', 'file'], rows));
  });
}

type Source = Parameters<typeof takeFiles>[0]['store'];

async function withFiles(
  context: Context,
  key: string,
  action: (files: readonly TaskFile[], store: Source) => Promise<void>,
): Promise<void> {
  const { door } = context;
  if (door) {
    const { withDoor } = await import('../../program/door/door-client.js');
    return withDoor(context, door, async (client) => {
      const { files = [] } = await client.call('readResult', { key });
      return action(files, { openFile: (digest) => client.openFile(key, digest) });
    });
  }
  return withSession(context, await openRegistry(context), async (connection) => {
    const { result } = await keepingRuntime(connection, () => viewTask(connection, key));
    return action(result.files ?? [], connection.store);
  });
}

const NONE = 'The task has no files.';
