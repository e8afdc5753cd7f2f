/** One line of a list that differs from another: in both, only expected, only there. */
export interface ListLine {
  mark: ' ' | '-' | '+';
  text: string;
}

/**
 * Lays one list beside another: the longest common part stays, around it what is missing and what is too much.
 *
 * @param isSame whether an expected item (by its place) is like a given one.
 */
export function compareLists(
  expected: readonly string[],
  actual: readonly string[],
  isSame = (left: number, right: number): boolean => expected[left] === actual[right],
): ListLine[] {
  const common = lengthsOfCommon(expected.length, actual.length, isSame);
  const lines: ListLine[] = [];
  let [left, right] = [0, 0];
  while (left < expected.length || right < actual.length) {
    const both = left < expected.length && right < actual.length;
    if (both && isSame(left, right)) {
      lines.push({ mark: ' ', text: actual[right] as string });
      left += 1;
      right += 1;
    } else if (right >= actual.length || (both && at(common, left + 1, right) >= at(common, left, right + 1))) {
      lines.push({ mark: '-', text: expected[left] as string });
      left += 1;
    } else {
      lines.push({ mark: '+', text: actual[right] as string });
      right += 1;
    }
  }
  return lines;
}

/** For each pair of places, how many items the rests of both lists have in common. */
function lengthsOfCommon(lefts: number, rights: number, isSame: (left: number, right: number) => boolean): number[][] {
  const lengths: number[][] = Array.from({ length: lefts + 1 }, () => new Array<number>(rights + 1).fill(0));
  for (let left = lefts - 1; left >= 0; left -= 1) {
    const row = lengths[left] as number[];
    for (let right = rights - 1; right >= 0; right -= 1) {
      row[right] = isSame(left, right)
        ? at(lengths, left + 1, right + 1) + 1
        : Math.max(at(lengths, left + 1, right), at(lengths, left, right + 1));
    }
  }
  return lengths;
}

function at(lengths: readonly number[][], left: number, right: number): number {
  return lengths[left]?.[right] ?? 0;
}
