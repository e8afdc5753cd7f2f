/** The key of a retry: `k`, `k.r2`, `k.r3`, ... */
export function nextKey(id: string): string {
  const { base, number } = partsOf(id);
  return `${base}.r${number + 1}`;
}

/** All earlier keys that the suffix implies, the first one first; empty for a key without suffix. */
export function earlierKeys(id: string): string[] {
  const { base, number } = partsOf(id);
  return Array.from({ length: number - 1 }, (_, index) => (index === 0 ? base : `${base}.r${index + 1}`));
}

function partsOf(id: string): { base: string; number: number } {
  const [, base = id, number = '1'] = /^(.+?)(?:\.r([1-9]\d{0,3}))?$/.exec(id) ?? [];
  return { base, number: Number(number) };
}
