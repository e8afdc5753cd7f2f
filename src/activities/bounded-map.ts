/** Sets an entry, dropping the oldest where there are too many. */
export function put<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  if (map.size >= most) map.delete(map.keys().next().value as K);
  map.set(key, value);
}
