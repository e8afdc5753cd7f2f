import { isJsonObject, type Json, type JsonObject } from '../contracts/json.js';

/** One place where two values differ; `undefined`: there is nothing. */
export interface ValueDifference {
  /** Such as `output.rows[2].id`. */
  at: string;
  expected: Json | undefined;
  actual: Json | undefined;
}

/**
 * The places where a value is not as expected.
 *
 * @param isPart maps may hold more than is expected; lists may not.
 */
export function findDifferences(
  at: string,
  expected: Json,
  actual: Json | undefined,
  isPart = false,
): ValueDifference[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length);
    return Array.from({ length }, (_, index) =>
      differencesIn(`${at}[${index}]`, expected[index], actual[index], isPart),
    ).flat();
  }
  if (isJsonObject(expected) && isJsonObject(actual)) {
    const extra = isPart ? [] : Object.keys(actual).filter((key) => !Object.hasOwn(expected, key));
    return [...Object.keys(expected), ...extra].flatMap((key) =>
      differencesIn(`${at}.${key}`, ownOf(expected, key), ownOf(actual, key), isPart),
    );
  }
  return expected === actual ? [] : [{ at, expected, actual }];
}

function differencesIn(
  at: string,
  expected: Json | undefined,
  actual: Json | undefined,
  isPart: boolean,
): ValueDifference[] {
  return expected === undefined ? [{ at, expected, actual }] : findDifferences(at, expected, actual, isPart);
}

function ownOf(value: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
