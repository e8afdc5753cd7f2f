// Reads the text form of protocol buffers, as far as the conformance suite of CEL uses it.

const TOKEN =
  /(?:\s|#[^\n]*)*(?:("(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*')|(\[[\w./]+\])(?=\s*[{:])|([-+]?[\w.]+(?:[-+]\d+)?)|([{}:<>[\],;]))/y;

/**
 * Reads a message: each field is a list of its values, in their order; a value is a text, a word or a message.
 *
 * @throws Error where the text is none.
 */
export function readTextproto(text) {
  const tokens = tokensOf(text);
  let at = 0;

  function message(close) {
    const fields = {};
    while (tokens[at] !== undefined && (close === undefined || tokens[at].sign !== close)) {
      const name = tokens[at].name ?? tokens[at].word;
      if (name === undefined) throw new Error(`A field has no name, but ${JSON.stringify(tokens[at])}`);
      at += 1;
      if (tokens[at]?.sign === ':') at += 1;
      fields[name] ??= [];
      fields[name].push(...values());
      if (tokens[at]?.sign === ',' || tokens[at]?.sign === ';') at += 1;
    }
    if (close !== undefined && tokens[at]?.sign !== close) throw new Error(`A message has no ${close}`);
    at += 1;
    return fields;
  }

  function values() {
    if (tokens[at]?.sign !== '[') return [value()];
    at += 1;
    const all = [];
    while (tokens[at]?.sign !== ']') {
      all.push(value());
      if (tokens[at]?.sign === ',') at += 1;
    }
    at += 1;
    return all;
  }

  function value() {
    const token = tokens[at];
    at += 1;
    if (token?.sign === '{' || token?.sign === '<') return message(token.sign === '{' ? '}' : '>');
    if (token?.word !== undefined) return { word: token.word };
    if (token?.text === undefined) throw new Error(`A value is ${JSON.stringify(token)}`);
    const parts = [token.text];
    while (tokens[at]?.text !== undefined) parts.push(tokens[at++].text);
    return { bytes: Buffer.concat(parts) };
  }

  return message(undefined);
}

function tokensOf(text) {
  const tokens = [];
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) {
      if (
        text
          .slice(at)
          .replace(/#[^\n]*/g, '')
          .trim() !== ''
      )
        throw new Error(`Not read: ${text.slice(at, at + 80)}`);
      return tokens;
    }
    at = TOKEN.lastIndex;
    const [, quoted, name, word, sign] = match;
    if (quoted !== undefined) tokens.push({ text: bytesOf(quoted.slice(1, -1)) });
    else if (name !== undefined) tokens.push({ name });
    else tokens.push(word !== undefined ? { word } : { sign });
  }
}

const ESCAPES = { n: 10, r: 13, t: 9, a: 7, b: 8, f: 12, v: 11 };

function bytesOf(quoted) {
  const parts = [];
  const pattern = /\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|([^\\]+)/gs;
  for (const [, octal, hex, short, long, plain, text] of quoted.matchAll(pattern)) {
    if (text !== undefined) parts.push(Buffer.from(text));
    else if (octal !== undefined) parts.push(Buffer.from([Number.parseInt(octal, 8)]));
    else if (hex !== undefined) parts.push(Buffer.from([Number.parseInt(hex, 16)]));
    else if (plain !== undefined) parts.push(Buffer.from([ESCAPES[plain] ?? plain.charCodeAt(0)]));
    else parts.push(Buffer.from(String.fromCodePoint(Number.parseInt(short ?? long, 16))));
  }
  return Buffer.concat(parts);
}
