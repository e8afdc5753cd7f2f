import type { Json, JsonObject } from '../../contracts/json.js';
import type { LostCall, PlanUnknown } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import { unlessRefused } from '../../text/attempt.js';
import { evaluateCondition } from '../expressions/evaluate.js';
import { evaluateTemplate } from '../expressions/template.js';
import { codeMatches } from './error-families.js';

/** What an answer says about a lost call; `why`: why it cannot tell. */
export type Verdict = { is: 'happened'; output: Json } | { is: 'not_happened' } | { is: 'neither'; why: string };

/** The answer to a question: an output, or an error that is one. */
export interface Answer {
  output: Json;
  error: Problem | null;
}

const MAX_SHOWN = 300;

/** A condition that fails is not true; two that are true contradict each other. Neither repeats the call. */
export function judgeAnswer(unknown: PlanUnknown, lost: LostCall, { output, error }: Answer): Verdict {
  const values = { call: { ...lost }, output, error: error && { code: error.code, message: error.message } };
  const failures: string[] = [];
  const holds = (key: 'happened' | 'not_happened'): boolean =>
    unlessRefused(
      () => evaluateCondition(unknown[key], values),
      ({ message }) => {
        failures.push(`\`${key}\` failed: ${message}`);
        return false;
      },
    );
  const [happened, notHappened] = [holds('happened'), holds('not_happened')];
  const said = error ? `${error.code}: ${error.message}` : (JSON.stringify(output) ?? 'null');
  const neither = (because: string): Verdict => ({ is: 'neither', why: `${said.slice(0, MAX_SHOWN)}${because}` });
  if (happened && notHappened) return neither(' (`happened` and `not_happened` are both true)');
  if (notHappened) return { is: 'not_happened' };
  // A condition about the output cannot hold for a failure.
  if (!happened) return neither(failures.length > 1 && !error ? ` (${failures.join('; ')})` : '');
  return unlessRefused(
    (): Verdict => ({ is: 'happened', output: evaluateTemplate(unknown.output, { values }) }),
    ({ message }) => neither(` (\`output\` failed: ${message})`),
  );
}

/** Temporary refusals say nothing about the call. */
const NOT_NOW = ['http.408', 'http.425', 'http.429'];

/**
 * Whether the failure of a question is an answer to it, such as a 404: not a question that did not arrive, was
 * refused here, or broke its service. @param isDeclared the author declared that an answer means this failure.
 */
export function isAnswer(code: string, isDeclared: boolean): boolean {
  if (isDeclared || code === 'fail_if.matched' || code === 'mcp.tool_error') return true;
  return codeMatches(code, 'http.4xx') && !NOT_NOW.includes(code);
}

/** The input of a question. @throws AbilityError `expression.*`. */
export function questionAbout({ with: template }: PlanUnknown, lost: LostCall): JsonObject {
  return evaluateTemplate(template, { values: { call: { ...lost } } }) as JsonObject;
}
