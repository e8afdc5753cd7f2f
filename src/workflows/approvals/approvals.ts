import type { Approval, DecisionOutcome } from '../../contracts/approvals.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Carried } from '../../contracts/task.js';
import { digestOf } from '../../rules/canonical.js';

/**
 * Checks a changed input: its schema, then the guards. @returns the input with defaults applied. @throws StepFailure why the
 * change is refused.
 */
export type InputCheck = (changed: JsonObject) => Promise<JsonObject>;

/** The maximum number of outcomes that are kept for their senders. */
const MAX_OUTCOMES = 100;

export class Approvals {
  readonly list: Approval[];
  /** Outcomes by the ids of the decisions; null while a proof is checked. */
  private readonly outcomes: Map<string, DecisionOutcome | null>;
  /** Number of pending checks of proofs. */
  pendingProofs = 0;
  /** Whether the workers of this task can check proofs; undefined until that is needed. */
  provable: Promise<boolean> | undefined;
  /** How the input of an open approval that may be edited is checked. */
  readonly checks = new Map<Approval, InputCheck>();
  /** One edit is checked at a time. */
  private editing: Promise<unknown> = Promise.resolve();
  /** Number of grants that this run has started: approvals that are open then may be granted. */
  granted = 0;
  /** Pending handovers of notices to the server. */
  readonly notices: Promise<void>[] = [];

  constructor({ approvals = [], decided = {} }: Partial<Pick<Carried, 'approvals' | 'decided'>> = {}) {
    this.list = [...approvals];
    this.outcomes = new Map(Object.entries(decided));
  }

  /** After the edits that came before. */
  inTurn<T>(check: () => Promise<T>): Promise<T> {
    const next = this.editing.then(check, check);
    this.editing = next.catch(() => {});
    return next;
  }

  /** Whether a decision with this id has come before. */
  has(id: string | undefined): boolean {
    return id !== undefined && this.outcomes.has(id);
  }

  /** Null also for a decision that has not arrived. */
  outcomeOf(id: string): DecisionOutcome | null {
    return this.outcomes.get(id) ?? null;
  }

  /** @param outcome null: a proof is being checked. */
  note(id: string | undefined, outcome: DecisionOutcome | null): void {
    if (id === undefined) return;
    this.outcomes.set(id, outcome);
    const [oldest] = this.outcomes.keys();
    if (this.outcomes.size > MAX_OUTCOMES && oldest !== undefined) this.outcomes.delete(oldest);
  }

  /**
   * What people approved ahead for just this: the same call, and no reason to ask that they have not seen. It counts once;
   * without one the call asks.
   */
  takeAhead({ path, what, title, reasons, raised_at }: Approval): Approval | undefined {
    const given = this.list.find(
      (one) =>
        one.due_at !== undefined &&
        one.used_at === undefined &&
        one.status === 'approved' &&
        digestOf([one.path, one.what, one.title]) === digestOf([path, what, title]) &&
        reasons.every((reason) => one.reasons.includes(reason)),
    );
    if (given) given.used_at = raised_at;
    return given;
  }

  /** What the next run needs; proofs have been checked by then. */
  carry(): Pick<Carried, 'approvals' | 'decided'> {
    const decided = Object.fromEntries([...this.outcomes].flatMap(([id, outcome]) => (outcome ? [[id, outcome]] : [])));
    return { approvals: this.list, ...(this.outcomes.size > 0 && { decided }) };
  }

  get open(): Approval[] {
    return this.list.filter(({ status }) => status === 'open');
  }
}
