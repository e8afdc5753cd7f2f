import type { Decided } from '../../choosing/decide/decide-in-project.js';
import type { Problem } from '../../contracts/problem.js';
import type { Pending } from '../../contracts/routing.js';
import { isEndState } from '../../contracts/states.js';
import type { TaskResult } from '../../contracts/task.js';
import { listed } from '../../text/listed.js';
import type { Considered, OpenInput, PlannedCall } from './ask-shapes.js';

export const AGREEMENT = [
  { value: true, label: 'yes' },
  { value: false, label: 'no' },
];

/** A question for one input; its value can be the whole reply. */
export function questionFor({ ability_id, name, schema }: OpenInput): string {
  const { description, type, enum: choices } = schema;
  const about = typeof description === 'string' ? ` (${description.trim().replace(/\.$/, '')})` : '';
  if (Array.isArray(choices)) return `Which ${name}${about} for ${ability_id}: ${listed(choices.map(String), 'or')}?`;
  const article = /^[aeiou]/.test(String(type)) ? 'an' : 'a';
  const kind = typeof type === 'string' && type !== 'string' ? `, ${article} ${type},` : '';
  return `What is the ${name}${about}${kind} for ${ability_id}?`;
}

export function agreementFor({ ability_id, input, effects }: PlannedCall, environment: string): string {
  const values = Object.entries(input).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const given = values.length === 0 ? '' : ` with ${values.join(', ')}`;
  return `Run ${ability_id}${given} in ${environment}? (${effects.replaceAll('_', ' ')})`;
}

export function nothingFits(nearest: readonly string[]): string {
  const near = nearest.length > 0 ? ` Nearest, and not near enough: ${listed(nearest, 'and')}.` : '';
  return `No ability here does that, so nothing was run.${near}`;
}

/** @param missed the abilities that fit best, and why each cannot be called. */
export function cannotRun(missed: Decided['missed']): Resolution {
  const parts = missed.map(({ ability_id, reason }) => `${ability_id}: ${reason}`);
  return unavailable({
    code: 'ability.unavailable_here',
    message: `The abilities that fit cannot run here. ${parts.join('; ')}`,
    suggestion: `\`ability show ${missed[0]?.ability_id}\` shows where it runs, and \`ability doctor\` what is missing.`,
  });
}

/** @param signals that it waits for. */
export function endWords({ status, ability_id, error }: TaskResult, canRetry: boolean, signals: string[]): string {
  const why = error ? `: ${error.message}` : '';
  const again = canRetry ? ' Shall it be tried again?' : '';
  if (status === 'succeeded') return `${ability_id} succeeded.`;
  if (isEndState(status)) return `${ability_id} ended as ${status}${why}.${again}`;
  return `${ability_id} goes on.${signals.length > 0 ? ` It waits for the signal ${listed(signals, 'or')}.` : ''}`;
}

/** The result of a decision; fields left out are empty. */
export type Resolution = Pick<Considered, 'outcome' | 'answer'> & Partial<Considered>;

/** How long a question stays open; a later short text does not count as its answer. */
const ANSWERED_WITHIN_MS = 60 * 60_000;

export function answered(answer: string): Resolution {
  return { outcome: 'answers', answer };
}

/** @param options what is shown of those of `pending`; absent: all. */
export function asking(question: string, pending: Pending | null, options = optionsOf(pending)): Resolution {
  return { outcome: 'asks', answer: question, question, options, pending };
}

/** The possible answers to a pending question, if they are few. */
export function optionsOf(pending: Pending | null): string[] {
  if (!pending) return [];
  const { expects } = pending;
  if ('options' in expects) return expects.options.map(({ label }) => label);
  return 'schema' in expects && Array.isArray(expects.schema.enum) ? expects.schema.enum.map(String) : [];
}

export function unavailable({
  code,
  message,
  suggestion,
}: Pick<Problem, 'code' | 'message' | 'suggestion'>): Resolution {
  const problem = { code, message, ...(suggestion !== undefined && { suggestion }) };
  return { outcome: 'unavailable', answer: message, problem };
}

/** For a plan that was agreed to, if the request does not lead to it any more. */
export function planChanged(message: string, suggestion: string): Resolution {
  return unavailable({ code: 'plan.changed', message, suggestion });
}

export function pendingOf({ key }: { key: string }, what: Omit<Pending, 'thread_key' | 'since' | 'until'>): Pending {
  const now = Date.now();
  const until = new Date(now + ANSWERED_WITHIN_MS).toISOString();
  return { ...what, thread_key: key, since: new Date(now).toISOString(), until };
}
