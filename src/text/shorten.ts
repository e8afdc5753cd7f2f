/** The beginning of a text with `...`; the text itself if it has at most `max` code points. */
export function shorten(text: string, max = 60): string {
  if (text.length <= max) return text;
  const points = [...text];
  return points.length > max ? `${points.slice(0, max - 3).join('')}...` : text;
}
