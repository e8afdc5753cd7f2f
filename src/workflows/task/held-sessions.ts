import type { Held } from '../../contracts/task-carried.js';
import { usesSession } from '../../rules/calls/holds-session.js';
import type { TaskIdentity } from './identity.js';

/** Where the MCP sessions of a task are: on one worker, for the task and those that it calls. */
export class HeldSessions {
  /** Undefined before the first call that needs one. */
  queue: Held | undefined;
  asking: Promise<Held> | undefined;
  /** Id of a step whose result is reused from the task that this one retries, with whom its session ended. */
  readonly endedFrom: string | undefined;

  constructor(task: TaskIdentity) {
    const { carried, child } = task.start;
    this.endedFrom = carried ? undefined : endedStep(task);
    const given = (carried ?? child)?.held;
    this.queue = given === undefined && this.endedFrom !== undefined ? null : given;
  }
}

function endedStep({ plan, listed, start: { progress } }: TaskIdentity): string | undefined {
  if (!progress) return undefined;
  const used = listed.find(({ step, path }) => {
    if (step.verb !== 'call' || !usesSession(plan, step.call)) return false;
    const [at = path] = path.split('/*');
    const { status = 'pending', items = {}, agent } = progress[at] ?? {};
    const isEnded = status !== 'pending' && status !== 'skipped';
    return isEnded || Object.keys(items).length > 0 || (agent?.calls ?? 0) > 0;
  });
  return used?.path.split('/*')[0]?.split('/').at(-1);
}
