import type { ApprovalField, CommentRule } from './approvals.js';
import type { Json, JsonObject } from './json.js';

/** Who may decide: the names as written, the people to whom they resolve, and the groups of an OpenID claim. */
export interface Approvers {
  listed: string[];
  people: string[];
  groups: string[];
}

/** What happens while no one decides, in milliseconds from the request. */
export interface WhileOpen {
  remind_ms?: number[];
  escalate?: { after_ms: number; to: Approvers };
}

/** Retries of a failed call or group. Times may be templates that yield a duration. */
export interface PlanRetry {
  attempts: number;
  first: string;
  factor: number;
  max: string;
  /** Codes or families of codes to retry; absent: those that the effect allows. */
  errors?: string[];
  /** Bare CEL over `error` and `attempt`: false ends the attempts. */
  if?: string;
  /** Shortens each wait at random, to no less than half of it. */
  jitter?: true;
}

/** The fields of every step. */
export interface StepModifiers {
  /** Unique in the workflow; for a template's step `<id of its use>/<its name>`, see `nameOfStep`. */
  id: string;
  /** Bare CEL. */
  if?: string;
  /** A duration, or a template that yields one. */
  timeout?: string;
  on_error?: ErrorHandler[];
  continue_on_error?: boolean;
  finally?: PlanStep[];
  /** If an `end` leaves the step and its `finally` then fails, the task fails. */
  fails_end?: true;
}

/** Handling of a failure. Source: docs/workflow-language.md#failures; docs/workflow-language.md#calls. */
export interface ErrorHandler {
  /** Codes or families of codes; absent: all that a catch-all may catch. */
  errors?: string[];
  steps: PlanStep[];
  /** Output of the step in that case; absent: null. */
  output?: Json;
  /** Fail nevertheless, with the same code and status. */
  rethrow?: boolean;
}

/** A compensating call. */
export interface PlanUndo {
  call: string;
  with: Json;
  /** It asks people itself; absent: the approval of its call covers it, if that needs one. */
  approval?: 'required';
}

/** Calls an ability. */
export interface CallStep extends StepModifiers {
  verb: 'call';
  call: string;
  with: Json;
  retry?: PlanRetry;
  /** The call may be interrupted, and then counts as cancelled whether or not its effect took place. */
  cut?: 'allowed';
  /** The call that compensates this one if the task fails or is cancelled. */
  undo?: PlanUndo;
}

/** Waits for people. */
export interface ApprovalStep extends StepModifiers {
  verb: 'approval';
  approval: {
    title: string;
    approvers?: Approvers;
    quorum?: number;
    /** A duration, or a template that yields one. */
    expires: string;
    comment: CommentRule;
    fields?: Record<string, ApprovalField>;
    /** Fields of the ability's input that its deciders may change. */
    edit?: string[];
    /** Absent: as the environment says. */
    while_open?: WhileOpen;
  };
}

/**
 * What happens to the others when a branch or turn fails. Source: docs/workflow-language.md#parallel-steps-and-races.
 */
export type OnFailure = 'stop' | 'finish' | 'cancel';

/** Runs branches concurrently; a branch's name is its step id. */
export interface ParallelStep extends StepModifiers {
  verb: 'parallel';
  branches: PlanStep[];
  /** A number, or a template that yields one; absent: all at once. */
  max_parallel?: number | string;
  on_failure?: OnFailure;
}

/** Runs branches concurrently until the first one ends; the others are cancelled. */
export interface RaceStep extends StepModifiers {
  verb: 'race';
  branches: PlanStep[];
}

/** Runs steps once for each item of a list. */
export interface ForeachStep extends StepModifiers {
  verb: 'foreach';
  /** Bare CEL, or the list itself. */
  foreach: { expression: string } | { list: Json[] };
  as: string;
  index?: string;
  /** A template for an item's label. Absent: the item itself. */
  label?: string;
  /** A number, or a template that yields one. */
  max_parallel: number | string;
  on_failure?: OnFailure;
  /** Its one step is a call of an operation, and people are asked once for those of all items. Absent: for each. */
  asks_once?: true;
  steps: PlanStep[];
}

/** Runs the steps of the first case that holds. */
export interface SwitchStep extends StepModifiers {
  verb: 'switch';
  /** A case without `if` is the last one and always holds. */
  cases: { if?: string; steps: PlanStep[] }[];
}

/** Runs steps again until a condition holds. */
export interface RepeatStep extends StepModifiers {
  verb: 'repeat';
  /** Durations and numbers may be templates. */
  repeat: { until: string; every: string; max: number | string };
  index?: string;
  steps: PlanStep[];
}

/** Waits for time to pass, for a condition, or for a signal. */
export interface WaitStep extends StepModifiers {
  verb: 'wait';
  wait: { for: string } | { until: string } | { signal: string; if?: string; timeout?: string };
}

/** Runs steps in order. */
export interface GroupStep extends StepModifiers {
  verb: 'steps';
  steps: PlanStep[];
  retry?: PlanRetry;
  template?: PlanTemplate;
}

/** The template that a group was expanded from. */
export interface PlanTemplate {
  name: string;
  /** Its first step names the template's parameters and yields no output. */
  given?: boolean;
  /** A template over `steps`; absent: the last output of the executed steps. */
  output?: Json;
}

/** Names values. */
export interface LetStep extends StepModifiers {
  verb: 'let';
  let: JsonObject;
}

/** Ends the task as failed. */
export interface FailStep extends StepModifiers {
  verb: 'fail';
  fail: { code: string; message: string; details?: Json };
}

/** Ends the task as succeeded. */
export interface EndStep extends StepModifiers {
  verb: 'end';
  end: { output: Json };
}

/** One step, discriminated by its verb. */
export type PlanStep =
  | CallStep
  | ApprovalStep
  | ParallelStep
  | RaceStep
  | ForeachStep
  | SwitchStep
  | RepeatStep
  | WaitStep
  | GroupStep
  | LetStep
  | FailStep
  | EndStep;
