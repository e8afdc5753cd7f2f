import {
  type CanonicalText,
  canonicalText,
  decodeEscapes,
  holdsEscapes,
  withoutBlanks,
  withoutQuotes,
} from './canonical-text.js';
import { formsOfSecret, partsOf, type SecretForm, SHORTEST_IN_ALL_FORMS, SHORTEST_MASKED } from './secret-forms.js';

const MASK = '***';

export class Masker {
  private readonly secrets = new Set<string>();
  /** Created on first use: most calls have no secrets, or print nothing. */
  private finder: SecretFinder | undefined;

  constructor(secrets: readonly string[] = []) {
    for (const secret of secrets) this.hide(secret);
  }

  hide(secret: string): void {
    if (this.secrets.has(secret)) return;
    this.secrets.add(secret);
    this.finder = undefined;
  }

  /** Maximum length of a secret's form in a text, in characters; 0 without secrets. */
  get widest(): number {
    return this.secrets.size === 0 ? 0 : this.found().widest;
  }

  /** Masks the known secrets in a text, and keeps its line breaks. */
  mask(text: string): string {
    if (this.secrets.size === 0) return text;
    let masked = '';
    let from = 0;
    for (const [start, end] of this.found().find(text)) {
      masked += text.slice(from, start) + text.slice(start, end).replaceAll(/[^\r\n]+/g, MASK);
      from = end;
    }
    return from === 0 ? text : masked + text.slice(from);
  }

  /** Where a secret may begin that the end of the text cuts off; undefined if nowhere. */
  openAt(text: string): number | undefined {
    return this.secrets.size === 0 ? undefined : this.found().openAt(text);
  }

  /** Masks the known secrets in all strings of a value, also in keys. */
  maskDeep(value: unknown): unknown {
    if (this.secrets.size === 0) return value;
    if (typeof value === 'string') return this.mask(value);
    if (Array.isArray(value)) return value.map((item) => this.maskDeep(item));
    if (value === null || typeof value !== 'object') return value;
    const masked = new Map<string, unknown>();
    for (const [key, item] of Object.entries(value)) masked.set(freeName(this.mask(key), masked), this.maskDeep(item));
    return Object.fromEntries(masked);
  }

  private found(): SecretFinder {
    this.finder ??= new SecretFinder([...this.secrets]);
    return this.finder;
  }
}

/** Makes masked keys unique. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  if (!name.includes(MASK)) return name;
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name} ${count}`;
  return free;
}

/** Start and end of a part of a text; the end is exclusive. */
type Span = [start: number, end: number];

/** Text that is escaped twice, such as JSON in a URL, is decoded; deeper levels are not. Quotes of a shell are removed. */
const MAX_DECODED = 2;
/** Maximum characters that a secret's character may take: `&quot;` in HTML that is escaped again. */
const WIDEST = 10;

const IN_BASE64 = /[A-Za-z0-9+/_-]/;

/** Finds secrets in a text in all the forms of {@link formsOfSecret}, also escaped and across line breaks. */
class SecretFinder {
  /** Whether a form begins with these two bytes: rules out most positions of a text quickly. */
  private readonly pairs = new Uint8Array(0x10000);
  private readonly byStart = new Map<number, SecretForm[]>();
  private readonly forms: readonly SecretForm[];
  private readonly hasBlanks: boolean;
  /** Maximum length of a form in a text, in UTF-16 units. */
  readonly widest: number;

  constructor(given: readonly string[]) {
    const secrets = given.flatMap(partsOf);
    const known = new Map<string, SecretForm>();
    for (const form of secrets.flatMap(formsOfSecret)) known.set(Buffer.from(form.bytes).toString('latin1'), form);
    this.forms = [...known.values()];
    this.hasBlanks = secrets.some((secret) => /\S[ \t]\S/.test(secret));
    this.widest = WIDEST * Math.max(0, ...secrets.map(({ length }) => length));
    for (const form of this.forms) {
      const { bytes } = form;
      this.pairs[pairAt(bytes, 0)] = 1;
      const start = startAt(bytes, 0);
      this.byStart.set(start, [...(this.byStart.get(start) ?? []), form]);
    }
  }

