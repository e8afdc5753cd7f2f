import { writeTogether } from '../../../../authoring/write-together.js';
import { findProjectRoot } from '../../../../definitions/find-project.js';
import { type PlannedExport, planExport, planRules } from '../../../guard/export-guard.js';
import type { AgentToolFlags } from '../../program/agent-tools.js';
import { type Context, printAnswer } from '../../program/context.js';
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
  const { note } = context.terminal;
  const { file, command, change, rules } = await unlessInterrupted(context, (signal) =>
    whileAlone(root, { note, signal }, async () => writeExport(root, tool)),
  );
  const added = rules && rules.change !== 'kept' ? rules.file : undefined;
  printAnswer(context, { file, command, change, rules }, () =>
    [
      `${SAID[change]} ${file}: ${command}`,
      ...(added === undefined ? [] : [`Added the rules of ${tool} for what the guard protects to ${added}`]),
    ].join('\n'),
  );
  if (context.flags.json) return;
  if (!rules) note(`${tool} takes no such rules from a project: docs/hooks.md has what it has.`);
  if (tool === 'claude') note('The rules hold for shell commands once its sandbox is on: /sandbox.');
  if (tool === 'codex') note('Codex runs it once you have trusted it there: /hooks.');
  note('Check it with `ability doctor`, then start the tool again: most read their hooks at the start.');
}

type Exported = Pick<PlannedExport, 'file' | 'command' | 'change'> & { rules: { file: string; change: string } | null };

function writeExport(root: string, tool: AgentToolFlags['exportHooks']['to']): Exported {
  const guard = planExport(tool, root);
  const rules = planRules(tool, root, guard);
  const all = rules?.file === guard.file ? [rules] : [guard, ...(rules ? [rules] : [])];
  const changed = all.filter(({ text, before }) => text !== before);
  const files = changed.map(({ file: path, text: content, before }) => {
    return before === undefined ? { path, content } : { path, content, before };
  });
  if (files.length > 0) writeTogether(root, files);
  const { file, command, change } = guard;
  return { file, command, change, rules: rules ? { file: rules.file, change: rules.change } : null };
}
