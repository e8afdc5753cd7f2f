import type { CallMade, CallsMade as ToldCalls } from '../../contracts/calls-made.js';
import type { Json } from '../../contracts/json.js';
import type { Problem } from '../../contracts/problem.js';
import type { CarriedCalls } from '../../contracts/task.js';
import { MadeTexts } from './made-texts.js';

/** So many calls are listed from the first on, and so many failures after them: a loop may make thousands. */
const MOST_LISTED = 100;
const MOST_FAILURES = 100;
/** Characters of all values together: a record shows less. What is beyond is told by its length. */
const MOST_OF_ALL = 400 * 1024;
/** Of what the next run of the task takes along, which its history keeps. */
const MOST_CARRIED = 8 * 1024;
const MOST_OF_A_CARRIED = 512;
const MOST_OF_A_MESSAGE = 2000;
const MOST_OF_A_CARRIED_MESSAGE = 200;

/** A call that was begun, by reference: nothing is copied before the task ends. */
interface Made {
  path: string;
  call: string;
  task?: string;
  given: Json;
  gave?: Json;
  error?: Problem;
}

/** A call under way, to be ended. */
export interface OpenCall {
  gave(output: Json): void;
  failed(problem: Problem): void;
}

/** What the calls of a task were given and gave, for its record. Source: R-000-86. */
export class CallsMade {
  private readonly listed: Made[] = [];
  private readonly earlier: CallMade[];
  private begun = 0;
  private failures: number;

  /** @param before how many calls earlier runs of the task made. @param carried those of them that came along. */
  constructor(
    private readonly before: number,
    carried?: CarriedCalls,
  ) {
    this.earlier = carried?.listed ?? [];
    this.failures = carried?.failures ?? 0;
  }

  /** Notes a call that begins. */
  begin(path: string, call: string, given: Json, task?: string): OpenCall {
    this.begun += 1;
    const made: Made = { path, call, given, ...(task !== undefined && { task }) };
    const isListed = this.room > 0;
    if (isListed) this.listed.push(made);
    return {
      gave: (output) => {
        if (isListed) made.gave = output;
      },
      failed: (problem) => {
        made.error = problem;
        if (!isListed && this.failures++ < MOST_FAILURES) this.listed.push(made);
      },
    };
  }

  /** The calls as texts that are cut, those of earlier runs first; undefined where there was none. */
  tell(): ToldCalls | undefined {
    const all = this.begun + this.before;
    if (all === 0) return undefined;
    const listed = this.texts(new MadeTexts(MOST_OF_ALL));
    return { listed, left_out: Math.max(0, all - listed.length) };
  }

  /** What the next run of the task takes along; undefined where there was no call. */
  carry(): CarriedCalls | undefined {
    if (this.earlier.length + this.listed.length === 0) return undefined;
    const listed = this.texts(new MadeTexts(MOST_CARRIED, MOST_OF_A_CARRIED), MOST_OF_A_CARRIED_MESSAGE);
    return { listed, failures: this.failures };
  }

  /** How many more are listed whatever becomes of them. */
  private get room(): number {
    return MOST_LISTED + Math.min(this.failures, MOST_FAILURES) - this.earlier.length - this.listed.length;
  }

  private texts(texts: MadeTexts, mostOfMessage = MOST_OF_A_MESSAGE): CallMade[] {
    const earlier = this.earlier.map(({ given, gave, ...call }) => ({
      ...call,
      given: texts.again(given),
      ...(gave && { gave: texts.again(gave) }),
    }));
    const own = this.listed.map(({ path, call, task, given, gave, error }) => ({
      path,
      call,
      ...(task !== undefined && { task }),
      given: texts.of(given),
      ...(gave !== undefined && { gave: texts.of(gave) }),
      ...(error && { error: { code: error.code, message: error.message.slice(0, mostOfMessage) } }),
    }));
    return [...earlier, ...own];
  }
}
