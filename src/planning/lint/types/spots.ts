import type { Json, JsonObject } from '../../../contracts/json.js';
import type { HighLevel } from '../../../definitions/formats/high-level.js';
import type { BranchDefinition, ErrorHandlerDefinition } from '../../../definitions/formats/steps.js';
import { branchesOf, endsTask, listsIn, listsOf, type StepList, type StepNode, stepEndsTask } from './step-tree.js';

/** What belongs where an expression stands. */
export type Belongs =
  /** Bare CEL that gives true or false. */
  | 'condition'
  /** Bare CEL that gives true, false or a moment. */
  | 'moment'
  /** Bare CEL that gives a list. */
  | 'list'
  /** A template of each kind. */
  | 'text'
  /** A text, or a file, whose path is the text then. */
  | 'argument'
  | 'duration'
  | 'count'
  | 'parameters'
  | 'output'
  | 'value';

/** When an expression of a step is evaluated. */
export type Phase = 'before' | 'turn' | 'undo' | 'handler' | 'end';

/** A condition that is known to have come out so where an expression stands. */
export interface KnownCondition {
  source: string;
  outcome: boolean;
}

/** An expression, or a value with expressions in it, where it stands. */
export interface Spot {
  path: PropertyKey[];
  value: Json;
  belongs: Belongs;
  phase: Phase;
  /** Which handler, in that phase. */
  number: number;
  /** The step it belongs to; undefined for the workflow itself. */
  node: StepNode | undefined;
  /** The loops whose names it sees. */
  loops: readonly StepNode[];
  seesSignal: boolean;
  /** It is a `retry.if`, which sees the failed attempt and nothing else. */
  seesAttempt?: true;
  conditions: readonly KnownCondition[];
  /** The ability that parameters are for. */
  call?: string;
}

/** Where a walk through the steps has come to. */
interface Around {
  loops: readonly StepNode[];
  conditions: readonly KnownCondition[];
}

/** All steps and expressions of a workflow. */
export interface Spots {
  nodes: StepNode[];
  spots: Spot[];
}

/** Finds all steps and expressions of a workflow, each with what is known where it stands. */
export function findSpots(workflow: HighLevel): Spots {
  return new SpotFinder(workflow).found;
}

type Verb<Key extends string> = Extract<BranchDefinition, Record<Key, unknown>>;

class SpotFinder {
  readonly found: Spots = { nodes: [], spots: [] };

  constructor({ concurrency, output, ...workflow }: HighLevel) {
    const around: Around = { loops: [], conditions: [] };
    if (concurrency) this.add(undefined, around, ['concurrency', 'key'], concurrency.key, 'text');
    for (const list of listsOf(workflow as HighLevel)) this.list(list, undefined, around);
    this.handlers(workflow.on_error, undefined, around, 'output');
    if (output !== undefined) this.add(undefined, around, ['output'], output, 'output', { phase: 'end' });
  }

  private list({ part, number, path, steps }: StepList, parent: StepNode | undefined, around: Around): void {
    let { conditions } = around;
    for (const [index, definition] of steps.entries()) {
      const at = [...path, index];
      const node = { id: definition.id, definition, path: at, parent, part, number, index };
      this.step(node, { ...around, conditions });
      // A clean-up goes on, whatever became of one of its steps.
      if (part !== 'finally') conditions = [...conditions, ...knownAfter(definition)];
    }
  }

  private step(node: StepNode, around: Around): void {
    const { definition, path } = node;
    const { if: condition, timeout } = definition;
    this.found.nodes.push(node);
    if (condition !== undefined) this.add(node, around, ['if'], condition, 'condition');
    const inside = condition === undefined ? around : known(around, condition, true);
    if (timeout !== undefined) this.add(node, inside, ['timeout'], timeout, 'duration');
    this.verb(node, inside);
    this.handlers(definition.on_error, node, inside, 'value');
    const loops = 'foreach' in definition || 'repeat' in definition ? [...around.loops, node] : around.loops;
    const branches = Object.entries(branchesOf(definition)?.branches ?? {});
    for (const [index, [id, branch]] of branches.entries()) {
      const at = [...path, 'parallel' in definition ? 'parallel' : 'race', id];
      this.step({ id, definition: branch, path: at, parent: node, part: 'branch', number: 0, index }, inside);
    }
    for (const list of listsIn(definition, path)) {
      const sees = list.part === 'steps' ? { ...inside, loops } : inside;
      this.list(list, node, list.part === 'case' ? inCase(definition, list.number, sees) : sees);
    }
  }

