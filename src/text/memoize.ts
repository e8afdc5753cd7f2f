/** Computes once per object, which must not change afterwards; results are garbage-collected with it. */
export function memoize<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const seen = known.get(key) ?? { value: compute(key) };
    known.set(key, seen);
    return seen.value;
  };
}
