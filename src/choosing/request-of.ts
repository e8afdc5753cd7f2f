/** What of a text is searched for. */
export function requestOf(text: string): string {
  return text;
}
