import { familyOf } from '../../contracts/codes.js';

/** Transient statuses, which also count as `unavailable`. Source: docs/errors.md. */
const NOT_NOW: ReadonlySet<string> = new Set(['http.408', 'http.425', 'http.429', 'http.502', 'http.503', 'http.504']);

/** An answer that is no failure of the moment: not modified, a redirect, a refusal, a feature that is not there. */
const FINAL_STATUS = /^http\.(?:[34]\d\d|50[1568]|51[01])$/;

/** By code, family or HTTP class (`http.5xx`). Source: docs/errors.md; docs/workflow-language.md#failures. */
export function codeMatches(code: string, entry: string): boolean {
  if (code === entry || (familyOf(entry) === entry && familyOf(code) === entry)) return true;
  if (entry === 'unavailable' && NOT_NOW.has(code)) return true;
  return /^http\.[1-5]xx$/.test(entry) && code.startsWith('http.') && code[5] === entry[5];
}

export function codeMatchesAny(code: string, entries: readonly string[]): boolean {
  return entries.some((entry) => codeMatches(code, entry));
}

/** Families and codes of failures that a retry cannot change. */
const NEVER_AGAIN = [
  'agent',
  'approval',
  'child.cancelled',
  'config',
  'denied',
  'engine',
  'environment',
  'expression',
  'feature',
  'file.not_of_task',
  'guard',
  'hook',
  'input',
  'internal',
  'limit',
  'mcp.definition_changed',
  'mcp.input_required',
  'mcp.no_session',
  'mcp.session_lost',
  'mcp.start_failed',
  'mcp.task_required',
  'mcp.tool_invalid',
  'mcp.tool_missing',
  'model.not_configured',
  'model.rejected',
  'outcome',
  'output',
  'placement',
  'sandbox',
  'scope',
  'script.arguments_too_large',
  'script.missing',
  'script.not_executable',
  'seal.invalid',
  'test',
  'timeout.task',
];

/** Codes of calls that had their effect, but returned an unusable answer. */
const UNUSABLE_ANSWERS: ReadonlySet<string> = new Set([
  'api.output_invalid',
  'file.missing',
  'file.too_large',
  'mcp.output_invalid',
  'output.too_large',
  'script.output_broken',
  'script.output_invalid',
  'script.output_missing',
]);

/** The codes of a family in {@link UNUSABLE_ANSWERS}; empty for an unknown family. */
export function unusableAnswersOf(family: string): string[] {
  return [...UNUSABLE_ANSWERS].filter((code) => code !== 'output.too_large' && familyOf(code) === family);
}

/** Whether the call had its effect, but returned an unusable answer. */
export function isUnusableAnswer(code: string): boolean {
  return UNUSABLE_ANSWERS.has(code);
}

/**
 * With `errors`, only those; else all except those that a retry cannot change. A call that was made and answered is
 * retried only if `errors` names its code, not just its family.
 */
export function isRetryableCode(code: string, errors?: readonly string[]): boolean {
  if (codeMatchesAny(code, NEVER_AGAIN)) return false;
  if (isUnusableAnswer(code)) return errors?.includes(code) ?? false;
  if (errors) return codeMatchesAny(code, errors);
  return !FINAL_STATUS.test(code) || NOT_NOW.has(code);
}

/** Failures that no catch-all handler takes. */
const NOT_CAUGHT = ['denied', 'approval', 'guard', 'hook.failed', 'outcome', 'timeout.task', 'limit', 'internal'];

/** Whether a handler without `errors`, such as `continue_on_error`, may handle the error. */
export function isCatchable(code: string): boolean {
  return !codeMatchesAny(code, NOT_CAUGHT);
}
