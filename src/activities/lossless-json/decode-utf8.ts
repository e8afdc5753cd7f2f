import { isUtf8 } from 'node:buffer';

/** Where bytes stop being UTF-8. */
export interface Utf8Fault {
  /** The first invalid byte, counted from 0. */
  byte: number;
  /** Whether they only break off inside a letter. */
  isCutOff: boolean;
}

/** The fault that makes bytes invalid UTF-8; undefined: they are valid. */
export function faultInUtf8(bytes: Uint8Array): Utf8Fault | undefined {
  if (isUtf8(bytes)) return undefined;
  let good = 0;
  let bad = bytes.length + 1;
  // As a stream, every beginning before the fault can be decoded, also one that ends inside a letter.
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (beginsUtf8(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  let byte = good;
  // The valid bytes may end with the start of a character, which is incomplete by itself.
  while (!isUtf8(bytes.subarray(0, byte))) byte -= 1;
  return { byte, isCutOff: good === bytes.length };
}

function beginsUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
