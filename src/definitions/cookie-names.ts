/** The names of the cookies that a header writes; of other headers none. */
export function cookieNames(header: string, value: string): string[] {
  if (header.toLowerCase() !== 'cookie') return [];
  return value.split(';').map((pair) => pair.split('=', 1)[0]?.trim() ?? '');
}
