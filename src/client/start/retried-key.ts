/** The key of the task that tries another one again: `k`, `k.r2`, `k.r3`, ... */
export function nextKey(id: string): string {
  const { base, number } = partsOf(id);
  return `${base}.r${number + 1}`;
}

/** The keys that come before one by their names alone, the first one first; none for a first one. */
export function earlierKeys(id: string): string[] {
  const { base, number } = partsOf(id);
  return Array.from({ length: number - 1 }, (_, index) => (index === 0 ? base : `${base}.r${index + 1}`));
}

function partsOf(id: string): { base: string; number: number } {
  const [, base = id, number = '1'] = /^(.+?)(?:\.r([1-9]\d{0,3}))?$/.exec(id) ?? [];
  return { base, number: Number(number) };
}
