import type { Json, JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import { allSteps } from '../../rules/steps/find-step.js';
import { hide, type Known } from './partial-evaluation.js';

/** The names that expressions of a workflow see before it runs, known and unknown. */
export class PreviewScope {
  private constructor(
    readonly plan: Plan,
    /** Undefined if nothing is known of it; may have hidden members. */
    readonly input: JsonObject | undefined,
    private readonly steps: JsonObject,
    private readonly unknown: ReadonlyMap<string, string>,
  ) {}

  /** The scope at the start of a task: all steps are unknown. */
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

  /** A copy for steps that may not run or run concurrently: what it learns is not known outside. */
  apart(names: Readonly<Record<string, string>> = {}): PreviewScope {
    const steps = Object.defineProperties({}, Object.getOwnPropertyDescriptors(this.steps)) as JsonObject;
    return new PreviewScope(this.plan, this.input, steps, new Map([...this.unknown, ...Object.entries(names)]));
  }

  /** The scope of handlers and clean-ups, where it is unknown which steps have run. */
  afterFailure(): PreviewScope {
    return new PreviewScope(this.plan, this.input, hiddenSteps(this.plan), this.unknown);
  }

  /** Records a certain result of a step for the steps after it. */
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
