/** Computes once per object, which must not change afterwards; results are garbage-collected with it. */
export function memoize<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const seen = known.get(key) ?? { value: compute(key) };
    known.set(key, seen);
    return seen.value;
  };
}

/** Computes once per text. @param max of the results that are kept; one more, and all are forgotten. */
export function memoizeText<Value>(max: number, compute: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, { value: Value }>();
  return (text) => {
    const before = known.get(text);
    if (before) return before.value;
    const value = compute(text);
    if (known.size >= max) known.clear();
    known.set(text, { value });
    return value;
  };
}
