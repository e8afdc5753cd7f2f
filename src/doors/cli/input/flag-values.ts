import { isIP } from 'node:net';
import { reasonOf, usageError } from '../../../contracts/problem.js';
import { isDuration, parseDuration } from '../../../rules/duration.js';

/** Milliseconds. @throws AbilityError `usage.invalid`. */
export function readDuration(flag: string, text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw usageError(`${flag} ${text}: ${reasonOf(error)}`, 'Use 500ms, 20s, 10m, 24h or 7d.');
  }
}

const MAX_CHARACTERS = 1000;

/** The purpose of a task, as one line of at most 1000 characters. @throws AbilityError `usage.invalid`. */
export function readIntent(text: string): string {
  const intent = text.trim().replaceAll(/\s+/g, ' ');
  if (intent !== '' && intent.length <= MAX_CHARACTERS) return intent;
  throw usageError(
    intent === '' ? '--intent is empty' : `--intent has ${intent.length} characters; it may have ${MAX_CHARACTERS}`,
    "Describe in a few words what the task is for: --intent 'rotate the certificate before Friday'.",
  );
}

const ADDRESS = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+|localhost)):(\d{1,5})$/i;
const MAX_PORT = 65_535;

/** `IP:PORT`, `[IPv6]:PORT` or `localhost:PORT`. @throws AbilityError `usage.invalid`. */
export function readAddress(flag: string, text: string): string {
  const [, six, four, port] = ADDRESS.exec(text) ?? [];
  const host = four?.toLowerCase() === 'localhost' ? '127.0.0.1' : (four ?? six ?? '');
  const isPort = Number(port) >= 1 && Number(port) <= MAX_PORT;
  if (isIP(host) !== 0 && isPort) return six === undefined ? `${host}:${port}` : `[${host}]:${port}`;
  throw usageError(
    `${flag} ${JSON.stringify(text)} is no address to listen at`,
    'Pass an IP address and a port, such as 127.0.0.1:9464; anyone who reaches it gets an answer.',
  );
}

const BUILD = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The id of a build in a Temporal worker deployment, such as a commit. @throws AbilityError `usage.invalid`. */
export function readBuild(text: string): string {
  if (BUILD.test(text)) return text;
  throw usageError(
    `--build ${JSON.stringify(text)} is no id of a build`,
    'Use 1 to 64 letters, digits, dots, dashes and _, such as a version or a commit: --build 4f2c1a9.',
  );
}

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/** Reads a day, or a time on it, such as `2026-01-31T08:00:00+01:00`; without a zone it is UTC, as in JSON output. */
export function parseTime(text: string): Date | undefined {
  const [, day, time = '00:00', zone = 'Z'] = TIMESTAMP.exec(text.trim()) ?? [];
  const date = new Date(`${day}T${time}${zone.toUpperCase()}`);
  if (day === undefined || Number.isNaN(date.getTime())) return undefined;
  // `Date` would read 31 February as a day of March.
  return new Date(`${day}T00:00Z`).toISOString().startsWith(day) ? date : undefined;
}

/**
 * Reads `--since`: a duration back from now (`24h`), or a time as of {@link parseTime}.
 * @param now milliseconds since 1970. @throws AbilityError `usage.invalid`.
 */
export function readSince(text: string, now: number): Date {
  if (isDuration(text)) return new Date(now - parseDuration(text));
  const date = parseTime(text);
  if (date && date.getTime() <= now) return date;
  throw usageError(
    `--since ${text} ${date ? 'lies in the future' : 'is neither a duration nor a time'}`,
    'Use 30m, 24h or 7d, or a time such as 2026-01-31T08:00:00Z.',
  );
}

/** Such as `--deny-if` for `denyIf`. */
export function flagOf(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * Refuses a flag of another choice, which would be ignored. @param flag that chooses, such as `--kind`.
 * @param belongs the flags of each choice. @throws AbilityError `usage.invalid`.
 */
export function refuseStray<Flags>(
  flag: string,
  chosen: string,
  belongs: Record<string, readonly (keyof Flags & string)[]>,
  flags: Flags,
): void {
  for (const [other, names] of Object.entries(belongs)) {
    const stray = other === chosen ? undefined : names.find((name) => flags[name] !== undefined);
    if (stray === undefined) continue;
    throw usageError(
      `${flagOf(stray)} belongs to ${flag} ${other}, and the ${flag.slice(2)} is ${chosen}`,
      `Leave it out, or pass ${flag} ${other}.`,
    );
  }
}
