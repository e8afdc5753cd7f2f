import type { PlanArgument, PlanScript } from '../../contracts/plan.js';
import { literalsIn } from '../../rules/expressions/split-text.js';

/** A name in braces: `{input_file}`, `{credential:token}`, `{input.version}`, `{input.items[0].id}`. */
const NAME = String.raw`credential:[^{}]*|[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+|\[[^\[\]{}]*\])*`;

/** `\\{` is a backslash and a brace, `\{` a brace, `{name}` a placeholder. All other braces are text. */
const WRITTEN = new RegExp(String.raw`\\\\\{|\\\{|\{(${NAME})\}`, 'g');

/** The names of `{name}` in a text, but for escaped ones, in order. */
export function namesInBraces(text: string): string[] {
  return [...text.matchAll(WRITTEN)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

/** Replaces `{name}`, and `\{` by `{`; a name without a value stays. */
export function fillPlaceholders(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(WRITTEN, (all, name: string | undefined) => {
    if (name === undefined) return all.slice(1);
    return (Object.hasOwn(values, name) ? values[name] : undefined) ?? all;
  });
}

/** The placeholders for texts of a script. Each stays within its argument. */
export const PLACEHOLDERS = [
  'input_file',
  'output_file',
  'output_dir',
  'payload',
  'task_key',
  'idempotency_key',
  'pinned',
] as const;

const OWN = new RegExp(String.raw`\\?\{(${PLACEHOLDERS.join('|')})\}`, 'g');

/** Replaces only {@link PLACEHOLDERS}, since braces are usual here; `\{payload}` becomes `{payload}`. */
export function fillOwnPlaceholders(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(OWN, (all, name: string) => {
    if (all.startsWith('\\')) return all.slice(1);
    return (Object.hasOwn(values, name) ? values[name] : undefined) ?? all;
  });
}

/** The names that {@link fillOwnPlaceholders} would replace, all of {@link PLACEHOLDERS}. */
export function ownNamesIn(text: string): string[] {
  return [...text.matchAll(OWN)].flatMap(([all, name]) => (all.startsWith('\\') || name === undefined ? [] : [name]));
}

/** Unescapes `\{`, for texts in which no placeholders are replaced. */
export function withPlainBraces(text: string): string {
  return text.replaceAll(WRITTEN, (all, name: string | undefined) => (name === undefined ? all.slice(1) : all));
}

type Texts = Pick<PlanScript, 'args' | 'stdin' | 'variables'>;

/** Whether a script may, under any condition, get an output file; else stdout is the output. */
export function writesFile(texts: Texts): boolean {
  return holdsName(texts, 'output_file');
}

/** Whether a script may receive a folder to write files into, under any condition. */
export function writesFolder(texts: Texts): boolean {
  return holdsName(texts, 'output_dir');
}

type Name = (typeof PLACEHOLDERS)[number];

function holdsName({ args, stdin, variables = {} }: Texts, name: Name): boolean {
  const texts = [...(stdin === undefined ? [] : [stdin]), ...Object.values(variables)];
  return (
    args.some((item) => isNamed(item, name)) ||
    texts.some((text) => literalsIn(text).some((part) => ownNamesIn(part).includes(name)))
  );
}

function isNamed(item: PlanArgument, name: Name): boolean {
  if (typeof item === 'string') return namesInBraces(item).includes(name);
  if ('items' in item) return item.items.some((inner) => isNamed(inner, name));
  return literalsIn(item.value).some((part) => namesInBraces(part).includes(name));
}
