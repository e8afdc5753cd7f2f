import { writeTogether } from '../../../../authoring/write-together.js';
import { findProjectRoot } from '../../../../definitions/find-project.js';
import { type PlannedExport, planExport, planRules } from '../../../guard/export-guard.js';
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
  const { file, command, change, rules } = await unlessInterrupted(context, (signal) =>
    whileAlone(root, { note, signal }, async () => writeExport(root, tool)),
  );
  if (context.flags.json) context.terminal.printJson({ file, command, change, rules });
  else {
    context.terminal.print(`${SAID[change]} ${file}: ${command}`);
    if (rules && rules.change !== 'kept')
      context.terminal.print(`Added the rules of ${tool} for what the guard protects to ${rules.file}`);
    if (!rules) context.terminal.note(`${tool} takes no such rules from a project: docs/hooks.md has what it has.`);
    if (tool === 'claude') context.terminal.note('The rules hold for shell commands once its sandbox is on: /sandbox.');
    if (tool === 'codex') context.terminal.note('Codex runs it once you have trusted it there: /hooks.');
    context.terminal.note(
      'Check it with `ability doctor`, then start the tool again: most read their hooks at the start.',
    );
  }
}

type Exported = Pick<PlannedExport, 'file' | 'command' | 'change'> & { rules: { file: string; change: string } | null };

function writeExport(root: string, tool: AgentToolFlags['exportHooks']['to']): Exported {
  const guard = planExport(tool, root);
  const rules = planRules(tool, root, guard);
  const all = rules?.file === guard.file ? [rules] : [guard, ...(rules ? [rules] : [])];
  const changed = all.filter(({ text, before }) => text !== before);
  const files = changed.map(({ file, text, before }) => ({
    path: file,
    content: text,
    ...(before !== undefined && { before }),
  }));
  if (files.length > 0) writeTogether(root, files);
  const { file, command, change } = guard;
  return { file, command, change, rules: rules ? { file: rules.file, change: rules.change } : null };
}
