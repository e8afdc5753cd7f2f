import { escapePattern } from '../../../text/escape-pattern.js';

/** Parts of a word that only the shell knows. Private use characters: one in a given text counts as unknown. */
export const MARK = {
  /** Something that only the shell knows. */
  unknown: '\uE000',
  /** `*`, unquoted. */
  star: '\uE001',
  /** `?` or `[..]`, unquoted. */
  one: '\uE002',
  /** Begins the name of a variable, which {@link MARK.end} ends; its value is split into words. */
  split: '\uE003',
  /** The same within double quotes: its value is one word. */
  whole: '\uE004',
  end: '\uE005',
  /** Digits. */
  number: '\uE007',
  /** The value of a variable that is set nowhere here: nothing, unless an earlier call in the same shell set it. */
  unset: '\uE008',
} as const;

/** What a word of `<(..)` or `>(..)` becomes. */
export const PIPE = '/dev/fd/63';

const ANY = /[\uE000-\uE008]/g;
const VARIABLE = /[\uE003\uE004]([^\uE005]*)\uE005/g;

export function isKnown(text: string): boolean {
  return !/[\uE000-\uE008]/.test(text);
}

/** Replaces our mark characters in a text, so that they have no meaning. */
export function withoutMarks(text: string): string {
  return text.replace(ANY, MARK.unknown);
}

/** Inserts the values of variables; an unknown one stays unknown. */
export function withVariables(text: string, lookUp: (name: string) => string | undefined): string {
  return text.replace(VARIABLE, (_, name: string) => lookUp(name) ?? MARK.unset);
}

/** The words that a word expands to with the values of its variables. */
export function wordsOf(text: string, lookUp: (name: string) => string | undefined): string[] {
  const BLANK = '\uE006';
  const put = text.replace(VARIABLE, (mark: string, name: string) => {
    const value = lookUp(name) ?? MARK.unset;
    return mark.startsWith(MARK.split) ? value.replace(/\s+/g, BLANK) : value;
  });
  return put.includes(BLANK) ? put.split(BLANK).filter((word) => word !== '') : [put];
}

/** Matches everything that a word with unknown parts may expand to. */
export function patternOf(text: string): RegExp {
  const source = text.replace(/[\s\S]/g, (letter) => {
    if (letter === MARK.one) return '[^/]';
    if (letter === MARK.star) return '[^/]*';
    if (letter === MARK.number) return '\\d+';
    return isKnown(letter) ? escapePattern(letter) : '.*';
  });
  return new RegExp(`^${source}$`, 's');
}

/** Like {@link patternOf}, for a pattern that a program expands, as in `find -name`. */
export function globOf(text: string): RegExp {
  return patternOf(markedGlob(text));
}

/** A pattern in plain text, with our marks; `**` and `{a,b}` may be anything. */
export function markedGlob(text: string): string {
  const marked = text
    .replace(/\*\*\/?|\{[^}]*\}/g, MARK.unset)
    .replaceAll('*', MARK.star)
    .replaceAll('?', MARK.one);
  return marked.replace(/\[[^\]]*\]/g, MARK.one);
}

/** Whether a word has enough known letters for a comparison. */
export function hasLetters(word: string): boolean {
  return word.replace(/[^\w]/g, '').length >= 3;
}

/** Absolute, and relative to each folder that contains it. @param otherwise for the other folders. */
export function waysTo(path: string, folders: readonly string[], otherwise = path): string[] {
  const ways = folders.map((folder) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : otherwise));
  return [path, ...ways, ...ways.map((way) => `./${way}`)];
}
