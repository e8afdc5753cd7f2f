const SIMPLE: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', e: '\x1b', f: '\f', v: '\v' };

/** The text of `$'..'`, from its first quote on: its text, and how many letters it takes. */
export function readDollarQuote(rest: string): { text: string; length: number; closed: boolean } {
  let text = '';
  for (let at = 1; at < rest.length; at += 1) {
    const letter = rest[at] as string;
    if (letter === "'") return { text, length: at + 1, closed: true };
    if (letter !== '\\') {
      text += letter;
      continue;
    }
    const after = rest.slice(at + 1);
    const code = /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3}))/.exec(after);
    if (code) {
      const [whole, x, u, U, octal] = code;
      const point = octal === undefined ? Number.parseInt(x ?? u ?? U ?? '0', 16) : Number.parseInt(octal, 8) % 256;
      text += point <= 0x10ffff ? String.fromCodePoint(point) : '';
      at += whole.length;
    } else {
      text += SIMPLE[after[0] ?? ''] ?? after[0] ?? '';
      at += 1;
    }
  }
  return { text, length: rest.length, closed: false };
}
