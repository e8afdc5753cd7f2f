export type Headers = Record<string, string | string[] | undefined>;

/** Headers of a failed answer that say what to do about it. Others could hold secrets. */
const THAT_MATTER =
  /^(?:allow|content-type|etag|last-modified|retry-after(?:-ms)?|www-authenticate|(?:.+-)?(?:request-id|ratelimit(?:-.+)?))$/;
const MAX_HEADERS = 30;
const MAX_CHARACTERS = 300;

/** The headers of a failed answer that matter to its reader, by lowercase name. */
export function headersThatMatter(headers: Headers): Record<string, string> {
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && THAT_MATTER.test(name));
  const short = kept.slice(0, MAX_HEADERS).map(([name, value]) => [name, String(value).slice(0, MAX_CHARACTERS)]);
  return Object.fromEntries(short) as Record<string, string>;
}

/**
 * When a service wants to be asked again, as `retry_at` in the details of an error; empty if it does not say. A date
 * is read by the clock of the service (`date`). Source: RFC 9110, 10.2.3. @param now milliseconds since 1970.
 */
export function retryAtOf(headers: Headers, now: number): { retry_at?: string } {
  const waitMs = millisecondsOf(headers, now);
  // JavaScript knows no later date.
  return waitMs === undefined ? {} : { retry_at: new Date(Math.min(now + waitMs, 8.64e15)).toISOString() };
}

function millisecondsOf(headers: Headers, now: number): number | undefined {
  const text = String(headers['retry-after'] ?? '').trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const at = /(?:GMT|Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  const theirs = Date.parse(String(headers.date ?? ''));
  return Number.isNaN(at) ? undefined : Math.max(0, at - (Number.isNaN(theirs) ? now : theirs));
}
