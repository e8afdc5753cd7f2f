import { writeTogether } from '../../../../authoring/write-together.js';
import { findProjectRoot } from '../../../../definitions/find-project.js';
import { type PlannedExport, planExport } from '../../../guard/export-guard.js';
import type { AgentToolFlags } from '../../program/agent-tools.js';
import type { Context } from '../../program/context.js';
import { unlessInterrupted } from '../following/interruption.js';
import { whileAlone } from '../writing/while-alone.js';

const SAID: Record<PlannedExport['change'], string> = {
  created: 'Wrote',
  added: 'Added the guard to',
  replaced: 'Changed the command of the guard in',
  kept: 'The guard is already in',
};

/** `ability hooks export --to TOOL`: adds the guard to the settings of an agent's tool. Source: R-002-57. */
export async function run(context: Context, _: [], { to: tool }: AgentToolFlags['exportHooks']): Promise<void> {
  const root = findProjectRoot(context.cwd, context.flags.project);
  const note = (text: string): void => context.terminal.note(text);
  const { file, command, change } = await unlessInterrupted(context, (signal) =>
    whileAlone(root, { note, signal }, async () => writeExport(root, tool)),
  );
  if (context.flags.json) context.terminal.printJson({ file, command, change });
  else {
    context.terminal.print(`${SAID[change]} ${file}: ${command}`);
    if (tool === 'codex') context.terminal.note('Codex runs it once you have trusted it there: /hooks.');
    context.terminal.note(
      'Check it with `ability doctor`, then start the tool again: most read their hooks at the start.',
    );
  }
}

function writeExport(root: string, tool: AgentToolFlags['exportHooks']['to']): PlannedExport {
  const planned = planExport(tool, root);
  const { file, change, text, before } = planned;
  if (change !== 'kept') writeTogether(root, [{ path: file, content: text, ...(before !== undefined && { before }) }]);
  return planned;
}
