const MOST_BYTES = 255;

/**
 * A name that may stand for a file everywhere: without folders and control characters, and not `.` or `..`.
 *
 * @param name as a script, a service or a server gave it.
 */
export function safeFileName(name: string): string {
  const plain = name.replaceAll(/[/\\\p{Cc}\p{Cs}]/gu, '_').trim();
  if (plain === '' || plain === '.' || plain === '..') return 'file';
  return shortened(plain);
}

/** File systems count bytes; the ending stays, since programs go by it. */
function shortened(name: string): string {
  const { length } = new TextEncoder().encode(name);
  if (length <= MOST_BYTES) return name;
  const [ending = ''] = /\.[A-Za-z0-9.]{1,20}$/.exec(name) ?? [];
  let stem = [...name.slice(0, name.length - ending.length)];
  while (new TextEncoder().encode(stem.join('') + ending).length > MOST_BYTES) stem = stem.slice(0, -1);
  return stem.join('') + ending;
}
