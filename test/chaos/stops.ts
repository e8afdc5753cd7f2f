import type { Gate, PassingCall } from './temporal-proxy.js';

/** A call that is held back, on its way to the server or back. */
export interface Stop {
  side: 'requested' | 'answered';
  call: PassingCall;
  go(): void;
}

/** Tasks that a worker receives, and its reports. Nothing else that it sends writes to a history. */
const WORKFLOW_POLL = 'PollWorkflowTaskQueue';
const REPORT = /^Respond(Workflow|Activity)Task/;

/** Holds back what a worker receives and reports, until it is released. */
export class Stops implements Gate {
  private readonly held: Stop[] = [];
  /** The answer to a call that was sent before the gate existed passes. */
  private readonly known = new WeakSet<PassingCall>();
  private isOpen = false;

  requested(call: PassingCall): Promise<void> {
    this.known.add(call);
    return this.stop('requested', call);
  }

  async answered(call: PassingCall): Promise<void> {
    if (this.known.has(call)) await this.stop('answered', call);
  }

  /** A poll for workflow tasks: of those in the worker's memory (`sticky`) or of the others. */
  poll(side: Stop['side'], sticky?: boolean): Stop | undefined {
    return this.take(
      side,
      ({ method, ...call }) => method === WORKFLOW_POLL && call.sticky === (sticky ?? call.sticky),
    );
  }

  /** A report of a workflow task or of a call. */
  report(side: Stop['side'], of: 'Workflow' | 'Activity'): Stop | undefined {
    return this.take(side, ({ method }) => REPORT.exec(method)?.[1] === of);
  }

  /** Lets everything continue, now and later. */
  open(): void {
    this.isOpen = true;
    for (const { go } of this.held.splice(0)) go();
  }

  private take(side: Stop['side'], fits: (call: PassingCall) => boolean): Stop | undefined {
    const index = this.held.findIndex(({ side: at, call }) => at === side && fits(call) && !call.isGone());
    return index < 0 ? undefined : this.held.splice(index, 1)[0];
  }

  private async stop(side: Stop['side'], call: PassingCall): Promise<void> {
    if (this.isOpen || (call.method !== WORKFLOW_POLL && !REPORT.test(call.method))) return;
    await new Promise<void>((go) => this.held.push({ side, call, go }));
  }
}
