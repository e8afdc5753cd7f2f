import type { Problem } from '../../contracts/problem.js';
import { isUnknown, placeOf } from '../steps/step-failure.js';

/** The warnings of a task. */
export class Warnings {
  /** As they were given. */
  readonly list: string[];
  /** Those that earlier builds worded differently or did not give, with their text then: it decides how a task is ended. */
  readonly reworded = new Map<string, string | undefined>();
  /** Unknown outcomes by their warnings: the cause of the cut may become known later. */
  readonly lost = new Map<string, Problem>();

  /** @param leftOut number of warnings that earlier runs of the task dropped. */
  constructor(
    list: readonly string[],
    readonly leftOut = 0,
  ) {
    this.list = [...list];
  }

  add(...warnings: string[]): void {
    this.list.push(...warnings);
  }

  /** Warns of an unknown outcome, so that it is reported even if the step recovers; ignores other errors. */
  addUnknown(error: unknown): void {
    if (!isUnknown(error)) return;
    const warning = warningOf(error.problem);
    this.add(warning);
    this.lost.set(warning, error.problem);
  }

  /** Each once; those of unknown outcomes with the cause as far as it is known now. */
  now(): string[] {
    const now = this.list.map((given) => {
      const problem = this.lost.get(given);
      const warning = problem ? warningOf(problem) : given;
      if (warning !== given) this.reworded.set(warning, given);
      return warning;
    });
    return [...new Set(now)];
  }
}

function warningOf(problem: Problem): string {
  return `${placeOf(problem) ?? 'A call'}: ${problem.code}: ${problem.message}`;
}
