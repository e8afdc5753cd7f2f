/** Three views of a shell script. All have the same length, so that an index is valid in each. */
export interface ShellText {
  raw: string;
  /** Blanks in place of comments, here-documents and single-quoted text. */
  code: string;
  /** Double-quoted text is blank, too: only the structure remains. */
  bare: string;
}

/** Masks quotes, comments and here-documents of a shell script. */
export function shellText(raw: string): ShellText {
  const code = raw.split('');
  const bare = raw.split('');
  const hide = (from: number, to: number, alsoInCode: boolean): void => {
    for (let at = from; at < to; at += 1) {
      if (raw[at] === '\n') continue;
      bare[at] = ' ';
      if (alsoInCode) code[at] = ' ';
    }
  };
  /** `"` inside of double quotes, `(` inside of `$( )`, `{` inside of `${ }` in double quotes. */
  const around: ('"' | '(' | '{' | '`')[] = [];
  const waiting: { word: string; isIndented: boolean }[] = [];
  let at = 0;
  while (at < raw.length) {
    const char = raw.charAt(at);
    const inside = around.at(-1);
    if (char === '\\') {
      if (inside === '"') hide(at, at + 2, false);
      else if (raw[at + 1] !== '\n') hide(at, at + 2, true);
      at += 2;
    } else if (raw.startsWith('$(', at) && inside !== '{') {
      around.push('(');
      at += 2;
    } else if (char === '`' && (inside === '"' || inside === '`')) {
      if (inside === '`') around.pop();
      else around.push('`');
      at += 1;
    } else if (inside === '"' || inside === '{') {
      const closes = inside === '"' ? '"' : '}';
      if (char === closes) around.pop();
      else if (raw.startsWith('${', at)) {
        around.push('{');
        hide(at, at + 1, false);
        at += 1;
      }
      hide(at, at + 1, false);
      at += 1;
    } else if (char === '"') {
      around.push('"');
      hide(at, at + 1, false);
      at += 1;
    } else if (char === "'") {
      const end = endOf(raw, "'", at + 1);
      hide(at + 1, end, true);
      at = end + 1;
    } else if (char === '#' && /[\s;(&|]|^$/.test(raw.charAt(at - 1))) {
      const end = endOf(raw, '\n', at);
      hide(at, end, true);
      at = end;
    } else if (char === '(' && inside === '(') {
      around.push('(');
      at += 1;
    } else if (char === ')' && inside === '(') {
      around.pop();
      at += 1;
    } else if (char === '\n' && waiting.length > 0) {
      at = skipDocuments(at + 1);
    } else {
      const [, dash = '', , word] = /^<<(-?)\s*(["'\\]?)([A-Za-z_]\w*)/.exec(raw.slice(at, at + 80)) ?? [];
      if (word !== undefined && raw[at - 1] !== '<') waiting.push({ word, isIndented: dash === '-' });
      at += 1;
    }
  }
  return { raw, code: code.join(''), bare: bare.join('') };

  function skipDocuments(from: number): number {
    let start = from;
    for (const { word, isIndented } of waiting.splice(0)) {
      const ends = new RegExp(`^${isIndented ? '\\t*' : ''}${word}[ \\t]*$`, 'm');
      const found = ends.exec(raw.slice(start));
      const end = found ? start + found.index + found[0].length : raw.length;
      hide(start, end, true);
      start = end;
    }
    return start;
  }
}

function endOf(raw: string, mark: string, from: number): number {
  const end = raw.indexOf(mark, from);
  return end < 0 ? raw.length : end;
}

/** Replaces a range by blanks, except for its line breaks. */
export function blanked(text: string, from: number, to: number): string {
  return text.slice(0, from) + text.slice(from, to).replaceAll(/[^\n]/g, ' ') + text.slice(to);
}

/** From 1. */
export function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
