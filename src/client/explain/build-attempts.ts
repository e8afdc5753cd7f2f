import { isStepEnd } from '../../contracts/states.js';
import type { AttemptStory } from '../../contracts/story.js';
import type { StepSummary } from '../../contracts/task.js';
import type { SeenCall } from './read-calls.js';

/**
 * Temporal keeps the errors of a call's last two attempts, the log the last output of earlier ones. Without a
 * history, only the number of attempts and the end of the last are known.
 * @param calls at the path of the step; several if a group was retried. @param words each attempt's last output.
 */
export function buildAttempts(
  step: StepSummary,
  calls: readonly SeenCall[],
  words: ReadonlyMap<number, string>,
): AttemptStory[] {
  if (calls.length > 0) {
    const isOver = isStepEnd(step.status);
    // The log does not distinguish retries of a group.
    const output = calls.length === 1 ? words : new Map<number, string>();
    return calls.flatMap((call, index) => attemptsOfCall(call, index + 1, isOver, output));
  }
  if (step.call === null || step.attempts === 0) return [];
  return numbers(step.attempts).map((number) => {
    const isLast = number === step.attempts;
    const status = isLast ? endOf(step) : 'failed';
    const error = isLast ? (step.error ?? null) : null;
    return attempt(number, 1, { status, error, last_words: error || status !== 'failed' ? null : words.get(number) });
  });
}

function attemptsOfCall(
  call: SeenCall,
  round: number,
  isOver: boolean,
  words: ReadonlyMap<number, string>,
): AttemptStory[] {
  const last = Math.max(1, call.attempt);
  return numbers(last).map((number) => {
    if (number < last) {
      const error = number === last - 1 ? call.earlier : null;
      return attempt(number, round, { status: 'failed', error, last_words: error ? null : words.get(number) });
    }
    const { started_at, ended_at, starts_at, worker, problem } = call;
    const status = statusOf(call, isOver);
    return attempt(number, round, { status, error: problem, started_at, ended_at, starts_at, worker });
  });
}

/** A call without an end in the history of an ended step was interrupted with its task: `unknown`. */
function statusOf({ end, started_at }: SeenCall, isOver: boolean): AttemptStory['status'] {
  if (end === 'completed') return 'succeeded';
  if (end !== null) return end;
  if (isOver) return 'unknown';
  return started_at === null ? 'waiting' : 'running';
}

function endOf({ status }: StepSummary): AttemptStory['status'] {
  switch (status) {
    case 'succeeded':
    case 'cancelled':
    case 'running':
    case 'waiting':
    case 'unknown':
      return status;
    default:
      return 'failed';
  }
}

function attempt(
  number: number,
  round: number,
  known: Partial<Omit<AttemptStory, 'last_words'>> & { last_words?: string | null | undefined },
): AttemptStory {
  return {
    number,
    round,
    status: 'failed',
    error: null,
    started_at: null,
    ended_at: null,
    starts_at: null,
    worker: null,
    ...known,
    last_words: known.last_words ?? null,
  };
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
