import { canonicalText, decodeEscapes, withoutBlanks } from './canonical-text.js';

/** A shorter form of another alphabet is found where nothing is meant by it. */
const SHORTEST_ENCODED = 6;

const SHORTEST_WITHOUT_BLANKS = 12;

/** One form of a secret, for a search in a text without escapes and line breaks. */
export interface SecretForm {
  bytes: Uint8Array;
  /** Of base64: the characters before and after it may hold bits of the secret as well. */
  edges: boolean;
}

/**
 * The forms in which a secret is searched for.
 *
 * Itself and each of its lines, as it is, as in a form (`+` for blanks), in base64 at each of the three places in a group and in both
 * alphabets, in hexadecimal. Escapes are no form of the secret: they are decoded in the text.
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

/** As it is; and decoded as the text will be, since it may itself look as if something in it were escaped. */
function plainForms(text: string): SecretForm[] {
  const forms: Uint8Array[] = [];
  for (const variant of new Set([text, text.replaceAll(' ', '+')])) {
    const canonical = canonicalText(variant);
    for (let pass = 0; pass <= 2; pass += 1) {
      if (pass > 0) decodeEscapes(canonical);
      forms.push(canonical.bytes.slice(0, canonical.length));
      const close = withoutBlanks(canonical);
      // Where little is left, words that are close to each other would give it.
      if (close.length >= SHORTEST_WITHOUT_BLANKS) forms.push(close.bytes.slice(0, close.length));
    }
  }
  return forms.filter(({ length }) => length >= SHORTEST_MASKED).map((bytes) => ({ bytes, edges: false }));
}

/** What base64 makes of the bytes wherever they are in a longer text: the characters that depend on them alone. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const bits = (before + bytes.length) * 8;
    const core = text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Secrets of at least this many characters are masked: a shorter value would blot out half a log, and is no secret. */
export const SHORTEST_MASKED = 4;

/** Secrets of at least this many are masked in all forms, also in base64 and across line breaks. */
export const SHORTEST_IN_ALL_FORMS = 8;
