import type { CallMade, CallsMade, MadeText, StepsDone } from '../../contracts/calls-made.js';
import type { Json } from '../../contracts/json.js';
import type { Plan, PlanImplementation } from '../../contracts/plan.js';
import type { CalledPlace, RecordedCall, RecordedValue, TaskRecord } from '../../contracts/record.js';
import { Masker } from '../../planning/secrets/masking/masker.js';
import type { SecretSource } from '../../planning/secrets/secret-source.js';
import { startOf } from '../../rules/shown-text.js';
import { secretsOf } from './mask-record.js';

/** Inputs and outputs of a task's calls, first masked, then cut; an empty object if it made none. */
export function recordCalls(
  made: CallsMade | undefined,
  plan: Plan,
  secrets: (environment: string) => SecretSource,
): Pick<TaskRecord, 'calls' | 'calls_left_out'> {
  if (!made) return {};
  const values = new CutValues(new Masker(secretsOf(plan, secrets(plan.environment.name))));
  const calls = made.listed.map((call) => recordCall(call, plan, values));
  return { calls, ...(made.left_out > 0 && { calls_left_out: made.left_out }) };
}

function recordCall({ path, call, task, given, gave, error }: CallMade, plan: Plan, values: CutValues): RecordedCall {
  const implementation = plan.operations[call]?.implementation;
  return {
    path,
    call,
    ...(implementation && { implementation: implementation.id }),
    runs: implementation ? placeOf(implementation) : { kind: 'workflow', task: task ?? '' },
    given: values.cut(given),
    ...(gave && { gave: values.cut(gave) }),
    ...(error && { error: { code: error.code, message: values.masker.mask(error.message) } }),
  };
}

function placeOf(implementation: PlanImplementation): CalledPlace {
  switch (implementation.kind) {
    case 'api': {
      const { method, base_url, path } = implementation.api;
      return { kind: 'api', method, url: `${base_url.replace(/\/$/, '')}${path}` };
    }
    case 'mcp': {
      const { server, tool, pinned } = implementation.mcp;
      return { kind: 'mcp', server: server.name, tool, ...(pinned !== undefined && { pinned }) };
    }
    case 'script':
      return { kind: 'script', script: implementation.script.path, digest: implementation.script.digest };
    case 'model': {
      const { name, script } = implementation.model;
      return { kind: 'model', model: name, ...(script && { digest: script.digest }) };
    }
  }
}

/** Outcomes of a task's steps that are no calls, for its record. @returns an empty object if none. */
export function recordSteps(
  done: StepsDone | undefined,
  plan: Plan,
  secrets: (environment: string) => SecretSource,
): Pick<TaskRecord, 'steps' | 'steps_left_out'> {
  if (!done) return {};
  const values = new CutValues(new Masker(secretsOf(plan, secrets(plan.environment.name))));
  const steps = done.listed.map(({ path, verb, status, gave, error }) => ({
    path,
    verb,
    status,
    ...(gave && { gave: values.cut(gave) }),
    ...(error && { error: { code: error.code, message: values.masker.mask(error.message) } }),
  }));
  return { steps, ...(done.left_out > 0 && { steps_left_out: done.left_out }) };
}

/** Maximum characters of one value, and of all values of a record together. */
const MAX_OF_A_VALUE = 4 * 1024;
const MAX_OF_ALL = 256 * 1024;

export class CutValues {
  private room = MAX_OF_ALL;

  constructor(readonly masker: Masker) {}

  cut([text, characters]: MadeText): RecordedValue {
    const recorded = text.length === characters ? this.cutWhole(text) : this.cutStart(text, characters);
    this.room -= 'value' in recorded ? text.length : recorded.start.length;
    return recorded;
  }

  private cutWhole(text: string): RecordedValue {
    const masked = this.masker.maskDeep(JSON.parse(text)) as Json;
    const whole = JSON.stringify(masked);
    const max = this.max();
    return whole.length <= max ? { value: masked } : { start: startOf(whole, max), characters: whole.length };
  }

  /** Ends the text before a secret that the cut may have halved. */
  private cutStart(text: string, characters: number): RecordedValue {
    const known = text.slice(0, this.masker.openAt(text));
    return { start: startOf(this.masker.mask(known), this.max()), characters };
  }

  private max(): number {
    return Math.max(0, Math.min(MAX_OF_A_VALUE, this.room));
  }
}
