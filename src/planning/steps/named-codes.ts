import { distance } from 'fastest-levenshtein';
import { CODES, familyOf, meaningOf, OUR_FAMILIES } from '../../contracts/codes.js';
import { invalidDefinition, type SourceLocation } from '../../contracts/problem.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { memoize } from '../../text/memoize.js';
import { didYouMean } from '../../text/nearest.js';
import { implementationBodies } from '../resolve/choose-implementation.js';
import type { PlanWarning } from '../resolve/plan-warning.js';

/** @throws AbilityError `definition.invalid` for a reserved family, whose codes authors must not raise. */
export function refuseOurCode(code: string, location: SourceLocation): void {
  if (!OUR_FAMILIES.has(familyOf(code))) return;
  throw invalidDefinition(
    `The code \`${code}\` is of the family \`${familyOf(code)}\`, which is reserved for Ability Runtime`,
    location,
    'Choose a code whose first word is your own.',
  );
}

export class NamedCodes {
  private readonly expected: { entry: string; path: PropertyKey[] }[] = [];
  private readonly raised = new Set<string>();

  name(errors: readonly string[] = [], path: PropertyKey[]): void {
    for (const [index, entry] of errors.entries()) this.expected.push({ entry, path: [...path, index] });
  }

  /** Records the code of a `fail`. @throws AbilityError `definition.invalid` for a reserved family. */
  raise(code: string, location: SourceLocation): void {
    refuseOurCode(code, location);
    this.raised.add(code);
  }

  /** Call it once all steps are known. @param others codes with which callees of the workflow fail. */
  planWarnings(workflow: Loaded<HighLevel>, others: ReadonlySet<string>): PlanWarning[] {
    const raised = new Set([...this.raised, ...others]);
    return this.expected.flatMap(({ entry, path }) => {
      const warning = unknownCodeWarning(entry, raised);
      if (warning === undefined) return [];
      const location = workflow.locate(path);
      return [{ code: 'lint.unknown_error_code', message: warning, location }];
    });
  }
}

/** Maximum edit distance at which an unknown code counts as misspelt. */
const MAX_EDITS = 2;
const CLASSES = ['http.1xx', 'http.2xx', 'http.3xx', 'http.4xx', 'http.5xx'];

/** Codes that occur only in `details.cause`: nothing fails with them. */
const CAUSES: ReadonlySet<string> = new Set(['race.lost', 'task.cancelled']);

/**
 * Warns if nothing can fail with a code named in `errors`. Authors cannot raise codes of our families, so that an
 * unknown one of these is an error; any other may come from a called workflow, so that only a near match gets a
 * warning. @param raised codes of the `fail` steps of the workflow.
 */
export function unknownCodeWarning(entry: string, raised: ReadonlySet<string>): string | undefined {
  if (CAUSES.has(entry))
    return `\`errors\` names \`${entry}\`, which is only the cause of an \`outcome.unknown\`: name that.`;
  if (OUR_FAMILIES.has(entry) || CLASSES.includes(entry) || meaningOf(entry) || raised.has(entry)) return undefined;
  const status = statusMeant(entry);
  if (status !== undefined) {
    return `\`errors\` names \`${entry}\`, and nothing fails with that code. Did you mean ${status}?`;
  }
  const known = [...Object.keys(CODES), ...OUR_FAMILIES, ...CLASSES, ...raised];
  const isOurs = OUR_FAMILIES.has(familyOf(entry));
  // `card_timeout` is a valid name, not a misspelt `timeout`.
  const near = isOurs
    ? known
    : known.filter((name) => distance(entry, name) <= MAX_EDITS && !entry.includes(name) && !name.includes(entry));
  const hint = didYouMean(entry, near);
  if (!isOurs && !hint) return undefined;
  return `\`errors\` names \`${entry}\`, and nothing fails with that code. ${hint ?? 'See docs/errors.md for the codes.'}`;
}

/** The code meant by other notations of an HTTP status: `http_409`, `HTTP-5XX`, `409`. */
function statusMeant(entry: string): string | undefined {
  const status = /^(?:(?:http|status)[._: -]?)?([1-5](?:\d\d|xx))$/i.exec(entry)?.[1];
  return status && `http.${status.toLowerCase()}`;
}

/** The codes that scripts of these operations assign to exit codes. */
export function codesOfExits(registry: Registry, operations: ReadonlySet<string>): Set<string> {
  const codes = exitCodesOf(registry);
  return new Set([...operations].flatMap((operation) => codes.get(operation) ?? []));
}

/** By operation: large projects look up each operation many times. */
const exitCodesOf = memoize((registry: Registry) => {
  const codes = new Map<string, string[]>();
  for (const { operation, body } of implementationBodies(registry)) {
    if (body.kind !== 'script') continue;
    const named = Object.values(body.script.exit_codes ?? {}).flatMap((meaning) =>
      meaning === 'ok' ? [] : [meaning.code],
    );
    if (named.length > 0) codes.set(operation, [...(codes.get(operation) ?? []), ...named]);
  }
  return codes;
});
