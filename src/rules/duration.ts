import { AbilityError } from '../contracts/problem.js';
import { attempt } from '../text/attempt.js';

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const FORM = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** Well within the limit of Temporal's timers. */
const LONGEST_MS = 10 * 365 * UNITS.d;

/**
 * Reads `500ms, 20s, 10m, 24h, 7d`, with fractions. @returns whole milliseconds.
 * @throws AbilityError `expression.not_duration`. Source: docs/workflow-language.md#the-last-turn.
 */
export function parseDuration(text: unknown): number {
  const match = typeof text === 'string' ? FORM.exec(text.trim()) : null;
  const ms = match ? Math.round(Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]) : Number.NaN;
  if (!(ms <= LONGEST_MS)) {
    throw new AbilityError({
      code: 'expression.not_duration',
      message: `${JSON.stringify(text)} is not a duration${Number.isNaN(ms) ? '' : ' of at most ten years'}`,
      suggestion: 'Use a number with a unit: 500ms, 20s, 10m, 24h or 7d.',
    });
  }
  return ms;
}

export function isDuration(text: string): boolean {
  return attempt(() => {
    parseDuration(text);
    return true;
  }, false);
}

/** Formats milliseconds for people: `85ms`, `2.4s`, `3m 20s`, `1h 5m`, `2d 3h`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1).replace(/\.0$/, '')}s`;
  const units: [string, number][] = [
    ['d', UNITS.d],
    ['h', UNITS.h],
    ['m', UNITS.m],
    ['s', UNITS.s],
  ];
  let rest = Math.round(ms / 1000) * 1000;
  const first = units.findIndex(([, size]) => rest >= size);
  const parts: string[] = [];
  for (const [name, size] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count}${name}`);
  }
  return parts.join(' ');
}
