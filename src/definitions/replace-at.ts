/** A copy of a value of JSON with another one at a path, which leads to a value that is there. */
export function replaceAt<Value>(value: Value, path: readonly PropertyKey[], other: unknown): Value {
  const [key, ...rest] = path;
  if (key === undefined) return other as Value;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === key ? replaceAt(item, rest, other) : item)) as Value;
  }
  const at = (value as Record<PropertyKey, unknown>)[key];
  return { ...value, [key]: replaceAt(at, rest, other) };
}
