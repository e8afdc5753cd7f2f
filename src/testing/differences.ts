import { diffArrays } from 'diff';

/** One line of a list that differs from another: in both, only expected, only there. */
export interface ListLine {
  mark: ' ' | '-' | '+';
  text: string;
}

/**
 * Lays one list beside another: the longest common part stays, around it what is missing and what is too much.
 *
 * @param textOf how an item is shown; one that both have as the actual list has it.
 */
export function compareLists<Item>(
  expected: Item[],
  actual: Item[],
  textOf: (item: Item) => string = String,
  isSame = (left: Item, right: Item): boolean => left === right,
): ListLine[] {
  return diffArrays(expected, actual, { comparator: isSame }).flatMap(({ added, removed, value }) =>
    value.map((item): ListLine => ({ mark: added ? '+' : removed ? '-' : ' ', text: textOf(item) })),
  );
}
