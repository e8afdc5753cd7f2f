import { Context } from '@temporalio/activity';
import { ACTIVITY_LIMITS } from '../contracts/names.js';
import { toFailure } from './failures.js';

/** Workflow id of the task an activity belongs to; of one that another called, `<its id>/<path of the call>`. */
export function taskOf({ info }: Context): string {
  return info.workflowExecution?.workflowId ?? '';
}

const BEAT_MS = ACTIVITY_LIMITS.heartbeat / 3;

/** How an activity runs. */
interface ActivityOptions<Request> {
  /** Sends heartbeats while it runs; a local activity has none. */
  beats?: boolean;
  /** The failure that Temporal carries; left out: {@link toFailure}. */
  toError?: (error: unknown, request: Request, context: Context) => unknown;
}

/** Makes an activity of a function: thrown errors become failures that Temporal carries. */
export function activityOf<Request, Answer>(
  work: (request: Request, context: Context) => Promise<Answer>,
  { beats = false, toError = (error) => toFailure(error) }: ActivityOptions<Request> = {},
): (request: Request) => Promise<Answer> {
  return async (request) => {
    const context = Context.current();
    const timer = beats && !context.info.isLocal ? setInterval(() => context.heartbeat(), BEAT_MS) : undefined;
    try {
      return await work(request, context);
    } catch (error) {
      throw toError(error, request, context);
    } finally {
      clearInterval(timer);
    }
  };
}
