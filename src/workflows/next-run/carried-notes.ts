import type { HookAnswer } from '../../contracts/hooks.js';

/** What a task has been told, as far as its next run takes it along, and how much stays behind. */
export interface Kept<T> {
  kept: T[];
  left: number;
}

/** Of answers that let everything pass, so many are taken along. */
const MOST_SILENT = 200;
/** Characters of JSON. A loop of thousands of calls with a hook that warns would else carry a megabyte. */
const MOST_OF_ANSWERS = 96 * 1024;
const MOST_OF_WARNINGS = 64 * 1024;

/**
 * The answers of hooks that are taken along: denials, confirmations and errors, then those that only warn, of each the
 * first ones first, then the latest of those that let a call pass.
 */
export function keepAnswers(answers: readonly HookAnswer[]): Kept<HookAnswer> {
  const grave = answers.filter(isGrave);
  const warning = answers.filter((answer) => !isGrave(answer) && !isSilent(answer));
  const silent = answers.filter(isSilent).slice(-MOST_SILENT).toReversed();
  return within(MOST_OF_ANSWERS, answers, [...grave, ...warning, ...silent]);
}

/** The warnings that are taken along, each once: outcomes that could not be learnt before all others. */
export function keepWarnings(warnings: readonly string[]): Kept<string> {
  const distinct = [...new Set(warnings)];
  const isUnknown = (warning: string): boolean => warning.includes('outcome.unknown');
  const preferred = [...distinct.filter(isUnknown), ...distinct.filter((warning) => !isUnknown(warning))];
  return within(MOST_OF_WARNINGS, distinct, preferred);
}

/** Why a call was not made, or who had to be asked first. */
function isGrave({ decision, status }: HookAnswer): boolean {
  return decision !== 'allow' || status === 'error';
}

function isSilent(answer: HookAnswer): boolean {
  return !isGrave(answer) && (answer.warnings ?? []).length === 0;
}

/** What fits, in the order of preference; given in the order in which it was said. */
function within<T>(most: number, all: readonly T[], preferred: readonly T[]): Kept<T> {
  const chosen = new Set<T>();
  let room = most;
  for (const item of preferred) {
    const size = JSON.stringify(item).length;
    if (size > room) continue;
    room -= size;
    chosen.add(item);
  }
  const kept = all.filter((item) => chosen.has(item));
  return { kept, left: all.length - kept.length };
}
