import type { NextStep } from '../../../../authoring/scaffold/scaffold.js';
import { type PlannedFile, type Written, writeTogether } from '../../../../authoring/write-together.js';
import type { ExitCode } from '../../../../contracts/states.js';
import { asTyped } from '../../../../shown/typed-command.js';
import { Cancelled } from '../../input/ask.js';
import type { Terminal } from '../../output/terminal/terminal.js';
import type { Context } from '../../program/context.js';
import { endInterrupted, withInterruption } from '../following/interruption.js';
import { whileAlone } from './while-alone.js';

export interface WritePlan {
  files: PlannedFile[];
  /** False: undoes everything after a successful check. Left out: keeps it. */
  isKept?: boolean;
  /** Checks what was written. @throws AbilityError to undo all of it. */
  settle(): Settled;
}

export interface Settled {
  files: PlannedFile[];
  notes: string[];
}

export interface PlanWritten extends Pick<Written, 'created' | 'changed'> {
  notes: string[];
}

/** A failed check or Ctrl-C undoes everything. @throws Cancelled; AbilityError of plan, write or check. */
export async function writePlan(
  root: string,
  terminal: Pick<Terminal, 'note' | 'onInterrupt'>,
  plan: () => WritePlan,
): Promise<PlanWritten> {
  const write = async (signal: AbortSignal): Promise<PlanWritten> => {
    const { files, isKept = true, settle } = plan();
    const written = [writeTogether(root, files)];
    const undo = (): void => {
      for (const each of written.reverse()) each.undo();
    };
    try {
      const { files: more, notes } = settle();
      written.push(writeTogether(root, more));
      // Lets a signal received meanwhile take effect.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) throw new Cancelled();
      const [created, changed] = [written.flatMap((each) => each.created), written.flatMap((each) => each.changed)];
      if (!isKept) undo();
      return { created, changed, notes };
    } catch (error) {
      undo();
      throw error;
    }
  };
  return withInterruption({ terminal }, (signal) =>
    whileAlone(root, { note: terminal.note, signal }, () => write(signal)),
  );
}

/** Runs an action that the user may cancel before anything is written; says so then. */
export async function unlessCancelled(context: Context, action: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    return endInterrupted(context, 'Nothing was written');
  }
}

interface WrittenReport {
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
