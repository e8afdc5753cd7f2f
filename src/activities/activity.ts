import { Context } from '@temporalio/activity';
import { ACTIVITY_LIMITS } from '../contracts/names.js';
import { toFailure } from './failures.js';

/** Workflow id of an activity's task; of a called task, `<id of its caller>/<path of the call>`. */
export function taskOf({ info }: Context): string {
  return info.workflowExecution?.workflowId ?? '';
}

const BEAT_MS = ACTIVITY_LIMITS.heartbeat / 3;

interface ActivityOptions<Request> {
  /** Send heartbeats while the activity runs; ignored for a local activity. */
  beats?: boolean;
  /** Converts an error to the failure that Temporal carries; default: {@link toFailure}. */
  toError?: (error: unknown, request: Request, context: Context) => unknown;
}

/** Wraps a function as an activity: thrown errors become failures that Temporal carries. */
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
