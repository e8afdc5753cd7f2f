import { type PlannedFile, type Written, writeTogether } from '../../../../authoring/write-together.js';
import type { ExitCode } from '../../../../contracts/exit-codes.js';
import { Cancelled } from '../../input/ask.js';
import type { Terminal } from '../../output/terminal/terminal.js';
import type { Context } from '../../program/context.js';
import { endInterrupted, interruption } from '../following/interruption.js';
import { whileAlone } from './while-alone.js';

/** What is to be written, and what must hold afterwards. */
export interface WritePlan {
  files: PlannedFile[];
  /** False: all is taken back once it is known to hold. Left out: it stays. */
  isKept?: boolean;
  /** Looks at what was written. @throws AbilityError for what must not stay; then all is taken back. */
  settle(): Settled;
}

/** What follows from files that were written. */
export interface Settled {
  files: PlannedFile[];
  /** What the author should know. */
  notes: string[];
}

/** What was written, and what there is to know. */
export interface PlanWritten extends Pick<Written, 'created' | 'changed'> {
  notes: string[];
}

/**
 * Plans and writes files while no other command does; what then does not hold, or Ctrl-C, takes all of it back.
 *
 * @throws Cancelled at Ctrl-C; AbilityError of the plan, of writing, or of the check.
 */
export async function writePlan(
  root: string,
  terminal: Pick<Terminal, 'note' | 'onInterrupt'>,
  plan: () => WritePlan,
): Promise<PlanWritten> {
  const interrupted = interruption({ terminal });
  const { signal } = interrupted;
  try {
    return await whileAlone(root, { note: terminal.note, signal }, async () => {
      const { files, isKept = true, settle } = plan();
      const written = [writeTogether(root, files)];
      try {
        const { files: more, notes } = settle();
        written.push(writeTogether(root, more));
        // A signal that came meanwhile is only told now.
        await new Promise((resolve) => setImmediate(resolve));
        if (signal.aborted) throw new Cancelled();
        const [created, changed] = [written.flatMap((each) => each.created), written.flatMap((each) => each.changed)];
        if (!isKept) for (const each of written.reverse()) each.undo();
        return { created, changed, notes };
      } catch (error) {
        for (const each of written.reverse()) each.undo();
        throw error;
      }
    });
  } finally {
    interrupted.done();
  }
}

/** Does what may be cancelled; then nothing was written, which is said. */
export async function unlessCancelled(context: Context, action: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    return endInterrupted(context, 'Nothing was written');
  }
}
