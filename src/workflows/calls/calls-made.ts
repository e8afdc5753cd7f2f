import type { AgentUsage } from '../../contracts/agent.js';
import type { CallMade, MadeText, CallsMade as ReportedCalls } from '../../contracts/calls-made.js';
import type { Json } from '../../contracts/json.js';
import type { Problem } from '../../contracts/problem.js';
import type { CarriedCalls } from '../../contracts/task.js';
import { addUsage, UNUSED } from '../../rules/agents.js';

/** The first calls are listed, and the first failures after them: a loop may make thousands. */
const MAX_LISTED = 100;
const MAX_FAILURES = 100;
/** Characters of all values together: a record shows less. The rest is reported by its length. */
const MAX_TEXT = 400 * 1024;
/** Limit for the values carried to the next run of the task, whose history keeps them. */
const MAX_CARRIED = 8 * 1024;
const MAX_CARRIED_VALUE = 512;
const MAX_MESSAGE = 2000;
const MAX_CARRIED_MESSAGE = 200;

/** A started call, by reference: values are not copied before the task ends. */
interface Made {
  path: string;
  call: string;
  task?: string;
  given: Json;
  gave?: Json;
  error?: Problem;
}

export interface OpenCall {
  gave(output: Json): void;
  failed(problem: Problem): void;
}

/** For the task's record. Source: R-000-86. */
export class CallsMade {
  private readonly listed: Made[] = [];
  private readonly earlier: CallMade[];
  private begun = 0;
  private failures: number;

  /** Number of calls that count for the task's limit. */
  count: number;

  /** @param before number of earlier calls. @param carried those kept. @param agents usage of called agents. */
  constructor(
    private readonly before = 0,
    carried?: CarriedCalls,
    public agents?: AgentUsage,
  ) {
    this.count = before;
    this.earlier = carried?.listed ?? [];
    this.failures = carried?.failures ?? 0;
  }

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
        if (!isListed && this.failures++ < MAX_FAILURES) this.listed.push(made);
      },
    };
  }

  /** Adds the usage of an agent called by the workflow or by one of its called tasks. */
  countAgent(usage: AgentUsage): void {
    const before = this.agents ?? UNUSED;
    this.agents = { ...addUsage(before, usage), turns: before.turns + usage.turns };
  }

  /** The calls as shortened texts, those of earlier runs first; undefined if there were none. */
  report(): ReportedCalls | undefined {
    const all = this.begun + this.before;
    if (all === 0) return undefined;
    const listed = this.texts(new MadeTexts(MAX_TEXT));
    return { listed, left_out: Math.max(0, all - listed.length) };
  }

  /** The calls carried to the next run of the task; undefined if there were none. */
  carry(): CarriedCalls | undefined {
    if (this.earlier.length + this.listed.length === 0) return undefined;
    const listed = this.texts(new MadeTexts(MAX_CARRIED, MAX_CARRIED_VALUE), MAX_CARRIED_MESSAGE);
    return { listed, failures: this.failures };
  }

  /** Number of further calls that may be listed if they do not fail. */
  private get room(): number {
    return MAX_LISTED + Math.min(this.failures, MAX_FAILURES) - this.earlier.length - this.listed.length;
  }

  private texts(texts: MadeTexts, maxMessage = MAX_MESSAGE): CallMade[] {
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
      ...(error && { error: { code: error.code, message: error.message.slice(0, maxMessage) } }),
    }));
    return [...earlier, ...own];
  }
}

/** More than a record shows: redaction must see a secret whole before the record cuts it. */
const MAX_VALUE = 6 * 1024;

/** Cuts JSON texts, each to a maximum and all to a total. Sizes are characters. */
export class MadeTexts {
  constructor(
    private room: number,
    private readonly maxOfOne = MAX_VALUE,
  ) {}

  of(value: Json): MadeText {
    const whole = JSON.stringify(value) ?? 'null';
    return this.again([whole, whole.length]);
  }

  /** Cuts a text that was cut before. */
  again([known, characters]: MadeText): MadeText {
    const text = known.slice(0, Math.min(this.maxOfOne, this.room));
    this.room -= text.length;
    return [text, characters];
  }
}
