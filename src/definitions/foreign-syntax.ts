import foreignKeys from './foreign-keys.json' with { type: 'json' };
import { isCaseFile } from './is-case-file.js';
import type { YamlSource } from './yaml-source.js';

/** Turns a table of advice and the keys it is for into one from each key to its advice. */
function byKey(forms: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(forms).flatMap(([form, keys]) => keys.split(' ').map((key) => [key, form])));
}

/** Advice for keys that people know from other systems, in workflows and in files of cases. */
const HABITS = byKey(foreignKeys.steps);
const CASE_HABITS = byKey(foreignKeys.cases);

/** Advice by value. GitHub's `cancel-in-progress: false` lets the run end; only the newest one waits. */
const BY_VALUE: Record<string, (value: unknown) => string | undefined> = {
  'cancel-in-progress': inProgress,
  cancel_in_progress: inProgress,
};

function inProgress(value: unknown): string | undefined {
  if (typeof value !== 'boolean') return undefined;
  return value ? 'Set `on_busy: cancel_older`.' : 'Set `on_busy: newest`.';
}

/** Advice for keys that mean something else inside this key than at a step. */
const INSIDE: Record<string, Record<string, string>> = {
  wait: byKey({ 'Write `wait: 30s`.': 'for duration seconds time' }),
};

/** The right form of another tool's key, if known. @param within the key of the surrounding map, if any. */
export function habitOf(key: string, { file }: YamlSource, value?: unknown, within?: PropertyKey): string | undefined {
  const inside = typeof within === 'string' && Object.hasOwn(INSIDE, within) ? INSIDE[within] : undefined;
  if (inside && Object.hasOwn(inside, key)) return inside[key];
  const exact = Object.hasOwn(BY_VALUE, key) && !isCaseFile(file) ? BY_VALUE[key]?.(value) : undefined;
  if (exact !== undefined) return exact;
  const habits = isCaseFile(file) ? CASE_HABITS : HABITS;
  return Object.hasOwn(habits, key) ? habits[key] : undefined;
}
