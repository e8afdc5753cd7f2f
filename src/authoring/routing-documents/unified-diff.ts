/** Unchanged lines shown around a change. */
const CONTEXT = 2;
/** Above this many pairs of lines the parts that differ are shown whole, one after the other. */
const MOST_PAIRS = 1_000_000;

type Edit = { sign: ' ' | '-' | '+'; text: string };

/**
 * The difference of two texts in the unified form, without the names of files; empty where there is none.
 *
 * Ends of lines are not compared.
 */
export function unifiedDiff(before: string, after: string): string[] {
  const edits = editsOf(before.split(/\r\n|\n|\r/), after.split(/\r\n|\n|\r/));
  const shown = edits.map((_, index) => edits.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(isChange));
  const lines: string[] = [];
  let [old, fresh] = [1, 1];
  for (let at = 0; at < edits.length; ) {
    let to = at;
    while (to < edits.length && shown[to] === shown[at]) to += 1;
    const part = edits.slice(at, to);
    const [removed, added] = [part.filter(({ sign }) => sign !== '+'), part.filter(({ sign }) => sign !== '-')];
    if (shown[at]) {
      lines.push(`@@ -${old},${removed.length} +${fresh},${added.length} @@`);
      for (const { sign, text } of part) lines.push(sign + text);
    }
    old += removed.length;
    fresh += added.length;
    at = to;
  }
  return lines;
}

function isChange({ sign }: Edit): boolean {
  return sign !== ' ';
}

/** What both begin and end with is left out of the search. */
function editsOf(before: readonly string[], after: readonly string[]): Edit[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const same = (text: string): Edit => ({ sign: ' ', text });
  return [
    ...before.slice(0, head).map(same),
    ...differing(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

/** By the longest common subsequence. */
function differing(before: readonly string[], after: readonly string[]): Edit[] {
  const removed = before.map((text): Edit => ({ sign: '-', text }));
  const added = after.map((text): Edit => ({ sign: '+', text }));
  if (before.length * after.length > MOST_PAIRS) return [...removed, ...added];
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const lengthAt = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const isSame = before[i] === after[j];
      lengths[i * width + j] = isSame ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const text = before[i];
    if (text !== undefined && text === after[j]) {
      edits.push({ sign: ' ', text });
      i += 1;
      j += 1;
    } else if (text !== undefined && (j === after.length || lengthAt(i + 1, j) >= lengthAt(i, j + 1))) {
      edits.push({ sign: '-', text });
      i += 1;
    } else {
      edits.push({ sign: '+', text: after[j] ?? '' });
      j += 1;
    }
  }
  return edits;
}
