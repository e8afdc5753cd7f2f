import { diffArrays } from 'diff';

/** One line of a list that differs from another: in both, only expected, only there. */
export interface ListLine {
  mark: ' ' | '-' | '+';
  text: string;
}

/** Compares two lists. @param textOf shows an item; common items are shown as in the actual list. */
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
