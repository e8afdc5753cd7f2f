import type { Json, JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import { allSteps } from '../../rules/steps/find-step.js';
import { hide, type Known } from './partial-evaluation.js';

/** The names that expressions of one workflow see before it runs: the known ones, and those that only the run will know. */
export class PreviewScope {
  private constructor(
    readonly plan: Plan,
    /** Undefined where nothing is known of it. Members may be hidden. */
    readonly input: JsonObject | undefined,
    private readonly steps: JsonObject,
    private readonly unknown: ReadonlyMap<string, string>,
  ) {}

  /** Before a task begins: its input is known, and none of its steps. */
  static of(plan: Plan, input: JsonObject | undefined): PreviewScope {
    return new PreviewScope(plan, input, hiddenSteps(plan), new Map(input ? [] : [['input', 'its input']]));
  }

  get known(): Known {
    const { environment, ability } = this.plan;
    const { name, protected: isProtected, vars } = environment;
    const task: JsonObject = { ability: ability.id };
    for (const key of ['key', 'started_at', 'status', 'error']) hide(task, key, `task.${key}`);
    const values: Known['values'] = {
      ...(this.input && { input: this.input }),
      steps: this.steps,
      environment: { name, protected: isProtected, vars },
      task,
    };
    return { values, unknown: this.unknown };
  }

  /** The scope of steps that may not run, or that run beside others: their results are unknown outside. */
  apart(names: Readonly<Record<string, string>> = {}): PreviewScope {
    const steps = Object.defineProperties({}, Object.getOwnPropertyDescriptors(this.steps)) as JsonObject;
    return new PreviewScope(this.plan, this.input, steps, new Map([...this.unknown, ...Object.entries(names)]));
  }

  /** The scope if it is unknown which steps have run: in handlers and clean-ups. */
  afterFailure(): PreviewScope {
    return new PreviewScope(this.plan, this.input, hiddenSteps(this.plan), this.unknown);
  }

  /** Records the certain results of a step for those after it. */
  learn(id: string, value: { status: string; output: Json }): void {
    Object.defineProperty(this.steps, id, {
      value: { ...value, error: null },
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
}

function hiddenSteps(plan: Plan): JsonObject {
  const steps: JsonObject = {};
  for (const { step } of allSteps(plan)) hide(steps, step.id, `steps.${step.id}`);
  return steps;
}
