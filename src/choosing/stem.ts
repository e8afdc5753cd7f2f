import { stemmer } from 'stemmer';

/** Porter's stem of an English word; other words stay as they are. Stems are only compared, never shown. */
export function stemOf(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stemmer(word) : word;
}