  private verb(node: StepNode, around: Around): void {
    const { definition: step } = node;
    const add = (keys: PropertyKey[], value: Json | undefined, belongs: Belongs, more?: Partial<Spot>): void => {
      if (value !== undefined) this.add(node, around, keys, value, belongs, more);
    };
    if ('call' in step) this.call(step, add);
    if ('approval' in step) {
      add(['approval', 'title'], step.approval.title, 'text');
      add(['approval', 'timeout'], step.approval.timeout, 'duration');
    }
    if ('max_parallel' in step) add(['max_parallel'], step.max_parallel, 'count');
    if ('foreach' in step) add(['foreach'], step.foreach, typeof step.foreach === 'string' ? 'list' : 'value');
    if ('foreach' in step && step.label !== undefined) {
      const inside = { ...around, loops: [...around.loops, node] };
      this.add(node, inside, ['label'], step.label, 'text');
    }
    if ('switch' in step) this.cases(step, node, around);
    if ('repeat' in step) this.repeat(step, node, around);
    if ('wait' in step) this.wait(step, add);
    if ('steps' in step && 'retry' in step) this.retry(step.retry, add);
    if ('expanded' in step) add(['output'], step.expanded?.output, 'value', { phase: 'end' });
    if ('let' in step) add(['let'], step.let, 'value');
    if ('fail' in step) {
      add(['fail', 'message'], step.fail.message, 'text');
      add(['fail', 'details'], step.fail.details, 'value');
    }
    if ('end' in step) add(['end', 'output'], step.end?.output, 'output');
  }

  private call({ call, with: input, undo, retry }: Verb<'call'>, add: Add): void {
    add(['with'], input ?? {}, 'parameters', { call });
    if (undo) add(['undo', 'with'], undo.with ?? {}, 'parameters', { call: undo.call, phase: 'undo' });
    this.retry(retry, add);
  }

  private retry(retry: { first: string; max: string; if?: string | undefined } | undefined, add: Add): void {
    add(['retry', 'if'], retry?.if, 'condition', { seesAttempt: true });
    add(['retry', 'first'], retry?.first, 'duration');
    add(['retry', 'max'], retry?.max, 'duration');
  }

  private cases({ switch: cases }: Verb<'switch'>, node: StepNode, around: Around): void {
    for (const [number, item] of cases.entries()) {
      if ('else' in item) continue;
      this.add(node, before(cases, number, around), ['switch', number, 'if'], item.if, 'condition');
    }
  }

  private repeat({ repeat }: Verb<'repeat'>, node: StepNode, around: Around): void {
    const inside = { ...around, loops: [...around.loops, node] };
    this.add(node, around, ['repeat', 'max'], repeat.max, 'count');
    this.add(node, inside, ['repeat', 'until'], repeat.until, 'condition', { phase: 'turn' });
    this.add(node, inside, ['repeat', 'every'], repeat.every, 'duration', { phase: 'turn' });
  }

  private wait({ wait }: Verb<'wait'>, add: Add): void {
    if (typeof wait === 'string') add(['wait'], wait, 'duration');
    else if ('until' in wait) add(['wait', 'until'], wait.until, 'moment');
    else {
      add(['wait', 'if'], wait.if, 'condition', { seesSignal: true });
      add(['wait', 'timeout'], wait.timeout, 'duration');
    }
  }

  private handlers(
    handlers: ErrorHandlerDefinition[] = [],
    node: StepNode | undefined,
    around: Around,
    belongs: Belongs,
  ): void {
    for (const [number, { output }] of handlers.entries()) {
      if (output === undefined) continue;
      this.add(node, around, ['on_error', number, 'output'], output, belongs, { phase: 'handler', number });
    }
  }

  private add(
    node: StepNode | undefined,
    { loops, conditions }: Around,
    keys: PropertyKey[],
    value: Json,
    belongs: Belongs,
    more: Partial<Spot> = {},
  ): void {
    const path = [...(node?.path ?? []), ...keys];
    const usual = { phase: 'before', number: 0, seesSignal: false } as const;
    this.found.spots.push({ ...usual, path, value, belongs, node, loops, conditions, ...more });
  }
}

type Add = (keys: PropertyKey[], value: Json | JsonObject | undefined, belongs: Belongs, more?: Partial<Spot>) => void;

function known(around: Around, source: string, outcome: boolean): Around {
  return { ...around, conditions: [...around.conditions, { source, outcome }] };
}

/** No case before this one held. */
function before(cases: Verb<'switch'>['switch'], number: number, around: Around): Around {
  return cases.slice(0, number).reduce((at, item) => ('else' in item ? at : known(at, item.if, false)), around);
}

function inCase(step: BranchDefinition, number: number, around: Around): Around {
  if (!('switch' in step)) return around;
  const item = step.switch[number];
  const at = before(step.switch, number, around);
  return !item || 'else' in item ? at : known(at, item.if, true);
}

/** What is known behind a step that ends the task under a condition: the condition did not hold. */
function knownAfter(step: BranchDefinition): KnownCondition[] {
  if (step.if !== undefined) return stepEndsTask(step) ? [{ source: step.if, outcome: false }] : [];
  if (!('switch' in step) || step.on_error || step.continue_on_error) return [];
  const passed = step.switch.findIndex((item) => 'else' in item || !endsTask(item.steps));
  const ended = passed < 0 ? step.switch : step.switch.slice(0, passed);
  return ended.flatMap((item) => ('else' in item ? [] : [{ source: item.if, outcome: false }]));
}
