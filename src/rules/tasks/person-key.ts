/**
 * The same text for a name however it is written: in capitals, composed or not, in full width, with invisible
 * characters or other blanks. Names of different people that only look alike stay different.
 */
export function personKey(name: string): string {
  const visible = name.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}|\p{C}/gu, '');
  // In both directions, as Unicode folds case: `ß` becomes `ss`.
  return visible.toUpperCase().toLowerCase().normalize('NFKC').replaceAll(/\s+/g, ' ').trim();
}
