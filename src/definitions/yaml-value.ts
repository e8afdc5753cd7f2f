import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Pair, type Scalar } from 'yaml';
import { shorten } from '../text/shorten.js';
import { TooLarge, YAML_LIMITS } from './yaml-document.js';

/** A part of a document that reads as something else than it appears to be; `offset` is its position. */
export class Misleading extends Error {
  readonly offset: number | undefined;

  constructor(
    readonly code: 'definition.syntax' | 'definition.invalid',
    message: string,
    node: unknown,
    readonly suggestion?: string,
  ) {
    super(message);
    this.offset = offsetOf(node);
  }
}

/**
 * In one pass: the library's own conversion searches the document for each alias. @throws Misleading for duplicate
 * keys, merge keys, broken text, numbers that JavaScript would change; TooLarge for aliases that expand too far.
 */
export function toJson(document: Document.Parsed): unknown {
  return new Reader().read(document.contents).value;
}

interface Read {
  value: unknown;
  /** Number of values in it, including itself. */
  size: number;
}

class Reader {
  private readonly anchors = new Map<string, Read | 'open'>();
  private aliases = 0;
  private copies = 0;

  read(node: unknown): Read {
    if (isAlias(node)) return this.again(node);
    refuseTag(node);
    const anchor = isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.anchors.set(anchor, 'open');
    const read = this.readNew(node);
    if (anchor !== undefined) this.anchors.set(anchor, read);
    return read;
  }

  private readNew(node: unknown): Read {
    if (isMap(node)) return this.readMap(node.items);
    if (isSeq(node)) return this.readList(node.items);
    return { value: isScalar(node) ? scalar(node) : null, size: 1 };
  }

  private readList(items: unknown[]): Read {
    const value: unknown[] = [];
    let size = 1;
    for (const item of items) {
      const read = this.read(item);
      value.push(read.value);
      size += read.size;
    }
    return { value, size };
  }

  private readMap(items: Pair[]): Read {
    const value: Record<string, unknown> = {};
    let size = 1;
    for (const pair of items) {
      const key = this.keyOf(pair, value);
      const read = this.read(pair.value);
      // Plain assignment would make `__proto__` the prototype, and the key checks would miss it.
      Object.defineProperty(value, key, { value: read.value, enumerable: true, writable: true, configurable: true });
      size += read.size;
    }
    return { value, size };
  }

  private keyOf({ key: node }: Pair, value: object): string {
    if (!isScalar(node)) throw new Misleading('definition.syntax', 'A key is a text', node);
    refuseTag(node);
    if (node.anchor !== undefined) this.anchors.set(node.anchor, { value: node.value, size: 1 });
    const key = String(node.value);
    refuseBrokenText(key, node);
    if (key === '<<' && node.type === 'PLAIN') {
      const suggestion = 'Write the keys out, or use an alias for a whole value: `key: *name`.';
      throw new Misleading('definition.invalid', 'A merge key, `<<`, is not part of YAML 1.2', node, suggestion);
    }
    if (!Object.hasOwn(value, key)) return key;
    const message = `Not valid YAML: the key ${JSON.stringify(shorten(key))} is there twice`;
    throw new Misleading('definition.syntax', message, node);
  }

  private again(node: Alias): Read {
    const name = node.source;
    const read = this.anchors.get(name);
    this.aliases += 1;
    if (read === undefined)
      throw new Misleading('definition.syntax', `No earlier value has the anchor &${shorten(name)}`, node);
    if (read === 'open')
      throw new Misleading('definition.invalid', `The value &${shorten(name)} contains itself`, node);
    this.copies += read.size;
    if (this.aliases > YAML_LIMITS.aliases || this.copies > YAML_LIMITS.copies) {
      throw new TooLarge('uses too many aliases', offsetOf(node));
    }
    return read;
  }
}

function scalar(node: Scalar): unknown {
  const { value } = node;
  if (typeof value === 'string') refuseBrokenText(value, node);
  if (typeof value === 'number') refuseChangedNumber(value, node);
  return value;
}

/** A lone surrogate, which UTF-8 cannot encode: two such values would have the same digest. */
const HALF = /\p{Surrogate}/u;

function refuseBrokenText(text: string, node: Scalar): void {
  if (HALF.test(text)) throw new Misleading('definition.invalid', 'A text contains half a character', node);
}

function refuseChangedNumber(value: number, node: Scalar): void {
  const written = node.source ?? String(value);
  const asText = `Write it as text: "${shorten(written)}".`;
  const refused = (message: string, suggestion: string) =>
    new Misleading('definition.invalid', message, node, suggestion);
  if (!Number.isFinite(value)) throw refused(`${shorten(written)} is no number of JSON`, asText);
  const digits = /^[-+]?(0[ox])?[0-9a-fA-F]+$/.exec(written);
  if (!digits) return;
  if (!Number.isSafeInteger(value)) throw refused(`${shorten(written)} is too large to be kept exactly`, asText);
  if (/^[-+]?0[0-9]/.test(written)) {
    const other = `Write ${value}, 0o${value.toString(8)} for the octal number, or "${shorten(written)}" for the text.`;
    throw refused(`${shorten(written)} begins with a zero, which some read as octal`, other);
  }
}

/** Tags of JSON types; the library makes objects of others, such as !!binary. */
const TAGS: ReadonlySet<string> = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

function refuseTag(node: unknown): void {
  if (!isMap(node) && !isSeq(node) && !isScalar(node)) return;
  if (node.tag === undefined || TAGS.has(node.tag)) return;
  const tag = node.tag.replace('tag:yaml.org,2002:', '!!');
  throw new Misleading('definition.syntax', `Not valid YAML: the tag ${shorten(tag)} has no meaning here`, node);
}

function offsetOf(node: unknown): number | undefined {
  return isMap(node) || isSeq(node) || isScalar(node) || isAlias(node) ? node.range?.[0] : undefined;
}
