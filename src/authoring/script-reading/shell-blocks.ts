import { blanked, type ShellText } from './shell-text.js';

/** A loop: `from` is the start of its keyword, `to` the end of `done`. */
export interface Loop {
  keyword: string;
  head: string;
  from: number;
  to: number;
}

export interface Case {
  word: string;
  from: number;
  to: number;
  arms: Arm[];
}

export interface Arm {
  patterns: string[];
  body: string;
  from: number;
  to: number;
}

/** Code in which `$1` is the script's first argument: without functions, except those that receive `"$@"`. */
export function ownCode({ code, bare }: ShellText): string {
  const functions = functionsIn(bare);
  const hidden = new Set(functions);
  for (;;) {
    const own = [...hidden].reduce((text, { from, to }) => blanked(text, from, to), code);
    const given = [...hidden].filter(({ name }) => isGivenAll(name, own));
    if (given.length === 0) return own;
    for (const one of given) hidden.delete(one);
  }
}

function isGivenAll(name: string, own: string): boolean {
  const word = name.replaceAll(/[^\w]/g, '\\$&');
  return new RegExp(`(^|[\\s;&|(\`])${word}\\s+("\\$@"|\\$@|"?\\$\\*"?|"?\\$\\{@\\}"?)`, 'm').test(own);
}

function functionsIn(bare: string): { name: string; from: number; to: number }[] {
  const heads = /(?:^|[;\n])[ \t]*(?:function\s+([\w:.-]+)\s*(?:\(\s*\))?|([\w:.-]+)\s*\(\s*\))\s*\{/g;
  return [...bare.matchAll(heads)].map((head) => {
    const open = head.index + head[0].length - 1;
    let depth = 0;
    let at = open;
    do {
      if (bare[at] === '{') depth += 1;
      if (bare[at] === '}') depth -= 1;
      at += 1;
    } while (depth > 0 && at < bare.length);
    return { name: head[1] ?? head[2] ?? '', from: head.index + (head[0].startsWith('\n') ? 1 : 0), to: at };
  });
}

const EDGE = '(?<=^|[\\s;&|({`])';
const BEHIND = '(?=$|[\\s;&|)}`])';

/** All loops of a script, inner ones before outer ones. */
export function loopsIn(bare: string): Loop[] {
  const open: { keyword: string; from: number; head: number }[] = [];
  const found: Loop[] = [];
  for (const { 0: word, index } of bare.matchAll(
    new RegExp(`${EDGE}(while|until|for|select|do|done)${BEHIND}`, 'gm'),
  )) {
    if (word === 'done') {
      const start = open.pop();
      if (start) found.push({ ...start, head: bare.slice(start.from, start.head), to: index + 4 });
    } else if (word === 'do') {
      const start = open.at(-1);
      if (start && start.head === start.from) start.head = index;
    } else open.push({ keyword: word, from: index, head: index });
  }
  return found;
}

export function casesIn({ raw, code, bare }: ShellText): Case[] {
  const open: number[] = [];
  const ranges: [number, number][] = [];
  for (const { 0: word, index } of bare.matchAll(new RegExp(`${EDGE}(case|esac)${BEHIND}`, 'gm'))) {
    const from = word === 'case' ? undefined : open.pop();
    if (word === 'case') open.push(index);
    else if (from !== undefined) ranges.push([from, index]);
  }
  return ranges.flatMap(([from, to]) => {
    const [head, word] = /^case\s+(.+?)\s+in(?=\s)/s.exec(code.slice(from, to)) ?? [];
    if (head === undefined || word === undefined) return [];
    const nested = ranges.filter(([start]) => start > from && start < to);
    const structure = nested.reduce((text, [start, end]) => blanked(text, start, end + 4), bare);
    return [{ word, from, to: to + 4, arms: armsIn({ raw, code }, structure, from + head.length, to) }];
  });
}

function armsIn({ raw, code }: Pick<ShellText, 'raw' | 'code'>, structure: string, from: number, to: number): Arm[] {
  const arms: Arm[] = [];
  let start = from;
  while (start < to) {
    const ends = /;;&?|;&/.exec(structure.slice(start, to));
    const end = ends ? start + ends.index : to;
    const [, lead = '', written] = /^(\s*\(?)([^)]*)\)/.exec(structure.slice(start, end)) ?? [];
    if (written !== undefined) {
      const at = start + lead.length;
      const patterns = raw
        .slice(at, at + written.length)
        .replaceAll(/#[^\n]*\n/g, '')
        .split('|');
      const body = at + written.length + 1;
      arms.push({
        patterns: patterns.map((pattern) => pattern.trim().replaceAll(/["'\\]/g, '')),
        body: code.slice(body, end),
        from: at,
        to: end,
      });
    }
    start = ends ? end + ends[0].length : to;
  }
  return arms;
}

/** `if [ "$1" = "-v" ] || [ "$1" = "--verbose" ]; then ..; shift`: arms in the form of conditions. */
export function conditionsIn({ raw, code }: ShellText): Arm[] {
  const heads = /(?<=^|[\s;])(?:if|elif)\s+([^;\n]*?"?\$\{?1\b[^;\n]*?)\s*[;\n]\s*then\b/g;
  return [...code.matchAll(heads)].flatMap((head) => {
    const [all, condition = ''] = head;
    const at = head.index + all.indexOf(condition);
    const written = raw.slice(at, at + condition.length);
    const compared = /\$\{?1\b[^}\s"]*\}?"?\s*==?\s*["']?(--?[A-Za-z?][\w-]*)["']?/g;
    const patterns = [...written.matchAll(compared)].map(([, flag = '']) => flag);
    const from = head.index + all.length;
    const end = /(?<=^|[\s;])(?:fi|elif|else)(?=$|[\s;])/m.exec(code.slice(from));
    const body = code.slice(from, end ? from + end.index : code.length);
    if (patterns.length === 0 || !/\bshift\b/.test(body)) return [];
    return [{ patterns, body, from: head.index, to: from + body.length }];
  });
}
