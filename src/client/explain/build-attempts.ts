import { isStepEnd } from '../../contracts/states.js';
import type { AttemptStory } from '../../contracts/story.js';
import type { StepSummary } from '../../contracts/task.js';
import type { SeenCall } from './read-calls.js';

/**
 * The attempts of one step.
 *
 * Temporal keeps the errors of the last two attempts of a call; of earlier ones the log has their last output.
 * Without a history only their number is known, and how the last one ended.
 *
 * @param calls those at the path of the step; more than one where a group was tried again.
 * @param words the last that each attempt wrote.
 */
export function buildAttempts(
  step: StepSummary,
  calls: readonly SeenCall[],
  words: ReadonlyMap<number, string>,
): AttemptStory[] {
  if (calls.length > 0) {
    const isOver = isStepEnd(step.status);
    // A log does not distinguish the rounds of a group.
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

/** A call without an end in the history, although its step is over, was cut off together with its task. */
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
