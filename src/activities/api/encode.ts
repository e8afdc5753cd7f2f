import { unusable } from './unusable.js';

/**
 * A text as it may stand in an address: every reserved character is escaped.
 *
 * @throws CallFailure `input.invalid` for half a character, which UTF-8 does not have.
 */
export function encode(text: string, name: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw unusable(name, 'holds half a character (a lone surrogate), which cannot be sent');
  }
}

/** As {@link encode}, but leaves those reserved characters that neither end a value nor read as a blank. */
export function encodeKeepingReserved(text: string, name: string): string {
  return encode(text, name).replaceAll(/%(3A|2F|3F|40|24|2C|3B|3D)/g, (escaped) => decodeURIComponent(escaped));
}
