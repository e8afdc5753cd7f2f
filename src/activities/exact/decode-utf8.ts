import { isUtf8 } from 'node:buffer';

/**
 * Where bytes stop being UTF-8, counted from 0; undefined: they are UTF-8. Where they break off inside a letter, it is
 * their length.
 */
export function faultInUtf8(bytes: Uint8Array): number | undefined {
  if (isUtf8(bytes)) return undefined;
  let good = 0;
  let bad = bytes.length + 1;
  // As a stream, every beginning before the fault can be decoded, also one that ends inside a letter.
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (beginsUtf8(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return Math.min(good, bytes.length);
}

function beginsUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
