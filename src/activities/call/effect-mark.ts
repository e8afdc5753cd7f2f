import { CallFailure } from './call-failure.js';

/** Identifies a call of a task: the same for every start of that task with these arguments. */
export interface MarkedCall {
  project: string;
  environment: string;
  /** `<task>/<path>`. */
  call: string;
  /** Attempt of each retried group around the call, outermost first; empty: the first attempt of all. */
  groups: readonly number[];
  /** Number of earlier attempts that were lost and had no effect; absent: none. */
  after?: number;
}

export interface MarkedBy {
  run: string;
  activity: string;
}

/** The store of marks: each mark is made once, even if several callers try at the same time. */
export interface EffectMarks {
  /** @returns `made`, or who left it earlier. @throws AbilityError `store.full`, `store.not_shared`. */
  make(call: MarkedCall, by: MarkedBy): Promise<'made' | MarkedBy>;
  remove(call: MarkedCall): Promise<void>;
}

/** Failures of a call that certainly neither sent nor started anything. */
const NOT_BEGUN: ReadonlySet<string> = new Set(['unavailable.connection', 'script.start_failed']);

/**
 * The mark that an attempt leaves before an effect that must not be repeated. To Temporal a reset, or a second
 * start with the same arguments, is a new run without the effects of an earlier one; the mark knows them.
 */
export class EffectMark {
  private isOwn = false;

  constructor(
    private readonly marks: EffectMarks,
    private readonly call: MarkedCall,
    private readonly by: MarkedBy,
    private readonly wayOn: string,
  ) {}

  /**
   * Leaves the mark. @returns whether an earlier attempt of the same activity left it. @throws CallFailure
   * `outcome.unknown` where another start left it; AbilityError `store.full`, `store.not_shared`.
   */
  async make(): Promise<boolean> {
    const found = await this.marks.make(this.call, this.by);
    if (found === 'made') this.isOwn = true;
    else if (found.run !== this.by.run || found.activity !== this.by.activity) throw this.earlierStart(found);
    return found !== 'made';
  }

  /** The failure if an earlier attempt was lost after it left the mark. @param because why it is not repeated now. */
  lostAttempt(because: string): CallFailure {
    return this.unknown(
      `An earlier attempt of ${this.call.call} was lost with its worker, and nothing was done now, since ${because}`,
    );
  }

  /** Removes the mark of this attempt if its effect certainly did not begin. */
  async takeBack(error: unknown, hasBegun: boolean): Promise<void> {
    const notBegun = !hasBegun || (error instanceof CallFailure && !error.unclear && NOT_BEGUN.has(error.code));
    if (this.isOwn && notBegun) await this.marks.remove(this.call);
  }

  private earlierStart({ run, activity }: MarkedBy): CallFailure {
    const { call } = this.call;
    return this.unknown(
      `${call} was started before, by the run ${run}, and nothing was done now: how it ended there is not known here`,
      { earlier: { run, activity } },
    );
  }

  private unknown(message: string, details?: object): CallFailure {
    return new CallFailure({
      code: 'outcome.unknown',
      message,
      ...(details && { details }),
      suggestion: `Check by hand whether the effect took place. ${this.wayOn}`,
    });
  }
}
