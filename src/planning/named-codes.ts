import { formatLocation } from '../contracts/problem.js';
import type { HighLevel } from '../definitions/formats/high-level.js';
import type { Loaded } from '../definitions/registry.js';
import { doubtCode } from './doubtful-codes.js';

/** The codes that a workflow raises, and those it expects. */
export class NamedCodes {
  private readonly expected: { entry: string; path: PropertyKey[] }[] = [];
  private readonly raised = new Set<string>();

  /** Notes a list of `errors`. */
  name(errors: readonly string[] = [], path: PropertyKey[]): void {
    for (const [index, entry] of errors.entries()) this.expected.push({ entry, path: [...path, index] });
  }

  /** Notes the code of a `fail`. */
  raise(code: string): void {
    this.raised.add(code);
  }

  /** What to warn of, once all steps are known. */
  doubts(workflow: Loaded<HighLevel>): string[] {
    return this.expected.flatMap(({ entry, path }) => {
      const doubt = doubtCode(entry, this.raised);
      return doubt === undefined ? [] : [`${formatLocation(workflow.locate(path))}: ${doubt}`];
    });
  }
}
