import { familyOf, OUR_FAMILIES } from '../../contracts/codes.js';
import { AbilityError, type SourceLocation } from '../../contracts/problem.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded } from '../../definitions/registry.js';
import type { Doubt } from '../resolve/doubt.js';
import { doubtCode } from './doubtful-codes.js';

/** @throws AbilityError `definition.invalid` for a code of a family of ours, with which nothing of an author's may fail. */
export function refuseOurCode(code: string, location: SourceLocation): void {
  if (!OUR_FAMILIES.has(familyOf(code))) return;
  throw new AbilityError({
    code: 'definition.invalid',
    message: `The code \`${code}\` is of the family \`${familyOf(code)}\`, which is ours`,
    location,
    suggestion: 'Choose a code whose first word is your own.',
  });
}

/** The codes that a workflow raises, and those it expects. */
export class NamedCodes {
  private readonly expected: { entry: string; path: PropertyKey[] }[] = [];
  private readonly raised = new Set<string>();

  /** Notes a list of `errors`. */
  name(errors: readonly string[] = [], path: PropertyKey[]): void {
    for (const [index, entry] of errors.entries()) this.expected.push({ entry, path: [...path, index] });
  }

  /** Notes the code of a `fail`. @throws AbilityError `definition.invalid` for one of a family of ours. */
  raise(code: string, location: SourceLocation): void {
    refuseOurCode(code, location);
    this.raised.add(code);
  }

  /**
   * What to warn of, once all steps are known.
   *
   * @param others codes that what the workflow calls fails with.
   */
  doubts(workflow: Loaded<HighLevel>, others: ReadonlySet<string>): Doubt[] {
    const raised = new Set([...this.raised, ...others]);
    return this.expected.flatMap(({ entry, path }) => {
      const doubt = doubtCode(entry, raised);
      if (doubt === undefined) return [];
      const location = workflow.locate(path);
      return [{ code: 'lint.unknown_error_code', message: doubt, location }];
    });
  }
}
