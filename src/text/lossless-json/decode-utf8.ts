import { attempt } from '../attempt.js';
export interface Utf8Fault {
  /** Index of the first invalid byte, from 0. */
  byte: number;
  /** Whether the bytes only end in the middle of a character. */
  isCutOff: boolean;
}

/** The first fault that makes bytes invalid UTF-8; undefined: they are valid. */
export function faultInUtf8(bytes: Uint8Array): Utf8Fault | undefined {
  if (decodes(bytes)) return undefined;
  let good = 0;
  let bad = bytes.length + 1;
  // Stream mode decodes every prefix before the fault, even one that ends inside a character.
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (decodes(bytes.subarray(0, middle), true)) good = middle;
    else bad = middle;
  }
  let byte = good;
  // The valid prefix may end inside a character.
  while (!decodes(bytes.subarray(0, byte))) byte -= 1;
  return { byte, isCutOff: good === bytes.length };
}

/** @param stream accepts a cut-off character at the end. */
function decodes(bytes: Uint8Array, stream = false): boolean {
  return attempt(() => {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream });
    return true;
  }, false);
}
