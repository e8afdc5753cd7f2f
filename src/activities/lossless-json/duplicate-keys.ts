/**
 * Keys that an object of a JSON text has twice, at any depth, each once. `JSON.parse` silently keeps the last,
 * though the first may be the intended one. Keys are compared decoded: escapes make no difference. @param json
 * valid JSON.
 */
export function duplicateKeys(json: string): string[] {
  const found = new Set<string>();
  /** The keys of each open object; undefined for an open list. */
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

function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
