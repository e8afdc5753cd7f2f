import type { Json } from '../contracts/json.js';
import type { Problem } from '../contracts/problem.js';
import type { MadeText, CallsMade as ToldCalls } from '../contracts/run-sinks.js';

/** So many calls are listed from the first on, and so many failures after them: a loop may make thousands. */
const MOST_LISTED = 100;
const MOST_FAILURES = 100;
/** A record shows less; the rest lets a secret be found that is cut where the record cuts. */
const MOST_OF_A_VALUE = 6 * 1024;
/** Of all values together. What is beyond is told by its length. */
const MOST_OF_ALL = 400 * 1024;
const MOST_OF_A_MESSAGE = 2000;

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

/** What the calls of a run were given and gave, for its record; nothing of it is in the history. Source: R-000-86. */
export class CallsMade {
  private readonly listed: Made[] = [];
  private begun = 0;
  private failures = 0;

  /** @param earlier how many calls earlier runs of the task made, whose values did not come along. */
  constructor(private readonly earlier: number) {}

  /** Notes a call that begins. */
  begin(path: string, call: string, given: Json, task?: string): OpenCall {
    this.begun += 1;
    const made: Made = { path, call, given, ...(task !== undefined && { task }) };
    const isListed = this.listed.length < MOST_LISTED;
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

  /** The calls as texts that are cut; undefined where there was none. */
  tell(): ToldCalls | undefined {
    if (this.begun + this.earlier === 0) return undefined;
    let room = MOST_OF_ALL;
    const textOf = (value: Json): MadeText => {
      const whole = JSON.stringify(value) ?? 'null';
      const text = whole.slice(0, Math.min(MOST_OF_A_VALUE, room));
      room -= text.length;
      return [text, whole.length];
    };
    const listed = this.listed.map(({ path, call, task, given, gave, error }) => ({
      path,
      call,
      ...(task !== undefined && { task }),
      given: textOf(given),
      ...(gave !== undefined && { gave: textOf(gave) }),
      ...(error && { error: { code: error.code, message: error.message.slice(0, MOST_OF_A_MESSAGE) } }),
    }));
    return { listed, left_out: this.earlier + this.begun - listed.length };
  }
}
