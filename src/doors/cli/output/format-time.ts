/** Longest unit first; `from` is the shortest span shown in it. Milliseconds. */
const UNITS = [
  { name: 'd', ms: 86_400_000, from: 48 * 3_600_000 - 1_800_000 },
  { name: 'h', ms: 3_600_000, from: 2 * 3_600_000 - 30_000 },
  { name: 'min', ms: 60_000, from: 2 * 60_000 - 500 },
  { name: 's', ms: 1000, from: 0 },
];

/** Such as `in 23 h`, `3 min ago` or `now`. @param iso ISO 8601. @param now milliseconds since 1970. */
export function formatDistance(iso: string, now = Date.now()): string {
  const ms = Date.parse(iso) - now;
  const size = Math.abs(ms);
  if (Number.isNaN(ms)) return iso;
  if (size < 1000) return 'now';
  const { name, ms: unit } = UNITS.find(({ from }) => size >= from) ?? { name: 's', ms: 1000 };
  const count = ms > 0 ? Math.round(size / unit) : Math.floor(size / unit);
  return ms > 0 ? `in ${count} ${name}` : `${count} ${name} ago`;
}

/** To the second; with the day, unless it is today. @param iso ISO 8601. */
export function localTime(iso: string, now = Date.now()): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':');
  return dayOf(at) === dayOf(new Date(now)) ? time : `${dayOf(at)} ${time}`;
}

/** Both forms, the distance first: `3 min ago (14:05:09)`, `in 23 h (2026-11-23 13:05:09)`. */
export function formatMoment(iso: string, now = Date.now()): string {
  return `${formatDistance(iso, now)} (${localTime(iso, now)})`;
}

/** Such as `14:05:09 (in 3 min)`. */
export function formatUntil(iso: string, now = Date.now()): string {
  return `${localTime(iso, now)} (${formatDistance(iso, now)})`;
}

function dayOf(at: Date): string {
  return [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join('-');
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
