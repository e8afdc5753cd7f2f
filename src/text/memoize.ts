/**
 * A function that computes its result once for each object, which must not change after that. Results are garbage-collected with their
 * objects.
 */
export function memoize<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const seen = known.get(key) ?? { value: compute(key) };
    known.set(key, seen);
    return seen.value;
  };
}
