import { distance } from 'fastest-levenshtein';
import { listed } from './listed.js';

/** Suggestions for an unknown name: at most three, nearest first. */
export function nearestNames(wanted: string, names: Iterable<string>): string[] {
  const max = Math.max(2, Math.floor(wanted.length / 3));
  const scored: { name: string; edits: number }[] = [];
  for (const name of names) {
    const edits = name.includes(wanted) || wanted.includes(name) ? 1 : distance(wanted, name);
    if (edits <= max) scored.push({ name, edits });
  }
  scored.sort((a, b) => a.edits - b.edits || a.name.localeCompare(b.name));
  return scored.slice(0, 3).map(({ name }) => name);
}

/** "Did you mean a, b or c?", or undefined where nothing is near. */
export function didYouMean(wanted: string, names: Iterable<string>): string | undefined {
  const near = nearestNames(wanted, names);
  return near.length === 0 ? undefined : `Did you mean ${listed(near, 'or')}?`;
}

/** {@link didYouMean}, or else all names; undefined where there are none. */
export function nearestOrAll(wanted: string, names: readonly string[]): string | undefined {
  const all = [...new Set(names)];
  return didYouMean(wanted, all) ?? (all.length > 0 ? `There are: ${all.join(', ')}.` : undefined);
}
