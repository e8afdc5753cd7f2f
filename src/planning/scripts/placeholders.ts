import type { PlanArgument, PlanScript } from '../../contracts/plan.js';
import { splitText } from '../../rules/expressions/split-text.js';
import { isSinceEngine2 } from '../../rules/plans/engine-version.js';

/** A name in braces: `{input_file}`, `{credential:token}`, `{input.version}`, `{input.items[0].id}`. */
const NAME = String.raw`credential:[^{}]*|[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+|\[[^\[\]{}]*\])*`;

/** `\\{` is a backslash and a brace, `\{` a brace, `{name}` a placeholder. All other braces are text. */
const WRITTEN = new RegExp(String.raw`\\\\\{|\\\{|\{(${NAME})\}`, 'g');

/** Placeholders in plans of engine 1, which cannot escape a brace. */
const WRITTEN_FIRST = /\{([a-z_]+)\}/g;

/** The names of `{name}` in a text, but for escaped ones, in order. */
export function namesInBraces(text: string): string[] {
  return [...text.matchAll(WRITTEN)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

/** Replaces `{name}`, and `\{` by `{`; a name without a value stays. @param engine of the text's plan. */
export function fillPlaceholders(text: string, values: Readonly<Record<string, string>>, engine: number): string {
  return text.replaceAll(isSinceEngine2({ engine }) ? WRITTEN : WRITTEN_FIRST, (all, name: string | undefined) => {
    if (name === undefined) return all.slice(1);
    return (Object.hasOwn(values, name) ? values[name] : undefined) ?? all;
  });
}

/** The placeholders for texts of a script. Each stays within its argument. Source: docs/scripts.md. */
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

/** @param engine the engine of the plan that holds the text. */
function holdsPlaceholder(text: string, name: string, engine: number): boolean {
  return isSinceEngine2({ engine }) ? namesInBraces(text).includes(name) : text.includes(`{${name}}`);
}

/** Unescapes `\{`, for texts in which no placeholders are replaced. */
export function withPlainBraces(text: string): string {
  return text.replaceAll(WRITTEN, (all, name: string | undefined) => (name === undefined ? all.slice(1) : all));
}

type Texts = Pick<PlanScript, 'args' | 'stdin' | 'variables'>;

/**
 * Whether a script may, under any condition, get an output file; else stdout is the output.
 * @param engine of the plan that holds the script.
 */
export function writesFile(texts: Texts, engine: number): boolean {
  return holdsName(texts, 'output_file', engine);
}

/** Whether a script may receive a folder to write files into, under any condition. */
export function writesFolder(texts: Texts, engine: number): boolean {
  return holdsName(texts, 'output_dir', engine);
}

type Name = (typeof PLACEHOLDERS)[number];

function holdsName({ args, stdin, variables = {} }: Texts, name: Name, engine: number): boolean {
  const texts = [...(stdin === undefined ? [] : [stdin]), ...Object.values(variables)];
  return (
    args.some((item) => isNamed(item, name, engine)) ||
    texts.some((text) => written(text).some((part) => ownNamesIn(part).includes(name)))
  );
}

function isNamed(item: PlanArgument, name: Name, engine: number): boolean {
  if (typeof item === 'string') return holdsPlaceholder(item, name, engine);
  if ('items' in item) return item.items.some((inner) => isNamed(inner, name, engine));
  return written(item.value).some((part) => holdsPlaceholder(part, name, engine));
}

/** The parts of a text outside `${{ }}`. */
function written(text: string): string[] {
  return splitText(text).filter((part) => typeof part === 'string');
}
