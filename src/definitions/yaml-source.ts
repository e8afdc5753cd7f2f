import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import type { Problem, SourceLocation } from '../contracts/problem.js';

/** What an honest definition never reaches. Source: design, section 12. */
export const YAML_LIMITS = { bytes: 1024 * 1024, depth: 60, aliases: 50 } as const;

/** A YAML file as data, which can tell where each of its values stands. */
export interface YamlSource {
  file: string;
  value: unknown;
  text: string;
  /** The tree of the file, with comments and places. */
  document: Document;
  /** Where the value at a path stands, or the nearest one above it that exists. `key`: the key itself. */
  locate(path: readonly PropertyKey[], part?: 'value' | 'key'): SourceLocation;
  /** Where so many characters from the beginning is. */
  locateOffset(offset: number): SourceLocation;
}

/**
 * Reads YAML without trusting it: size, depth and aliases are capped before a tree is built.
 *
 * @param file the name to use in messages, relative to the project.
 */
export function readYaml(file: string, text: string): YamlSource | Problem {
  const tooLarge = findExcess(text);
  if (tooLarge) {
    return { code: 'definition.too_large', message: `${file} ${tooLarge}`, location: { file } };
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true, stringKeys: true });
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault) {
    const { line, col } = lines.linePos(fault.pos[0]);
    const what = fault.message.split('\n', 1)[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? 'is no YAML';
    return {
      code: 'definition.syntax',
      message: `Not valid YAML: ${what}`,
      location: { file, line, column: col },
      suggestion: hintFor(text.split('\n')[line - 1] ?? ''),
    };
  }
  try {
    return {
      file,
      value: document.toJS({ maxAliasCount: YAML_LIMITS.aliases }),
      text,
      document,
      locate: (path, part = 'value') => locateIn(document.contents, path, part, lines, file),
      locateOffset: (offset) => {
        const { line, col } = lines.linePos(offset);
        return { file, line, column: col };
      },
    };
  } catch (error) {
    const message = `${file} uses too many aliases: ${error instanceof Error ? error.message : String(error)}`;
    return { code: 'definition.too_large', message, location: { file } };
  }
}

/** Whether {@link readYaml} gave a problem. */
export function isProblem(value: YamlSource | Problem): value is Problem {
  return 'code' in value;
}

/** Counts depth on the text itself, since a parser that builds the tree first has already paid for it. */
function findExcess(text: string): string | undefined {
  if (text.length > YAML_LIMITS.bytes) return `is larger than ${YAML_LIMITS.bytes / 1024} KiB`;
  let [flow, deepest] = [0, 0];
  for (const line of text.split('\n')) {
    const dashes =
      /^[\s?:-]*/
        .exec(line)?.[0]
        .replace(/ +/g, ' ')
        .split(/[?:-] /).length ?? 1;
    const columns = line.search(/\S/);
    deepest = Math.max(deepest, dashes, columns / 2);
    for (const character of line) {
      if (character === '[' || character === '{') flow += 1;
      else if ((character === ']' || character === '}') && flow > 0) flow -= 1;
      deepest = Math.max(deepest, flow);
    }
    if (deepest > YAML_LIMITS.depth) return `is nested more than ${YAML_LIMITS.depth} levels deep`;
  }
  return undefined;
}

/** Mistakes with a message of their own. Source: answers, 52. */
function hintFor(line: string): string | undefined {
  if (line.includes('${{')) return 'Quote a value with ${{ }} that holds `: ` or `#` or stands inside { } or [ ].';
  if (/:\s*!/.test(line)) return 'A value that begins with ! is a YAML tag; quote it: "!x".';
  if (/^\t/.test(line)) return 'Indent with spaces; YAML does not allow tabs.';
  return undefined;
}

function locateIn(
  root: unknown,
  path: readonly PropertyKey[],
  part: 'value' | 'key',
  lines: LineCounter,
  file: string,
): SourceLocation {
  let node = root as Node | null | undefined;
  let found: Node | null | undefined = node;
  for (const [depth, step] of path.entries()) {
    const last = depth === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find((item) => keyOf(item) === String(step));
      if (!pair) break;
      node = pair.value as Node | null;
      found = (last && part === 'key') || !node ? (pair.key as Node) : node;
    } else if (isSeq(node)) {
      node = node.items[Number(step)] as Node | undefined;
      if (!node) break;
      found = node;
    } else break;
  }
  const offset = found?.range?.[0];
  if (offset === undefined) return { file };
  const { line, col } = lines.linePos(offset);
  return { file, line, column: col };
}

function keyOf(pair: Pair): string | undefined {
  return isScalar(pair.key) ? String(pair.key.value) : undefined;
}
