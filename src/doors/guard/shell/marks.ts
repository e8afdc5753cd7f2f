/**
 * Letters that stand in the text of a word for what is not known before the shell runs it. They are of the private use
 * area, so that no text of a person has them; a word that does is taken as unknown there.
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

/** A text in which letters of ours stand for themselves no more. */
export function withoutMarks(text: string): string {
  return text.replace(ANY, MARK.unknown);
}

/** Puts in what variables hold; one that is not known stays unknown. */
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

/** A pattern that fits whatever a word with unknown parts may become. */
export function patternOf(text: string): RegExp {
  const source = text.replace(/[\s\S]/g, (letter) => {
    if (letter === MARK.one) return '[^/]';
    if (letter === MARK.star) return '[^/]*';
    if (/[\uE000-\uE005]/.test(letter)) return '.*';
    return letter.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  });
  return new RegExp(`^${source}$`, 's');
}
