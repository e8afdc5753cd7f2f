import { type Found, inputName, type Parameter } from './reading.js';
import { casesIn, ownCode } from './shell-blocks.js';
import { shellFlags } from './shell-flags.js';
import { helpFor, namesInUsage } from './shell-help.js';
import { lineAt, type ShellText, shellText } from './shell-text.js';
import { asParameter, choicesIn, isRefusedEmpty, leaves, saysOf } from './shell-variables.js';

/** The arguments of a shell script: `getopts`, loops with `case`, `$1` and `"$@"`. */
export function readShell(raw: string): Found {
  const text = shellText(raw);
  const own = ownCode(text);
  const { flags, places, knowsEnd, todos, rest, collected } = shellFlags(text, own);
  const read = shellPlaces(text, rest, collected);
  // Arguments that a loop collects and `set --` restores are read by position.
  const kept = read.isCollected && read.places.length > 0 ? [] : places;
  const taken = new Set(kept.map(({ name }) => name));
  const parts = [
    ...flags,
    ...kept,
    ...read.places.filter(({ name, takes }) => !taken.has(name) && !(kept.length > 0 && takes === 'several')),
  ];
  return {
    commands: [{ words: [], parts, knowsEnd }],
    todos: [...todos, ...questionsIn(text.raw, text.code), ...indirectIn(own)],
  };
}

