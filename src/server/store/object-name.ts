/** Reserved first parts: files, uploads in progress and call marks. */
const TAKEN = new Set(['files', 'new', 'marks']);
/** Excludes two hexadecimal digits, which are folders of values. */
const FIRST = /^[a-z][a-z_-]{2,}$/;
/** No file system and no object store keeps longer parts. */
const MAX_IN_A_PART = 255;

/** Parts of an object name; none leads out of the store. @throws Error for an invalid one, which is a bug. */
export function partsOf(name: string): string[] {
  const parts = name.split('/');
  const [first = ''] = parts;
  if (parts.length > 1 && FIRST.test(first) && !TAKEN.has(first) && parts.every(isPart)) return parts;
  throw new Error(`${JSON.stringify(name)} is no name of an object in the store`);
}

/** The parts of a name that ends with `/`. @throws Error as {@link partsOf}. */
export function partsOfPrefix(prefix: string): string[] {
  if (prefix.endsWith('/')) return partsOf(`${prefix}x`).slice(0, -1);
  throw new Error(`${JSON.stringify(prefix)} does not end with /`);
}

function isPart(part: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  return !/^\.{0,2}$|[\\\u0000-\u001f\u007f]/.test(part) && Buffer.byteLength(part) <= MAX_IN_A_PART;
}
