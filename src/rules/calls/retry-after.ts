export type Headers = Record<string, string | string[] | undefined>;

/** Headers of a failed answer that say what to do about it. Others could hold secrets. */
const THAT_MATTER =
  /^(?:allow|content-type|etag|last-modified|retry-after(?:-ms)?|www-authenticate|(?:.+-)?(?:request-id|ratelimit(?:-.+)?))$/;

/** The headers of a failed answer that matter to its reader, by lowercase name. */
export function headersThatMatter(headers: Headers): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => THAT_MATTER.test(name));
  return Object.fromEntries(kept.slice(0, 30).map(([name, value]) => [name, String(value).slice(0, 300)]));
}

/**
 * When a service wants to be asked again, as `retry_at` in the details of an error; empty if it does not say: by
 * `Retry-After`, else by the reset of a rate limit of which nothing remains. Source: RFC 9110, 10.2.3. @param now
 * milliseconds since 1970.
 */
export function retryAtOf(headers: Headers, now: number): { retry_at?: string } {
  const usedUp = (name: string) => /ratelimit.*reset/.test(name) && headers[name.replace('reset', 'remaining')] === '0';
  const wait = (name: string) => waitOf(name, headers, now);
  const resets = Object.keys(headers).filter(usedUp).map(wait);
  const ms = wait('retry-after-ms') ?? wait('retry-after') ?? Math.max(...resets.map((one) => one ?? -1));
  // JavaScript knows no later date.
  return ms < 0 ? {} : { retry_at: new Date(Math.min(now + ms, 8.64e15)).toISOString() };
}

/** For messages; empty if no time is known. */
export function notBefore({ retry_at: at }: { retry_at?: string }): string {
  return at === undefined ? '' : ` (not to be asked before ${at})`;
}

const UNITS = { ms: 1, s: 1e3, m: 6e4, h: 3.6e6 };

/** Milliseconds: from seconds, a time like `1m6.5s`, a time since 1970, or a date by the clock of the service. */
function waitOf(name: string, headers: Headers, now: number): number | undefined {
  const text = String(headers[name] ?? '').trim();
  const theirs = Date.parse(String(headers.date ?? '')) || now;
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const value = Number(text);
    if (name.startsWith('retry-after') || value < 1e9) return Math.ceil(name.endsWith('-ms') ? value : value * 1000);
    return Math.max(0, (value < 1e11 ? value * 1000 : value) - theirs);
  }
  const parts = /^(?:\d+(?:\.\d+)?(?:ms|[hms]))+$/.test(text) ? text.match(/[\d.]+[hms]+/g) : null;
  const sizeOf = (part: string) => UNITS[part.replace(/[\d.]+/, '') as keyof typeof UNITS];
  if (parts) return parts.reduce((sum, part) => sum + Number.parseFloat(part) * sizeOf(part), 0);
  const at = /(?:GMT|Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - theirs);
}