function questionsIn(raw: string, code: string): string[] {
  return [...code.matchAll(/(?<=^|[\s;&|({])read\b[^\n;|]*\s-\w*p\b|(?<=^|[\s;&|({])select\s+\w+\s+in\b/gm)].map(
    ({ index }) =>
      `line ${lineAt(raw, index)}: the script asks at the terminal; write in \`stdin\` what to answer, or pass the option that leaves the question out`,
  );
}

/** Reports indirect references to arguments, which only a run can resolve. */
function indirectIn(own: string): string[] {
  const found = /\$\{!(?:i|n|idx|index|OPTIND|\w*arg\w*|#)\}|\$\{@:(?!\$?\{?OPTIND|1\}|2\})[^}]*\}|\$\{BASH_ARGV/i.exec(
    own,
  );
  return found ? [`line ${lineAt(own, found.index)}: add the arguments that \`${found[0]}\` reads`] : [];
}

interface Mention {
  index: number;
  at: number;
  written: string;
  /** The total of all `shift`s before it. */
  moved: number;
}

/** Positional arguments: `$1`, `${2:-x}`, `"$@"`; also flags that the script compares with `$1`. */
function shellPlaces(
  text: ShellText,
  rest: string,
  collected: readonly string[],
): { places: Parameter[]; isCollected: boolean } {
  const { mentions, all, isCollected } = mentionsIn(rest, collected);
  const names = namesInUsage(text.raw);
  const least = leastCount(rest);
  const highest = Math.min(9, Math.max(0, ...mentions.map(({ index }) => index)));
  const places = Array.from({ length: highest }, (_, at) => at + 1).flatMap((index) => {
    const mine = mentions.filter((mention) => mention.index === index);
    return placeOf(index, mine, { text, rest, least, name: names[index - 1] });
  });
  const isMany = all !== undefined && !places.some(({ flag }) => flag);
  const many = all === '' ? (names[highest] ?? 'args') : all;
  const needed = least !== undefined && least > highest;
  const last: Parameter[] = isMany
    ? [
        {
          name: inputName(many ?? 'args'),
          takes: 'several',
          type: 'string',
          isRequired: needed,
          ...(needed && { items: { min: least - highest } }),
        },
      ]
    : [];
  // If all arguments are one list, reading the first is part of reading the list.
  const isWhole = last.length > 0 && places.length > 0 && !/\bshift\b/.test(rest);
  const required = places.filter(({ isRequired }) => isRequired).length;
  const whole = last.map((one) => (required > 0 ? { ...one, isRequired: true, items: { min: required } } : one));
  return { places: isWhole ? whole : [...places, ...last], isCollected };
}

function mentionsIn(rest: string, collected: readonly string[]) {
  const mentions: Mention[] = [];
  let all: string | undefined;
  let moved = 0;
  let isCollected = false;
  const words =
    /\$([1-9])(?!\d)|\$\{([1-9])([^}]*)\}|(?<![\w$])(shift)\b(?:[ \t]+(\d+))?|\bset[ \t]+--[ \t]*([^\n;]*)|\$@|\$\*|\$\{@[^}]*\}|\bfor[ \t]+(\w+)[ \t]*(?:;|\n)[ \t]*do\b/g;
  for (const match of rest.matchAll(words)) {
    const [written, plain, braced, , shift, count, set, loop] = match;
    const line = rest.slice(rest.lastIndexOf('\n', match.index) + 1, match.index);
    if (set !== undefined) {
      const list = /^"?\$\{(\w+)\[@\]/.exec(set)?.[1];
      if (list === undefined || !collected.includes(list)) break;
      isCollected = true;
      moved = 0;
    } else if (shift) {
      if (!/OPTIND/.test(rest.slice(match.index, match.index + 30))) moved += Number(count ?? 1);
    } else if (plain ?? braced) {
      mentions.push({ index: Number(plain ?? braced) + moved, at: match.index, written, moved });
    } else if (!/\b(echo|printf|log\w*|warn\w*|info|debug|die|error|eval)\b/.test(line)) {
      // A function that receives all arguments reads them itself.
      const isHandedOn =
        /^[\s\S]*(^|[;&|(]|\bif|\bthen)\s*[\w:.-]+\s+"?$/.test(line) &&
        new RegExp(`(^|\\n)[ \\t]*(function[ \\t]+)?${/([\w:.-]+)\s+"?$/.exec(line)?.[1] ?? '-'}[ \\t]*\\(`).test(rest);
      const named = loop ?? /\bfor\s+(\w+)\s+in\s+"?$/.exec(line)?.[1];
      if (!isHandedOn) all ??= named ?? '';
    }
  }
  return { mentions, all, isCollected };
}

/** The minimum number of arguments: with fewer, the script visibly exits. */
function leastCount(rest: string): number | undefined {
  const counts: number[] = [];
  const tests = /"?\$(?:#|\{#\})"?\s*(-lt|-ne|-le|-eq|!=|==?|<=?)\s*"?(\d+)"?/g;
  for (const match of rest.matchAll(tests)) {
    const [all, sign = '', number = '0'] = match;
    const after =
      rest.slice(match.index + all.length, match.index + all.length + 400).split(/\b(?:fi|else|elif)\b/)[0] ?? '';
    const isTight = !/\n[\s\S]*\n[\s\S]*\n[\s\S]*\n[\s\S]*\n[\s\S]*\n/.test(after);
    if (!leaves(after) || !isTight) continue;
    const count = Number(number);
    if (/^(-lt|<|-ne|!=)$/.test(sign)) counts.push(count);
    else if (/^(-le|<=)$/.test(sign)) counts.push(count + 1);
    else if (count === 0) counts.push(1);
  }
  return counts.length > 0 ? Math.min(...counts) : undefined;
}

interface Around {
  text: ShellText;
  rest: string;
  least: number | undefined;
  name: string | undefined;
}

function placeOf(index: number, mentions: readonly Mention[], { text, rest, least, name }: Around): Parameter[] {
  const looked = mentions.map(({ at, written }) => comparedWith(at, written, text));
  const flags = looked.filter((flag) => flag !== undefined);
  const isHelpOnly = (flag: string): boolean => /^--?(h|help|version|V|\?)$/.test(flag);
  const others = mentions.filter((_, at) => looked[at] === undefined);
  if (mentions.length > 0 && others.length === 0) {
    return [...new Set(flags)]
      .filter((flag) => !isHelpOnly(flag))
      .map((flag) => {
        const help = helpFor(flag, text, undefined);
        return {
          name: inputName(flag),
          flag,
          takes: 'nothing',
          type: 'string',
          isRequired: false,
          ...(help !== undefined && { help }),
        };
      });
  }
  const held = others.map(({ at, written }) => heldBy(at, written, rest)).find((one) => one !== undefined);
  const says = held === undefined ? {} : saysOf(held.name, text, rest, held.at);
  const own = ownWords(others, text, rest);
  const fallback = own.default ?? says.default;
  const choices = own.choices ?? says.choices;
  const isNeeded = own.isRequired || says.isRequired === true || (least !== undefined && index <= least);
  const isLeft = own.isOptional || fallback !== undefined || (least !== undefined && index > least);
  const parameter = asParameter({
    ...says,
    ...(choices && { choices }),
    ...(fallback !== undefined && !isNeeded && (!choices || choices.includes(fallback)) && { default: fallback }),
  });
  if (isNeeded) delete parameter.default;
  return [
    {
      ...parameter,
      name: inputName(held?.name ?? name ?? `arg${index}`),
      takes: 'one',
      isRequired: isNeeded || !isLeft,
    },
  ];
}

/** The flag in `[ "$1" = "--dry-run" ]`. */
function comparedWith(at: number, written: string, { raw }: ShellText): string | undefined {
  return /^["}]?\s*==?\s*["']?(--?[A-Za-z?][\w-]*)["']?/.exec(raw.slice(at + written.length))?.[1];
}

/** `host=$1`, `local file="${1:-x}"`: the variable that the argument is assigned to. */
function heldBy(at: number, written: string, rest: string): { name: string; at: number } | undefined {
  const name = /(?:^|[\s;&|(])([A-Za-z_]\w*)="?$/.exec(rest.slice(Math.max(0, at - 60), at))?.[1];
  const isWhole = /^"?(?=[\s;&|)]|$)/.test(rest.slice(at + written.length));
  return name !== undefined && isWhole ? { name, at } : undefined;
}

function ownWords(mentions: readonly Mention[], text: ShellText, rest: string) {
  let fallback: string | undefined;
  let isOptional = false;
  let isRequired = false;
  let choices: string[] | undefined;
  for (const { at, written } of mentions) {
    const [, operator = '', word = ''] = /^\$\{\d(:?[-=?+])?(.*)\}$/s.exec(written) ?? [];
    if (operator.endsWith('?')) isRequired = true;
    else if (operator !== '') {
      isOptional = true;
      const plain = word.replaceAll(/^["']|["']$/g, '');
      if (operator !== '+' && plain !== '' && !/[$`"']/.test(plain)) fallback ??= plain;
    }
    const around = rest.slice(Math.max(0, at - 12), at);
    if (/-n\s+"?$/.test(around)) isOptional = true;
    const reference = written.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    if (/-z\s+"?$|"?x$|\[\s+"?$|!\s+"?$/.test(around)) {
      const here = rest.slice(Math.max(0, rest.lastIndexOf('\n', at)), at + 600);
      if (isRefusedEmpty(reference, here)) isRequired = true;
      else if (/-z\s+"?$/.test(around)) isOptional = true;
    }
    choices ??= casesIn(text)
      .filter(({ from }) => at > from && at - from < 12)
      .map(({ arms }) => choicesIn(arms))[0];
  }
  return { default: fallback, isOptional: isOptional && !isRequired, isRequired, choices };
}
