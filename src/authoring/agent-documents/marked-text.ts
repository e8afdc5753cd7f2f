import { AbilityError } from '../../contracts/problem.js';

/** The lines around the generated part of a document; the rest belongs to its author. */
export const OPENS = '<!-- ability:agents -->';
export const CLOSES = '<!-- /ability:agents -->';

const REMARK = '<!-- Between these markers `ability docs` writes; your own rules belong above or below them. -->';

export function marked(text: string): string {
  return `${OPENS}\n${REMARK}\n\n${text.trim()}\n\n${CLOSES}\n`;
}

export function hasMarkers(text: string): boolean {
  return linesOf(text).some(isMarker);
}

/**
 * Replaces the part between a document's markers; all other text stays, byte by byte. @param kept the new part, as
 * of {@link marked}. @param isOwnTop the text above the markers belongs to `kept` too, as a skill's front matter
 * does. @throws AbilityError `docs.invalid` if the markers are not one pair.
 */
export function withMarked(file: string, text: string, kept: string, { isOwnTop = false } = {}): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = linesOf(text);
  const [opens = -1, ...moreOpens] = indexesOf(lines, OPENS);
  const [closes = -1, ...moreCloses] = indexesOf(lines, CLOSES);
  if (opens < 0 || closes < opens || moreOpens.length > 0 || moreCloses.length > 0) {
    const stray = lines.findIndex(isMarker);
    throw new AbilityError({
      code: 'docs.invalid',
      message: `${file} does not have exactly one pair of markers, ${OPENS} and ${CLOSES}, in that order`,
      location: { file, line: stray + 1 },
      suggestion: 'Write each of them once, alone on its line; what is between them is written by `ability docs`.',
    });
  }
  const above = isOwnTop ? [] : lines.slice(0, opens);
  const wanted = [...above, ...kept.trimEnd().split('\n'), ...lines.slice(closes + 1)];
  return wanted.join(newline);
}

function indexesOf(lines: readonly string[], marker: string): number[] {
  return lines.flatMap((line, index) => (line.trim() === marker ? [index] : []));
}

function isMarker(line: string): boolean {
  return line.trim() === OPENS || line.trim() === CLOSES;
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}
