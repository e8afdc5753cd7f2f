import { distance } from 'fastest-levenshtein';
import { CODES, familyOf, meaningOf, OUR_FAMILIES } from '../../contracts/codes.js';
import { AbilityError, type SourceLocation } from '../../contracts/problem.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { didYouMean } from '../../text/nearest.js';
import { implementationBodies } from '../resolve/choose-implementation.js';
import type { PlanWarning } from '../resolve/plan-warning.js';

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
   * The warnings, once all steps are known.
   *
   * @param others codes with which the callees of the workflow fail.
   */
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

/** Edit distance within which an unknown word counts as a misspelt code. */
const MAX_EDITS = 2;
/** Classes of HTTP statuses. */
const CLASSES = ['http.1xx', 'http.2xx', 'http.3xx', 'http.4xx', 'http.5xx'];

/** Codes of `details.cause`, with which nothing fails. */
const CAUSES: ReadonlySet<string> = new Set(['race.lost', 'task.cancelled']);

/**
 * What to warn of where `errors` names a code that nothing can fail with; undefined where it may.
 *
 * A code is ours, a family of ours, a status, or one that a `fail` raises. The first words of ours are closed to
 * authors, so that an unknown code with one of them is certainly an error. Any other word may be raised by a workflow that
 * is called, and gets a warning only where it nearly matches a known one.
 *
 * @param raised codes of the `fail` steps of the workflow.
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
  // `card_timeout` is a name of its own, not a misspelt `timeout`.
  const near = isOurs ? known : known.filter((name) => distance(entry, name) <= MAX_EDITS && !isPart(entry, name));
  const hint = didYouMean(entry, near);
  if (!isOurs && !hint) return undefined;
  return `\`errors\` names \`${entry}\`, and nothing fails with that code. ${hint ?? 'See docs/errors.md for the codes.'}`;
}

/** A status, or a class of them, in the form of other systems: `http_409`, `HTTP-5XX`, `409`. */
function statusMeant(entry: string): string | undefined {
  const status = /^(?:(?:http|status)[._: -]?)?([1-5](?:\d\d|xx))$/i.exec(entry)?.[1];
  return status && `http.${status.toLowerCase()}`;
}

function isPart(one: string, other: string): boolean {
  return one.includes(other) || other.includes(one);
}

/** The error codes that scripts of these operations map from exit codes in their definitions. */
export function codesOfExits(registry: Registry, operations: ReadonlySet<string>): Set<string> {
  const codes = new Set<string>();
  for (const { operation, body } of implementationBodies(registry)) {
    if (body.kind !== 'script' || !operations.has(operation)) continue;
    for (const meaning of Object.values(body.script.exit_codes ?? {})) {
      if (meaning !== 'ok') codes.add(meaning.code);
    }
  }
  return codes;
}