  /** The spans of secrets, in order and without overlaps. */
  find(text: string): Span[] {
    return merged(this.read(text, (canonical) => this.findIn(canonical, text)));
  }

  /** Where a secret cut off by the text's end may begin; undefined if only its first characters match. */
  openAt(text: string): number | undefined {
    const from = Math.max(0, text.length - this.widest);
    const end = text.slice(from);
    const places = this.read(end, (canonical) => this.openIn(canonical));
    return places.length === 0 ? undefined : from + Math.min(...places);
  }

  /** Searches the text as it is, and after each pass of decoding. */
  private read<T>(text: string, look: (canonical: CanonicalText) => T[]): T[] {
    if (this.forms.length === 0 || text.length < SHORTEST_MASKED) return [];
    const canonical = canonicalText(text);
    const lookAt = (): T[] => {
      const bare = withoutQuotes(canonical);
      return [
        ...look(canonical),
        ...(this.hasBlanks ? look(withoutBlanks(canonical)) : []),
        ...(bare.length < canonical.length ? look(bare) : []),
      ];
    };
    const found = lookAt();
    for (let pass = 0; pass < MAX_DECODED && holdsEscapes(canonical); pass += 1) {
      decodeEscapes(canonical);
      found.push(...lookAt());
    }
    return found;
  }

  private findIn(canonical: CanonicalText, text: string): Span[] {
    const { bytes, length } = canonical;
    const found: Span[] = [];
    for (let at = 0; at + SHORTEST_MASKED <= length; at += 1) {
      if (this.pairs[pairAt(bytes, at)] === 0) continue;
      for (const form of this.byStart.get(startAt(bytes, at)) ?? []) {
        if (at + form.bytes.length > length || !isAt(form.bytes, bytes, at, form.bytes.length)) continue;
        const span = spanOf(canonical, at, form);
        // Across line breaks, parts of words could match a short form.
        if (form.bytes.length < SHORTEST_IN_ALL_FORMS && /[\r\n]/.test(text.slice(...span))) continue;
        found.push(span);
      }
    }
    return found;
  }

  private openIn({ bytes, length, starts }: CanonicalText): number[] {
    for (let at = 0; at + SHORTEST_MASKED <= length; at += 1) {
      if (this.pairs[pairAt(bytes, at)] === 0) continue;
      const left = length - at;
      for (const form of this.byStart.get(startAt(bytes, at)) ?? []) {
        if (form.bytes.length > left && isAt(form.bytes, bytes, at, left)) return [starts[at] as number];
      }
    }
    return [];
  }
}

function pairAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

function startAt(bytes: Uint8Array, at: number): number {
  return (pairAt(bytes, at) << 16) | pairAt(bytes, at + 2);
}

function isAt(form: Uint8Array, bytes: Uint8Array, at: number, length: number): boolean {
  for (let offset = SHORTEST_MASKED; offset < length; offset += 1) {
    if (form[offset] !== bytes[at + offset]) return false;
  }
  return true;
}

function spanOf({ bytes, length, starts, ends }: CanonicalText, at: number, { bytes: form, edges }: SecretForm): Span {
  let [first, last] = [at, at + form.length - 1];
  if (edges) {
    const follows = (pattern: RegExp, index: number): boolean =>
      index > 0 &&
      index < length &&
      ends[index - 1] === starts[index] &&
      pattern.test(String.fromCharCode(bytes[index] as number));
    const before = first > 0 && ends[first - 1] === starts[first];
    if (before && IN_BASE64.test(String.fromCharCode(bytes[first - 1] as number))) first -= 1;
    if (follows(IN_BASE64, last + 1)) last += 1;
    while (follows(/=/, last + 1)) last += 1;
  }
  return [starts[first] as number, ends[last] as number];
}

function merged(spans: Span[]): Span[] {
  const kept: Span[] = [];
  for (const [start, end] of spans.sort(([a], [b]) => a - b)) {
    const before = kept.at(-1);
    if (before && start <= before[1]) before[1] = Math.max(before[1], end);
    else kept.push([start, end]);
  }
  return kept;
}
