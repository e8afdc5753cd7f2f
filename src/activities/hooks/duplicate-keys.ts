/**
 * The keys that one object of a JSON text has twice, at any depth, each once.
 *
 * `JSON.parse` silently keeps the last of them, and the first may be the intended one. Keys are compared after
 * decoding, so that an escaped letter makes no difference.
 *
 * @param json a text that `JSON.parse` has accepted: nothing else is checked here.
 */
export function duplicateKeys(json: string): string[] {
  const found = new Set<string>();
  /** The keys of each object that is open; a list has none. */
  const open: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case '{':
        open.push(new Set());
        isKeyNext = true;
        break;
      case '[':
        open.push(undefined);
        isKeyNext = false;
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        isKeyNext = open.at(-1) !== undefined;
        break;
      case '"': {
        const end = endOfText(json, at);
        const keys = open.at(-1);
        if (isKeyNext && keys) {
          const key = String(JSON.parse(json.slice(at, end + 1)));
          if (keys.has(key)) found.add(key);
          keys.add(key);
        }
        isKeyNext = false;
        at = end;
      }
    }
  }
  return [...found];
}

/** Where the text that begins at a quote has its last one. */
function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
