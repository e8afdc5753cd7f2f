import type { Json } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
import type { EvaluatedScript, EvaluatedText, Piece, ValuePiece } from './evaluate-script.js';

export interface WrittenScript {
  args: string[];
  stdin?: string;
  env: Record<string, string>;
}

/** Converts the result of an expression to text. @throws AbilityError `input.invalid` if it has none. */
export type TextOf = (piece: ValuePiece) => string;

/** Converts strings, numbers and booleans; refuses lists and maps. */
export function plainTextOf({ value, source, place }: ValuePiece): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw refused(
    place,
    source,
    `which gives ${Array.isArray(value) ? 'a list' : 'a map'}, and one text belongs there`,
    suggestionFor(value, source, place),
  );
}

function suggestionFor(value: Json, source: string, place: string): string {
  if (Array.isArray(value) && place.startsWith('args')) {
    return `Use { each: ${source}, as: item, then: ["\${{ item }}"] }, or join the list to one text.`;
  }
  return 'Choose one of its fields, or let the script read the whole input from {input_file}.';
}

/**
 * Each item becomes one argument; no shell reads it. An item that starts with `-` from an input could be read as
 * an option: it is refused unless it is a number, follows the author's `--`, or its item allows it.
 * @throws AbilityError `input.invalid`, with the place and the expression.
 */
export function writeScript({ args, stdin, env }: EvaluatedScript, textOf: TextOf = plainTextOf): WrittenScript {
  let isBehindDashes = false;
  const written = args.map((item) => {
    const text = writeText(item, textOf);
    refuseOption(item, text, textOf, isBehindDashes);
    isBehindDashes ||= text === '--' && !item.pieces.some(isValue);
    return text;
  });
  return {
    args: written.map((text, index) => withoutNul(text, args[index])),
    ...(stdin && { stdin: writeText(stdin, textOf) }),
    env: Object.fromEntries(
      Object.entries(env).map(([name, item]) => [name, withoutNul(writeText(item, textOf), item)]),
    ),
  };
}

function writeText({ pieces }: EvaluatedText, textOf: TextOf): string {
  return pieces.map((piece) => (isValue(piece) ? textOf(piece) : piece.text)).join('');
}

/** A negative number, which shells and their tools do not read as an option. */
const NEGATIVE = /^-(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function refuseOption({ place, pieces, mayBeOption }: EvaluatedText, text: string, textOf: TextOf, isBehind: boolean) {
  if (!text.startsWith('-') || mayBeOption || isBehind || NEGATIVE.test(text)) return;
  // Skips expressions with an empty result.
  const first = pieces.findIndex((piece) => (isValue(piece) ? textOf(piece) : piece.text) !== '');
  const given = pieces
    .slice(0, first + 1)
    .filter(isValue)
    .find(({ isFromInput }) => isFromInput);
  if (!given || isNumberWithUnit(pieces.slice(first))) return;
  throw refused(
    place,
    given.source,
    'and begins with `-`, so that the script would take it for an option',
    'Pass a value that does not begin with `-`. In the definition, put the item `--` before it where the script supports that, or use { value: .., option: allowed } where an option is meant.',
  );
}

function isNumberWithUnit([first, ...rest]: Piece[]): boolean {
  return first !== undefined && isValue(first) && typeof first.value === 'number' && !rest.some(isValue);
}

/** Arguments and variables cannot contain NUL, which ends them. */
function withoutNul(text: string, item: EvaluatedText | undefined): string {
  if (!text.includes('\0') || !item) return text;
  const given = item.pieces.filter(isValue).find(({ value }) => typeof value === 'string' && value.includes('\0'));
  const suggestion = 'Pass it on stdin or in {input_file}.';
  throw refused(
    item.place,
    given?.source,
    'and contains the character NUL, which cannot be passed to a process',
    suggestion,
  );
}

function isValue(piece: Piece): piece is ValuePiece {
  return 'value' in piece;
}

function refused(place: string, source: string | undefined, why: string, suggestion: string): AbilityError {
  return new AbilityError({
    code: 'input.invalid',
    message:
      source === undefined ? `\`${place}\` ${why.replace(/^and /, '')}` : `\`${place}\` reads \`${source}\`, ${why}`,
    details: { place, ...(source !== undefined && { expression: source }) },
    suggestion,
  });
}
