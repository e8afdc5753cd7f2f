import type { HookAnswer } from '../../contracts/hooks.js';

/** What is carried to the task's next run; `left` is the number of dropped items. */
export interface Kept<T> {
  kept: T[];
  left: number;
}

/** Maximum number of carried answers that allow a call without a warning. */
const MAX_SILENT = 200;
/** Characters of JSON; a loop with a warning hook could otherwise carry a megabyte. */
const MAX_ANSWERS = 96 * 1024;
const MAX_WARNINGS = 64 * 1024;

/** Keeps denials, confirmations and errors, then warnings, the first of each; then the latest that allow. */
export function keepAnswers(answers: readonly HookAnswer[]): Kept<HookAnswer> {
  const grave = answers.filter(isGrave);
  const warning = answers.filter((answer) => !isGrave(answer) && !isSilent(answer));
  const silent = answers.filter(isSilent).slice(-MAX_SILENT).toReversed();
  return within(MAX_ANSWERS, answers, [...grave, ...warning, ...silent]);
}

/** Without repetitions; unknown outcomes have priority. */
export function keepWarnings(warnings: readonly string[]): Kept<string> {
  const distinct = [...new Set(warnings)];
  const isUnknown = (warning: string): boolean => warning.includes('outcome.unknown');
  const preferred = [...distinct.filter(isUnknown), ...distinct.filter((warning) => !isUnknown(warning))];
  return within(MAX_WARNINGS, distinct, preferred);
}

/** Whether an answer stopped a call, or made it wait for a confirmation. */
function isGrave({ decision, status }: HookAnswer): boolean {
  return decision !== 'allow' || status === 'error';
}

function isSilent(answer: HookAnswer): boolean {
  return !isGrave(answer) && (answer.warnings ?? []).length === 0;
}

/** Selects preferred items until the size is used up; keeps the original order. */
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
