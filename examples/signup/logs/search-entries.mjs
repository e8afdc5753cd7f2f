/** Searching a log of JSON lines. */

const SEVERITIES = ['info', 'warning', 'error'];
const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MOST_ENTRIES = 100;

/**
 * The entries of a log that fit every filter given, oldest first.
 *
 * @param {string} text one JSON object a line; a line that is none (cut off by a crash, say) is left out.
 * @param {{ service?: string, severity?: string, since?: string, until?: string, window?: string, text?: string,
 * limit?: number }} filters `severity` means at least as grave; `window` (`15m`) is so long before `now`.
 * @param {number} now milliseconds since 1970.
 * @returns {{ count: number, entries: object[] }} `entries` are the last of them, at most `limit`.
 */
export function searchEntries(text, filters, now) {
  const { service, severity = 'info', since, until, window, limit = MOST_ENTRIES } = filters;
  const from = window ? now - milliseconds(window) : since ? Date.parse(since) : Number.NEGATIVE_INFINITY;
  const to = until ? Date.parse(until) : Number.POSITIVE_INFINITY;
  const fits = (entry, line) => {
    const time = Date.parse(entry.time);
    return (
      (service === undefined || entry.service === service) &&
      SEVERITIES.indexOf(entry.severity) >= SEVERITIES.indexOf(severity) &&
      time >= from &&
      time <= to &&
      (filters.text === undefined || line.includes(filters.text))
    );
  };
  const found = text.split('\n').flatMap((line) => {
    const entry = parseEntry(line);
    return entry && fits(entry, line) ? [entry] : [];
  });
  return { count: found.length, entries: found.slice(-limit) };
}

function milliseconds(window) {
  const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(window);
  return Number(amount) * UNITS[unit];
}

function parseEntry(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
