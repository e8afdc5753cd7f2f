import { findProjectRoot } from '../../../definitions/find-project.js';
import { pathsOf } from '../../../server/project-paths.js';
import { stopRuntime } from '../../../server/runtime/stop-runtime.js';
import { asTyped } from '../../../shown/typed-command.js';
import { type Context, printAnswer } from '../program/context.js';

/** `ability down`: stops the project's runtime. Open tasks stay on disk and continue once it runs again. */
export async function run(context: Context): Promise<void> {
  const { terminal, flags, cwd } = context;
  const { runtime, orphans } = await stopRuntime(pathsOf(findProjectRoot(cwd, flags.project)));
  const text = runtime ? `down  process ${runtime.pid} and its Temporal server have stopped` : 'It was not up.';
  printAnswer(context, { stopped: runtime !== undefined, orphans }, () => text);
  if (runtime && !flags.json) {
    terminal.note(asTyped('Open tasks are on disk and go on with the next `ability up` or `ability run`.', context));
  }
  if (orphans > 0) {
    const servers = orphans === 1 ? 'A Temporal server' : `${orphans} Temporal servers`;
    terminal.note(`${servers} left behind by a killed runtime ${orphans === 1 ? 'was' : 'were'} stopped.`);
  }
}
