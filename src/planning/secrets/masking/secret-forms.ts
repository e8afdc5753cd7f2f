import { parseJson } from '../../../disk/read-json.js';
import { canonicalText, decodeEscapes, withoutBlanks, withoutQuotes } from './canonical-text.js';

/** Shorter encoded forms would match by chance. */
const SHORTEST_ENCODED = 6;

const SHORTEST_WITHOUT_BLANKS = 12;

export interface SecretForm {
  bytes: Uint8Array;
  /** Whether the adjacent characters may also hold bits of the secret, as in base64. */
  edges: boolean;
}

/** Shorter words in a document, such as `prod` or `admin`, are no secrets. */
const WORD = /^[A-Za-z_-]{1,7}$/;

/** A secret and its parts: the texts of a JSON document, also of one in base64, and the password of a URL. */
export function partsOf(secret: string): string[] {
  const document = parseJson<unknown>(secret) ?? parseJson<unknown>(Buffer.from(secret, 'base64').toString());
  const texts = [secret, ...leavesOf(document).filter((text) => !WORD.test(text))];
  return texts.flatMap((text) => [text, /^[a-z][a-z\d+.-]*:\/\/[^/?#:@]*:([^/?#]+)@/i.exec(text)?.[1] ?? []].flat());
}

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(leavesOf);
}

/**
 * The secret and each of its lines, also with `+` for blanks; the whole in base64 (each offset, both alphabets)
 * and in hexadecimal. Escapes are decoded in the text instead.
 */
export function formsOfSecret(secret: string): SecretForm[] {
  const whole = secret.trim();
  const lines = whole.split(/[\r\n]+/).map((line) => line.trim());
  const plain = [whole, ...lines].filter((text) => text.length >= SHORTEST_MASKED).flatMap(plainForms);
  if (whole.length < SHORTEST_MASKED) return [];
  const bytes = Buffer.from(whole);
  const hex = bytes.toString('hex');
  const encoded = [
    ...base64Cores(bytes).map((text) => [text, true] as const),
    ...[hex, hex.toUpperCase()].map((text) => [text, false] as const),
  ]
    .filter(([text]) => text.length >= SHORTEST_ENCODED)
    .map(([text, edges]) => ({ bytes: Buffer.from(text), edges }));
  return [...plain, ...encoded];
}

/** The text itself, and decoded as the searched text will be: a secret may look as if it held escapes. */
function plainForms(text: string): SecretForm[] {
  const forms: Uint8Array[] = [];
  for (const variant of new Set([text, text.replaceAll(' ', '+')])) {
    const canonical = canonicalText(variant);
    for (let pass = 0; pass <= 2; pass += 1) {
      if (pass > 0) decodeEscapes(canonical);
      forms.push(canonical.bytes.slice(0, canonical.length));
      const close = withoutBlanks(canonical);
      // Adjacent words could match a short form without blanks.
      if (close.length >= SHORTEST_WITHOUT_BLANKS) forms.push(close.bytes.slice(0, close.length));
      const bare = withoutQuotes(canonical);
      if (bare.length < canonical.length) forms.push(bare.bytes.slice(0, bare.length));
    }
  }
  return forms.filter(({ length }) => length >= SHORTEST_MASKED).map((bytes) => ({ bytes, edges: false }));
}

/** The base64 characters that depend on the bytes alone, at each of the three alignments. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const bits = (before + bytes.length) * 8;
    const core = text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Minimum length of a masked secret. Shorter values are no secrets, and would mask half a log. */
export const SHORTEST_MASKED = 4;

/** Minimum length of a secret that is masked in all forms, also in base64 and across line breaks. */
export const SHORTEST_IN_ALL_FORMS = 8;
