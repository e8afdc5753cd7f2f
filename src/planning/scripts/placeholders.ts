import type { PlanArgument, PlanScript } from '../../contracts/plan.js';
import { invalidDefinition, type SourceLocation } from '../../contracts/problem.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import { literalsIn } from '../../rules/expressions/split-text.js';
import { didYouMean } from '../../text/nearest.js';

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

export interface ArgumentNames {
  owner: 'script' | 'hook' | 'interpreter';
  known: readonly (typeof PLACEHOLDERS)[number][];
}

export const CALL_ARGUMENTS: ArgumentNames = { owner: 'script', known: PLACEHOLDERS };

/** A hook has no files of a call, and reads its event from stdin. Source: R-002-22. */
export const HOOK_ARGUMENTS: ArgumentNames = { owner: 'hook', known: ['pinned'] };

/** Only the path of the pinned copy is known to an interpreter. */
export const INTERPRETER_WORDS: ArgumentNames = { owner: 'interpreter', known: ['pinned'] };

/** Refuses names in braces and `${{ }}` that nothing replaces. @throws AbilityError `definition.invalid`. */
export function checkPlaceholders(
  items: readonly string[],
  { owner, known }: ArgumentNames,
  location: SourceLocation,
): void {
  refuseExpression(items, owner, known, location);
  for (const name of items.flatMap(namesInBraces)) {
    if ((known as readonly string[]).includes(name)) continue;
    const ownStdin = owner === 'hook' ? ' The event of the hook is on its stdin.' : '';
    const letters = ` For the literal text write \\{${name}}.`;
    throw invalidDefinition(
      `The arguments of ${owner === 'interpreter' ? 'an' : 'a'} ${owner} have no placeholder {${name}}`,
      location,
      `${hintFor(name, owner, known)}They have {${known.join('}, {')}}.${ownStdin}${letters}`,
    );
  }
}

function refuseExpression(
  items: readonly string[],
  owner: ArgumentNames['owner'],
  known: ArgumentNames['known'],
  location: SourceLocation,
): void {
  // An expression with blanks spans several items.
  const [written, name = ''] = /\$\{\{\s*([^{}]*?)\s*(?:\}\}|$)/.exec(items.join(' ')) ?? [];
  if (written === undefined) return;
  const what = owner === 'interpreter' ? 'The words of an interpreter accept' : '`args_template` accepts';
  const hint =
    owner === 'interpreter' ? hintFor(name, owner, known) : 'Use `args`, a list whose items may contain them. ';
  throw invalidDefinition(
    `${what} no expressions, and \`${written}\` is one`,
    location,
    `${hint}For the literal text write $\\{{.`,
  );
}

/** Refuses only names of ours; other braces stay. @throws AbilityError `definition.invalid`. */
export function checkOwnPlaceholders(text: string, { owner, known }: ArgumentNames, location: SourceLocation): void {
  const name = ownNamesIn(text).find((found) => !(known as readonly string[]).includes(found));
  if (name === undefined) return;
  throw invalidDefinition(
    `The variables of a ${owner} have no placeholder {${name}}`,
    location,
    `They have {${known.join('}, {')}}. For the literal text write \\{${name}}.`,
  );
}

/** A hint at the intended name, with a trailing blank; empty if no name is similar. */
function hintFor(name: string, owner: ArgumentNames['owner'], known: readonly string[]): string {
  if (name.startsWith('credential:')) return 'Set the secret under `secrets` of the `env_profile`. ';
  const [, field] = /^inputs?[.[]["']?([^"'\].[]*)/.exec(name) ?? [];
  if (field !== undefined && owner === 'script') {
    const read = /^[A-Za-z_]\w*$/.test(field) ? `input.${field}` : `input["${field}"]`;
    return `Use \${{ ${read} }} in \`args\`. `;
  }
  if (/^[A-Z][A-Z0-9_]*$/.test(name))
    return `No shell reads arguments: take ${name} from the environment in the script. `;
  const near = didYouMean(name.replaceAll('.', '_'), known);
  return near === undefined ? '' : `${near.replaceAll(/[a-z]+_[a-z]+|payload|pinned/g, '{$&}')} `;
}

/** Names that suggest a placeholder, in texts where none is replaced. */
const OURS = new RegExp(`^(credential:.*|inputs?[.[].*|${PLACEHOLDERS.join('|')})$`, 's');
/** Fewer names, for texts that may be code: its braces may contain any name. */
const OURS_IN_CODE = /^(credential:.*|inputs?\..*)$/s;

/**
 * Texts passed on unchanged, except that `\{` before a name of ours becomes `{`. @param mayBeCode e.g. for
 * `node -e`. @throws AbilityError `definition.invalid` for a placeholder, which would not be replaced.
 */
export function plainTexts<Texts extends string[] | Record<string, string>>(
  texts: Texts,
  spot: Spot,
  mayBeCode = false,
): Texts {
  const ours = mayBeCode ? OURS_IN_CODE : OURS;
  const entries = Object.entries(texts).map(([key, text]): [string, string] => {
    const name = namesInBraces(text).find((found) => ours.test(found));
    if (name === undefined) return [key, withBracesOf(text, ours)];
    throw invalidDefinition(
      `{${name}} is not replaced here, and would be passed on literally`,
      locationOf(within(spot, Array.isArray(texts) ? Number(key) : key)),
      `${instead(name)} For the literal text write \\{${name}}.`,
    );
  });
  return (Array.isArray(texts) ? entries.map(([, text]) => text) : Object.fromEntries(entries)) as Texts;
}

function instead(name: string): string {
  if (name.startsWith('credential:')) return 'Set the secret as a reference under `secrets` of the `env_profile`.';
  return 'The input of a call is available only to the arguments of a script: `args: ["{payload}"]`.';
}

function withBracesOf(text: string, ours: RegExp): string {
  return text.replaceAll(/\\(\{([^{}]*)\})/g, (all, inner: string, name: string) => (ours.test(name) ? inner : all));
}

/**
 * Texts of headers and `auth` with `\{` as `{`, except inside `${{ }}`. @param isSecret keeps the text out of
 * errors. @throws AbilityError `definition.invalid` for a name in braces that is no credential.
 */
export function headerTexts<Texts extends Record<string, string>>(texts: Texts, spot: Spot, isSecret = false): Texts {
  const entries = Object.entries(texts).map(([key, text]) => {
    const location = locationOf(within(spot, key));
    // Odd parts are expressions.
    const parts = text
      .split(/(\$\{\{[\s\S]*?\}\})/)
      .map((part, index) => (index % 2 === 1 ? part : plain(part, location)));
    return [key, parts.join('')];
  });
  return Object.fromEntries(entries) as Texts;

  function plain(text: string, location: SourceLocation): string {
    const name = namesInBraces(text).find((found) => !found.startsWith('credential:'));
    if (name !== undefined) {
      const shown = isSecret ? 'A name in braces' : `{${name}}`;
      const written = isSecret ? '{name}' : `{${name}}`;
      const credential = /^[A-Za-z_][\w-]*$/.test(name) && !isSecret ? name : 'NAME';
      throw invalidDefinition(
        `${shown} is no credential, and would be sent literally`,
        location,
        `Write {credential:${credential}}${isSecret ? '' : `, or \${{ }} for a value of the input`}; for the literal text write \\${written}.`,
      );
    }
    const plainText = withPlainBraces(text);
    if (!/\\\{credential:/.test(text)) return plainText;
    const message = 'A text that is sent cannot contain a literal `{credential:`';
    throw invalidDefinition(message, location, 'Leave out the backslash.');
  }
}
