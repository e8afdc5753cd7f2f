import type { NextStep } from '../../../authoring/scaffold/scaffold.js';
import { asTyped } from '../../../shown/typed-command.js';
import type { Context } from '../program/context.js';

export interface WrittenReport {
  created: string[];
  changed: string[];
  left: string[];
  notes: string[];
  next: NextStep[];
  isDryRun?: boolean;
}

export function printWritten(context: Context, { isDryRun = false, ...report }: WrittenReport): void {
  const { flags, terminal } = context;
  if (flags.json) {
    terminal.printJson({ status: isDryRun ? 'dry_run' : 'written', ...report });
    return;
  }
  if (isDryRun) terminal.note('Nothing was written; this is what would be:');
  const { created, changed, left, notes, next } = report;
  const lines = [
    ...created.map((file) => `${terminal.style('green', 'created')}  ${file}`),
    ...changed.map((file) => `${terminal.style('yellow', 'changed')}  ${file}`),
    ...left.map((file) => `${terminal.style('dim', 'left   ')}  ${file} (it was there; --force ${file} overwrites it)`),
  ];
  if (lines.length > 0) terminal.print(lines.join('\n'));
  for (const note of notes) terminal.note(`${terminal.style('yellow', 'note')} ${asTyped(note, context)}`);
  const typed = next.map(({ command, purpose }) => ({ command: asTyped(command, context), purpose }));
  const width = Math.max(0, ...typed.map(({ command }) => command.length));
  const commands = typed.map(({ command, purpose }) =>
    purpose === '' ? `  ${command}` : `  ${command.padEnd(width)}   ${terminal.style('dim', `# ${purpose}`)}`,
  );
  if (commands.length > 0) terminal.print(['', 'Next:', ...commands].join('\n'));
}
