import { type ImportSite, lineCounter } from './import-site.js';

const ITEM = String.raw`[\w.]+(?:[ \t]+as[ \t]+\w+)?`;
const IMPORT = new RegExp(String.raw`(?:^|[;:])[ \t]*import[ \t]+(${ITEM}(?:[ \t]*,[ \t]*${ITEM})*)`, 'gm');
const FROM = /(?:^|[;:])[ \t]*from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]*\bimport\b[ \t]*(\([^)]*\)|[^\n;]*)/gm;
const BY_NAME = /(?:\bimport_module|\b__import__)\s*\(/g;

/** Finds `import a.b`, `from a import b`, `from . import b` and `import_module("a")`. */
export function pythonImports(text: string): ImportSite[] {
  // Keeps the length, so that line numbers match the text.
  const code = blanked(text).replaceAll('\\\n', '  ');
  return [...plainImports(code, text), ...fromImports(code, text), ...importsByName(code, text)].sort(
    (a, b) => a.line - b.line,
  );
}

function plainImports(code: string, text: string): ImportSite[] {
  const lineOf = lineCounter(text);
  return [...code.matchAll(IMPORT)].flatMap(({ 0: all, 1: items = '', index }) => {
    const line = lineOf(index + all.search(/\bimport\b/));
    return items.split(',').map((item): ImportSite => {
      const module = item.trim().split(/\s/, 1)[0] ?? '';
      return { line, text: module, wanted: { kind: 'python', level: 0, module, names: [] } };
    });
  });
}

function fromImports(code: string, text: string): ImportSite[] {
  const lineOf = lineCounter(text);
  return [...code.matchAll(FROM)].map(({ 0: all, 1: dots = '', 2: module = '', 3: list = '', index }) => {
    const items = list.replaceAll(/[()]/g, '').split(',');
    const names = items.map((item) => item.trim().split(/\s/, 1)[0] ?? '').filter((name) => /^\w+$/.test(name));
    const line = lineOf(index + all.search(/\bfrom\b/));
    return { line, text: `${dots}${module}`, wanted: { kind: 'python', level: dots.length, module, names } };
  });
}

function importsByName(code: string, text: string): ImportSite[] {
  const lineOf = lineCounter(text);
  return [...code.matchAll(BY_NAME)].map(({ 0: all, index }) => {
    const line = lineOf(index);
    const [, , module] = /^\s*(['"])([\w.]+)\1\s*\)/.exec(text.slice(index + all.length)) ?? [];
    if (module === undefined) return { line, text: `${all.trim()}...)`, wanted: { kind: 'computed' } };
    return { line, text: module, wanted: { kind: 'python', level: 0, module, names: [] } };
  });
}

/** Blanks strings and comments; length and lines stay the same. */
function blanked(text: string): string {
  let code = '';
  let at = 0;
  while (at < text.length) {
    const end = endOfText(text, at);
    if (end === at) {
      code += text[at];
      at += 1;
    } else {
      code += text.slice(at, end).replaceAll(/[^\n]/g, ' ');
      at = end;
    }
  }
  return code;
}

/** The end of the string or comment that begins here; `from` if there is none. */
function endOfText(text: string, from: number): number {
  const character = text[from];
  if (character === '#') {
    const end = text.indexOf('\n', from);
    return end < 0 ? text.length : end;
  }
  if (character !== '"' && character !== "'") return from;
  const isLong = text.startsWith(character.repeat(3), from);
  const quote = isLong ? character.repeat(3) : character;
  for (let at = from + quote.length; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text.startsWith(quote, at)) return at + quote.length;
    else if (text[at] === '\n' && !isLong) return at;
  }
  return text.length;
}
