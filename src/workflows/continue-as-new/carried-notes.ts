import type { HookAnswer } from '../../contracts/hooks.js';

/** The notes carried on to the next run of a task, and the number of dropped ones. */
export interface Kept<T> {
  kept: T[];
  left: number;
}

/** Maximum number of carried answers that allow a call without a warning. */
const MAX_SILENT = 200;
/** Characters of JSON. Otherwise a loop of thousands of calls with a hook that warns would carry a megabyte. */
const MAX_ANSWERS = 96 * 1024;
const MAX_WARNINGS = 64 * 1024;

/**
 * Selects the hook answers to carry on: denials, confirmations and errors, then warnings, the first of each kind; then
 * the latest of those that allow.
 */
export function keepAnswers(answers: readonly HookAnswer[]): Kept<HookAnswer> {
  const grave = answers.filter(isGrave);
  const warning = answers.filter((answer) => !isGrave(answer) && !isSilent(answer));
  const silent = answers.filter(isSilent).slice(-MAX_SILENT).toReversed();
  return within(MAX_ANSWERS, answers, [...grave, ...warning, ...silent]);
}

/** The warnings that are carried on, each once: unknown outcomes before all others. */
export function keepWarnings(warnings: readonly string[]): Kept<string> {
  const distinct = [...new Set(warnings)];
  const isUnknown = (warning: string): boolean => warning.includes('outcome.unknown');
  const preferred = [...distinct.filter(isUnknown), ...distinct.filter((warning) => !isUnknown(warning))];
  return within(MAX_WARNINGS, distinct, preferred);
}

/** Why a call was not made, or had to be confirmed first. */
function isGrave({ decision, status }: HookAnswer): boolean {
  return decision !== 'allow' || status === 'error';
}

function isSilent(answer: HookAnswer): boolean {
  return !isGrave(answer) && (answer.warnings ?? []).length === 0;
}

/** The items that fit, by preference; in their original order. */
function within<T>(max: number, all: readonly T[], preferred: readonly T[]): Kept<T> {
  const chosen = new Set<T>();
  let room = max;
  for (const item of preferred) {
    const size = JSON.stringify(item).length;
    if (size > room) continue;
    room -= size;
    chosen.add(item);
  }
  const kept = all.filter((item) => chosen.has(item));
  return { kept, left: all.length - kept.length };
}
