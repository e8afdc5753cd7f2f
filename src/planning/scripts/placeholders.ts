import type { PlanArgument, PlanScript } from '../../contracts/plan.js';
import { cutText } from '../../rules/expressions/template.js';
import { isSinceEngine2 } from '../../rules/plans/engine-version.js';

/** A name in braces: `{input_file}`, `{credential:token}`, `{input.version}`, `{input.items[0].id}`. */
const NAME = String.raw`credential:[^{}]*|[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+|\[[^\[\]{}]*\])*`;

/** `\\{` is a backslash and a brace, `\{` a brace; then names in braces. Braces around anything else are text. */
const WRITTEN = new RegExp(String.raw`\\\\\{|\\\{|\{(${NAME})\}`, 'g');

/** As plans of engine 1 were read: without a way to write a brace. */
const WRITTEN_FIRST = /\{([a-z_]+)\}/g;

/** The names in braces of a text that are not written as `\{name}`, in their order. */
export function namesInBraces(text: string): string[] {
  return [...text.matchAll(WRITTEN)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

/**
 * Puts values in the place of names in braces, and a brace in the place of `\{`; a name without a value stays.
 *
 * @param engine of the plan that holds the text.
 */
export function fillPlaceholders(text: string, values: Readonly<Record<string, string>>, engine: number): string {
  return text.replaceAll(isSinceEngine2({ engine }) ? WRITTEN : WRITTEN_FIRST, (all, name: string | undefined) => {
    if (name === undefined) return all.slice(1);
    return (Object.hasOwn(values, name) ? values[name] : undefined) ?? all;
  });
}

/** The names that texts of a script may hold, each one replaced inside its item. Source: docs/scripts.md. */
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

/**
 * Puts values in the place of {@link PLACEHOLDERS} and nothing else, for texts in which braces are usual: `\{payload}` is
 * these very letters without the backslash, and all other braces stay.
 */
export function fillOwnPlaceholders(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(OWN, (all, name: string) => {
    if (all.startsWith('\\')) return all.slice(1);
    return (Object.hasOwn(values, name) ? values[name] : undefined) ?? all;
  });
}

/** The names among {@link PLACEHOLDERS} that {@link fillOwnPlaceholders} would fill in. */
export function ownNamesIn(text: string): string[] {
  return [...text.matchAll(OWN)].flatMap(([all, name]) => (all.startsWith('\\') || name === undefined ? [] : [name]));
}

/** Whether a name in braces is filled in somewhere in a text. @param engine of the plan that holds the text. */
function holdsPlaceholder(text: string, name: string, engine: number): boolean {
  return isSinceEngine2({ engine }) ? namesInBraces(text).includes(name) : text.includes(`{${name}}`);
}

/** A text with a brace in the place of `\{`, for places whose names in braces are not filled in. */
export function withPlainBraces(text: string): string {
  return text.replaceAll(WRITTEN, (all, name: string | undefined) => (name === undefined ? all.slice(1) : all));
}

type Texts = Pick<PlanScript, 'args' | 'stdin' | 'variables'>;

/**
 * Whether a script may be given the file for its output, under any condition; else stdout is its output.
 *
 * @param engine of the plan that holds the script.
 */
export function writesFile(texts: Texts, engine: number): boolean {
  return holdsName(texts, 'output_file', engine);
}

/** Whether a script may be given a folder to write files into, under any condition. */
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

/** The parts of a text that are no expressions. */
function written(text: string): string[] {
  return cutText(text).filter((part) => typeof part === 'string');
}
