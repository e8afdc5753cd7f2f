import type { Problem } from '../../contracts/problem.js';
import { isUnknown, placeOf } from '../steps/step-failure.js';

export class Warnings {
  /** In their original wording. */
  readonly list: string[];
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

  /** Without repetitions; unknown outcomes with the cause known so far. */
  now(): string[] {
    const now = this.list.map((given) => {
      const problem = this.lost.get(given);
      return problem ? warningOf(problem) : given;
    });
    return [...new Set(now)];
  }
}

function warningOf(problem: Problem): string {
  return `${placeOf(problem) ?? 'A call'}: ${problem.code}: ${problem.message}`;
}
