import { Composer, type Document, Lexer, type LineCounter, Parser, YAMLParseError } from 'yaml';

/** Limits far above any real definition. */
export const YAML_LIMITS = {
  bytes: 1024 * 1024,
  /** Of nested lists and maps. */
  depth: 60,
  /** Lexemes, including comments and line ends. */
  tokens: 100_000,
  aliases: 1000,
  /** Values that uses of anchors may add to the written ones. */
  copies: 10_000,
} as const;

/** A text that exceeds {@link YAML_LIMITS}; its message continues a sentence that begins with the file name. */
export class TooLarge extends Error {
  constructor(
    message: string,
    readonly offset?: number,
  ) {
    super(message);
  }
}

/** Texts of this length (characters) or more are counted before anything is built from them. */
const COUNTED_FIRST = 64 * 1024;

/**
 * Parses within {@link YAML_LIMITS}. Depth is checked per token, before a tree costs memory. Duplicate keys are
 * left to the tree's reader: the library compares each key with all others. @throws TooLarge
 */
export function parseYaml(text: string, lines: LineCounter): Document.Parsed {
  if (text.length > YAML_LIMITS.bytes) throw new TooLarge(`is larger than ${YAML_LIMITS.bytes / 1024} KiB`);
  if (text.length > COUNTED_FIRST) countTokens(text);
  const composer = new Composer({ lineCounter: lines, strict: true, uniqueKeys: false, stringKeys: true });
  const [document, another] = firstTwo(composer.compose(tokensOf(text, lines), true, text.length));
  if (another) {
    const message = 'The file contains several documents; put each into a file of its own';
    document.errors.push(new YAMLParseError(another.range.slice(0, 2) as [number, number], 'MULTIPLE_DOCS', message));
  }
  return document;
}

function countTokens(text: string): void {
  for (const _ of within(new Lexer().lex(text)));
}

function* tokensOf(text: string, lines: LineCounter) {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of within(new Lexer().lex(text))) {
    yield* parser.next(lexeme);
    // The parser keeps a stack: the document, and each open list or map with the value in it.
    if (parser.stack.length > YAML_LIMITS.depth + 2) {
      throw new TooLarge(`is nested more than ${YAML_LIMITS.depth} levels deep`, parser.offset);
    }
  }
  yield* parser.end();
}

/** Maximum of unmatched closing brackets; the library tolerates each, at a growing cost. */
const MAX_STRAY = 100;

/** Passes lexemes on; throws when they exceed the limits. */
function* within(lexemes: Iterable<string>): Generator<string> {
  let [tokens, aliases, open] = [0, 0, 0];
  for (const lexeme of lexemes) {
    tokens += 1;
    if (lexeme[0] === '*') aliases += 1;
    else if (lexeme === '[' || lexeme === '{') open += 1;
    else if (lexeme === ']' || lexeme === '}') open -= 1;
    if (tokens > YAML_LIMITS.tokens) throw new TooLarge(`has more than ${YAML_LIMITS.tokens} words and signs`);
    if (aliases > YAML_LIMITS.aliases) throw new TooLarge('uses too many aliases');
    if (open < -MAX_STRAY) throw new TooLarge('closes lists and maps that were never opened');
    yield lexeme;
  }
}

function firstTwo(documents: Iterable<Document.Parsed>): [Document.Parsed, Document.Parsed?] {
  const found: Document.Parsed[] = [];
  for (const document of documents) {
    found.push(document);
    if (found.length === 2) break;
  }
  return found as [Document.Parsed, Document.Parsed?];
}
