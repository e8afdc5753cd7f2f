/** Leads a task from event to event, so that its worker can be killed after each of them. */
import { decide } from '../../src/client/index.js';
import type { Waiting } from './effect-service.js';
import { pause, until } from './extent.js';
import type { Lane } from './lane.js';
import { readEvents, type SeenEvent } from './read-events.js';
import { Stops } from './stops.js';

/** What may differ between two tasks that do the same. */
export interface Course {
  /** Which of two parallel calls is answered first; `together`: both before the workflow learns of one. */
  order: 'forwards' | 'backwards' | 'together';
  /** How decisions are sent: as the command line or as the Temporal UI does. */
  decision: 'command' | 'signal';
}

/** A moment at which a worker can be killed: between two of its actions. */
export interface Moment {
  /** What has just happened, and what has not happened yet. */
  what: string;
  /** The last event of the history, such as `12 ActivityTaskScheduled`. */
  event: string;
}

/** How far a task was led. */
export interface Led {
  /** All moments that it passed; it stopped at the last one. */
  moments: Moment[];
  /** Whether the decision that was sent is acknowledged. */
  acknowledged: Promise<boolean> | undefined;
  /** What did not happen in time on a busy machine; the position of the task is then unknown. */
  lost: string | undefined;
  /** Lets everything continue: the task, and whichever worker then exists. */
  release(): void;
}

/**
 * Creates a task and leads it up to a moment, at which everything stands still without the worker noticing.
 *
 * @param at number of the moment, from 0; past the last one the task has ended.
 */
export async function leadTask(
  lane: Lane,
  wanted: Parameters<Lane['create']>[0] & { key: string },
  course: Course,
  at: number,
): Promise<Led> {
  const { effects, proxy } = lane;
  effects.hold(wanted.key);
  const stops = new Stops();
  await lane.create({
    ...wanted,
    async review() {
      proxy.gate = stops;
      proxy.withdrawPolls();
      // The server may just be answering a poll that was withdrawn only now.
      await pause(50);
    },
  });
  const led: Led = {
    moments: [],
    acknowledged: undefined,
    lost: undefined,
    release() {
      proxy.gate = undefined;
      stops.open();
      effects.release(wanted.key);
    },
  };
  const lockstep = new Lockstep(lane, wanted.key, course, stops, led, at);
  await lockstep.lead();
  return led;
}

/** The moment at which an approval is open. */
export const WAITS_FOR_PEOPLE = 'the task waits for people';

/** Thrown at the requested moment. */
class Reached extends Error {}

class Lockstep {
  /** Calls that the server knows of and that have not been answered yet. */
  private readonly scheduled = new Set<Waiting>();

  constructor(
    private readonly lane: Lane,
    private readonly task: string,
    private readonly course: Course,
    private readonly stops: Stops,
    private readonly led: Led,
    private readonly at: number,
  ) {}

  async lead(): Promise<void> {
    try {
      for (;;) {
        const events = await this.read();
        const turn = events.findLast(({ type }) => type.startsWith('WorkflowTask'));
        const last = events.at(-1) as SeenEvent;
        if (last.type.startsWith('WorkflowExecution') && /Completed|Failed|Canceled/.test(last.type)) {
          return await this.moment('the task has ended');
        }
        if (turn?.type === 'WorkflowTaskScheduled') await this.deliver(turn.sticky);
        else if (turn?.type === 'WorkflowTaskStarted') await this.workThrough();
        else await this.answerFromOutside(events);
      }
    } catch (error) {
      if (!(error instanceof Reached)) this.led.lost = error instanceof Error ? error.message : String(error);
    }
  }

  private async deliver(sticky: boolean): Promise<void> {
    await this.moment('the workflow is to go on, and no worker knows');
    await this.giveOne(sticky);
  }

  private async giveOne(sticky: boolean): Promise<void> {
    const { stops } = this;
    (await until(`a${sticky ? ' sticky' : ''} poll`, () => stops.poll('requested', sticky))).go();
    const given = await until('a workflow task', () => stops.poll('answered'));
    await this.moment('the worker was given the workflow task, and has not got it');
    given.go();
  }

  private async workThrough(): Promise<void> {
    const { stops, lane } = this;
    const next = await until(
      'what the workflow does',
      () =>
        stops.report('requested', 'Workflow') ??
        lane.effects.waiting(this.task).find((call) => !this.scheduled.has(call)),
    );
    // A call on the fast path has its effect before the workflow task is reported.
    if ('answer' in next) return this.answerOne(next);
    await this.moment('the workflow has gone on, and the server does not know');
    await this.report(next, 'Workflow');
    // The server's answer to it is let through by `report`.
  }

  private async report(request: { go(): void }, of: 'Workflow' | 'Activity'): Promise<void> {
    request.go();
    const answer = await until('an answer to a report', () => this.stops.report('answered', of));
    if (of === 'Workflow') await this.moment('the server knows, and the worker does not know that it does');
    answer.go();
  }

  /** The workflow has nothing to do: a call is answered, or people decide. */
  private async answerFromOutside(events: SeenEvent[]): Promise<void> {
    const count = (type: RegExp): number => events.filter((event) => type.test(event.type)).length;
    const open = count(/^ActivityTaskScheduled$/) - count(/^ActivityTask(Completed|Failed|TimedOut|Canceled)$/);
    if (open === 0) return this.decide();
    const arrived = await until('the calls to arrive', () => {
      const waiting = this.lane.effects.waiting(this.task);
      return waiting.length === open ? [...waiting] : undefined;
    });
    for (const call of arrived) this.scheduled.add(call);
    arrived.sort((a, b) => a.key.localeCompare(b.key));
    if (this.course.order === 'backwards') arrived.reverse();
    for (const call of this.course.order === 'together' ? arrived : arrived.slice(0, 1)) {
      await this.answerOne(call);
      const report = await until('the call to be reported', () => this.stops.report('requested', 'Activity'));
      await this.moment(`${call.name} was answered, and the server does not know`);
      await this.report(report, 'Activity');
      if (call !== arrived.at(-1) && this.course.order === 'together') {
        await this.moment(`${call.name} was reported, the other one was not`);
      }
    }
  }

  private async answerOne(call: Waiting): Promise<void> {
    await this.moment(`${call.name} had its effect, and was not answered`);
    call.answer();
  }

  private async decide(): Promise<void> {
    const { lane, task, led } = this;
    if (led.acknowledged) throw new Error('the task does not continue');
    await this.moment(WAITS_FOR_PEOPLE);
    const sent = sendDecision(lane, task, this.course.decision);
    led.acknowledged = sent;
    if (this.course.decision === 'signal') await sent;
    // An update is not part of any history until it is accepted.
    else {
      await this.giveOne(true);
      await this.workThrough();
    }
  }

  private read(): Promise<SeenEvent[]> {
    return readEvents(this.lane.connection, this.task);
  }

  private async moment(what: string): Promise<void> {
    const { moments } = this.led;
    const last = (await this.read()).at(-1) as SeenEvent;
    moments.push({ what, event: `${last.id} ${last.type}` });
    if (moments.length > this.at) throw new Reached();
  }
}

/** Sends an approval. @returns whether it was acknowledged. */
export async function sendDecision({ connection }: Lane, task: string, how: Course['decision']): Promise<boolean> {
  try {
    if (how === 'command') await decide(connection, task, 'approve', { by: 'ann' });
    else await connection.temporal.workflow.getHandle(task).signal('approve', { by: 'ann' });
    return true;
  } catch {
    return false;
  }
}
