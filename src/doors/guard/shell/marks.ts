/**
 * Marks for the parts of a word that are unknown before the shell runs it. They are characters of the private use area, so that no text of
 * a person has them; a word that does is taken as unknown there.
 */
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
} as const;

const ANY = /[\uE000-\uE005]/g;
const VARIABLE = /[\uE003\uE004]([^\uE005]*)\uE005/g;

/** Whether all of a word is known. */
export function isKnown(text: string): boolean {
  return !/[\uE000-\uE005]/.test(text);
}

/** A text in which our mark characters lose their meaning. */
export function withoutMarks(text: string): string {
  return text.replace(ANY, MARK.unknown);
}

/** Inserts the values of variables; an unknown one stays unknown. */
export function withVariables(text: string, lookUp: (name: string) => string | undefined): string {
  return text.replace(VARIABLE, (_, name: string) => lookUp(name) ?? MARK.unknown);
}

/** The words that a word becomes with its variables put in. */
export function wordsOf(text: string, lookUp: (name: string) => string | undefined): string[] {
  const BLANK = '\uE006';
  const put = text.replace(VARIABLE, (mark: string, name: string) => {
    const value = lookUp(name) ?? MARK.unknown;
    return mark.startsWith(MARK.split) ? value.replace(/\s+/g, BLANK) : value;
  });
  return put.includes(BLANK) ? put.split(BLANK).filter((word) => word !== '') : [put];
}

/** A pattern of all that a word with unknown parts may become. */
export function patternOf(text: string): RegExp {
  const source = text.replace(/[\s\S]/g, (letter) => {
    if (letter === MARK.one) return '[^/]';
    if (letter === MARK.star) return '[^/]*';
    return isKnown(letter) ? escaped(letter) : '.*';
  });
  return new RegExp(`^${source}$`, 's');
}

/** As {@link patternOf}, for a pattern that the shell leaves to a program, as in `find -name`. */
export function globOf(text: string): RegExp {
  const marked = text.replaceAll('*', MARK.star).replaceAll('?', MARK.one);
  return patternOf(marked.replace(/\[[^\]]*\]/g, MARK.one));
}

/** Whether enough letters of a word are known to compare it by them. */
export function hasLetters(word: string): boolean {
  return word.replace(/[^\w]/g, '').length >= 3;
}

/**
 * A path as a shell in one of these folders may write it: absolute, and relative to each that it is in.
 *
 * @param otherwise for a folder that it is not in.
 */
export function waysTo(path: string, folders: readonly string[], otherwise = path): string[] {
  const ways = folders.map((folder) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : otherwise));
  return [path, ...ways, ...ways.map((way) => `./${way}`)];
}

/** A text as a regular expression matches it. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
