import type { Parameter } from './reading.js';
import { casesIn } from './shell-blocks.js';
import type { ShellText } from './shell-text.js';

export interface VariableSays {
  default?: string;
  isRequired?: boolean;
  isNumber?: boolean;
  choices?: string[];
}

const LEAVES = /\b(exit|die|usage|return|fatal|fail|abort|error|err|help|show_help|print_usage|show_usage)\b/i;

/** @param before the index from which the variable may hold the argument. */
export function saysOf(name: string, text: ShellText, own: string, before: number): VariableSays {
  const preset = plainValue(name, text, own, before);
  const choices = choicesOf(name, text);
  const isRequired =
    !preset && !isSetBefore(name, own, before) && isRefusedEmpty(`\\$\\{?${name}\\b[^}"\\s]*\\}?`, text.code, name);
  const later = isRequired ? undefined : setWhenEmpty(name, text);
  const fallback = preset || later;
  const isFitting = fallback && (!choices || choices.includes(fallback));
  return {
    ...(isFitting && { default: fallback }),
    ...(isRequired && { isRequired }),
    ...(isNumber(name, text.code) && (!fallback || /^-?\d+$/.test(fallback)) && { isNumber: true }),
    ...(choices && { choices }),
  };
}

/** The last literal value that the variable gets before an index. */
function plainValue(name: string, { raw }: ShellText, own: string, before: number): string | undefined {
  const set = new RegExp(
    `^[ \\t]*(?:(?:local|declare|readonly|export|typeset)\\s+(?:-\\w+\\s+)?)?${name}=("[^"$\`\\\\\\n]*"|'[^'\\n]*'|[^\\s;"'$\`()]*)[ \\t]*(?:[;#].*)?$`,
    'gm',
  );
  const found = [...raw.slice(0, before).matchAll(set)].filter(({ index, 0: line }) =>
    own.slice(index, index + line.length).includes(`${name}=`),
  );
  const value = found.at(-1)?.[1]?.replaceAll(/^["']|["']$/g, '');
  // A variable that is set again with an expression has no readable default.
  const again = new RegExp(`^[ \\t]*${name}=.*[$\`]`, 'm').test(own.slice(found.at(-1)?.index ?? 0, before));
  return again || value === '' ? undefined : value;
}

function isSetBefore(name: string, own: string, before: number): boolean {
  return new RegExp(`(?:^|[\\s;])${name}=(?!""|\\s|;|$|"?\\$\\{?[1-9@]|"?\\$\\{${name}\\b)`, 'm').test(
    own.slice(0, before),
  );
}

/** Whether the script exits if the value is empty. @param reference pattern for the value. */
export function isRefusedEmpty(reference: string, code: string, name?: string): boolean {
  if (name !== undefined && new RegExp(`\\$\\{${name}:?\\?`).test(code)) return true;
  const tests = [
    `-z\\s+"?${reference}"?(?=[\\s\\]])`,
    `"?${reference}"?\\s+={1,2}\\s+["']{2}`,
    `"?x${reference}"?\\s+={1,2}\\s+"?x"?(?=[\\s\\]])`,
    `!\\s+-n\\s+"?${reference}"?(?=[\\s\\]])`,
  ];
  for (const { index } of code.matchAll(new RegExp(tests.join('|'), 'g'))) {
    const lineStart = code.lastIndexOf('\n', index) + 1;
    const rest = code.slice(index);
    const isBlock = /^\s*(?:el)?if\b|^\s*while\b/.test(code.slice(lineStart, index));
    const all = isBlock
      ? (/^[\s\S]*?\n?[^\n]*\b(?:fi|else|elif)\b/.exec(rest)?.[0] ?? rest)
      : rest.split(/\n(?!\s*(?:&&|\|\|))/)[0];
    const [condition = '', action = ''] = isBlock ? splitOnce(all ?? '', /\bthen\b/) : splitOnce(all ?? '', /\]\]?/);
    const isOneOfSeveral =
      /(&&|-a)[^|]*(-z|==?\s*"")/.test(condition) ||
      /(-z|==?\s*"")[^|]*(&&|-a)\s*[^|]*$/.test(isBlock ? code.slice(lineStart, index) : '');
    if (!isOneOfSeveral && LEAVES.test(action)) return true;
  }
  return (
    name !== undefined &&
    new RegExp(`-n\\s+"?\\$\\{?${name}\\}?"?\\s*\\]\\]?\\s*\\|\\|\\s*(\\{\\s*)?[^\\n]*${LEAVES.source}`, 'i').test(code)
  );
}

