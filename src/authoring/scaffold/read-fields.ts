import { usageError } from '../../contracts/problem.js';
import { didYouMean } from '../../text/nearest.js';

/** Reads `environments=dev,staging`. @throws AbilityError `usage.invalid` for another form or name. */
export function readFields<Name extends string>(
  given: readonly string[],
  flag: string,
  known: readonly Name[],
): Partial<Record<Name, string[]>> {
  const fields: Partial<Record<Name, string[]>> = {};
  for (const text of given) {
    const at = text.indexOf('=');
    const name = known.find((each) => each === text.slice(0, Math.max(at, 0)));
    const values = splitList(text.slice(at + 1));
    if (at < 1 || values.length === 0) {
      throw usageError(`${flag} ${text} is not understood`, `Write ${flag} ${known[0]}=A,B.`);
    }
    if (name === undefined) {
      const wanted = text.slice(0, at);
      const suggestion = didYouMean(wanted, known) ?? `There are: ${known.join(', ')}.`;
      throw usageError(`${flag} does not know ${wanted}`, suggestion);
    }
    fields[name] = [...(fields[name] ?? []), ...values];
  }
  return fields;
}

export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
