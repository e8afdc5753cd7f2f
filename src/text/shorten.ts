/** The beginning of a text with `...`; the text itself if it has at most `max` characters. */
export function shorten(text: string, max = 60): string {
  return text.length > max ? `${text.slice(0, max - 3)}...` : text;
}