function splitOnce(text: string, at: RegExp): [string, string] {
  const found = at.exec(text);
  return found ? [text.slice(0, found.index), text.slice(found.index)] : [text, ''];
}

/** `if [ -z "$port" ]; then port=443`, `port=${port:-443}`, `: "${port:=443}"`. */
function setWhenEmpty(name: string, { code }: ShellText): string | undefined {
  const filled = new RegExp(`\\$\\{${name}:?[-=]([\\w./:@+-]+)\\}`).exec(code)?.[1];
  const tested = new RegExp(
    `-z\\s+"?\\$\\{?${name}[^\\n]*\\n?[^\\n]*\\b${name}="?([\\w./:@+-]+)"?\\s*(?:[\\n;}]|$)`,
  ).exec(code)?.[1];
  return filled ?? tested;
}

function isNumber(name: string, code: string): boolean {
  const compared = new RegExp(
    `"?\\$\\{?${name}\\}?"?\\s+-(?:lt|le|gt|ge|eq|ne)\\s|\\s-(?:lt|le|gt|ge|eq|ne)\\s+"?\\$\\{?${name}\\}?"?(?=[\\s;\\]])`,
  );
  return (
    compared.test(code) ||
    new RegExp(
      `\\(\\([^()\\n]*\\b${name}\\b\\s*(?:[<>]=?|[-*/%])[^()\\n]*\\)\\)|\\(\\([^()\\n]*(?:[<>]=?|[-*/%])\\s*\\$?\\{?${name}\\b[^()\\n]*\\)\\)`,
    ).test(code)
  );
}

/** The valid values: the arms of a `case` that exits for all others, or the words it is compared with. */
function choicesOf(name: string, text: ShellText): string[] | undefined {
  for (const { word, arms } of casesIn(text)) {
    if (new RegExp(`^"?\\$\\{?${name}(?::?-)?\\}?"?$`).test(word)) {
      const words = choicesIn(arms);
      if (words) return words;
    }
  }
  const against = new RegExp(`"?\\$\\{?${name}\\}?"?\\s*!=\\s*["']?([\\w.-]+)["']?`, 'g');
  for (const line of text.raw.split('\n')) {
    const words = [...line.matchAll(against)].map(([, word = '']) => word);
    if (words.length > 1 && line.includes('&&') && /\b(if|exit|die|usage)\b/.test(line)) return words;
  }
  return undefined;
}

/** The words of a `case` whose `*` arm exits. */
export function choicesIn(arms: readonly { patterns: string[]; body: string }[]): string[] | undefined {
  const last = arms.find(({ patterns }) => patterns.includes('*'));
  if (!last || !LEAVES.test(last.body)) return undefined;
  const words = arms
    .filter((arm) => arm !== last)
    .flatMap(({ patterns }) => patterns)
    .filter((word) => word !== '' && word !== 'help' && !word.startsWith('-'));
  return words.length > 0 && words.every((word) => /^[\w.:-]+$/.test(word)) ? words : undefined;
}

/** Whether commands end the script, or at least the function. */
export function leaves(body: string): boolean {
  return LEAVES.test(body);
}

export function asParameter(
  says: VariableSays,
): Pick<Parameter, 'type' | 'default' | 'choices'> & { isRequired?: boolean } {
  const isNumber = says.isNumber && !says.choices;
  return {
    type: isNumber ? 'integer' : 'string',
    ...(says.default !== undefined && { default: isNumber ? Number(says.default) : says.default }),
    ...(says.choices && { choices: says.choices }),
    ...(says.isRequired && { isRequired: true }),
  };
}
