/** Random plans, each with the script of its world. */
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/contracts/json.js';
import type { CallStep, ErrorHandler, OnFailure, Plan, PlanOperation, PlanStep } from '../../src/contracts/plan.js';
import { examplePlan } from '../unit/rules/example-plan.js';
import { everyStep } from './reference.js';
import { Script, type Verdict } from './script.js';

/** A plan, its input, and what happens while it runs. */
export interface Tree {
  plan: Plan;
  input: JsonObject;
  script: Script;
  /** How fast-check prints it. */
  [fc.toStringMethod]?: () => string;
}

/** Constructs, each of which occurs in at least one tree in ten. */
export const CONSTRUCTS = [
  ...['call', 'approval', 'foreach', 'parallel', 'race', 'switch', 'repeat', 'wait', 'steps', 'let', 'fail', 'end'],
  ...['if', 'on_error', 'errors', 'catch-all', 'rethrow', 'handler output', 'continue_on_error', 'finally', 'undo'],
  ...['retry of a call', 'retry of a group', 'timeout', 'task finally', 'task on_error', 'task output'],
  ...[
    'max_calls',
    'items at once',
    'on_failure cancel',
    'on_failure finish',
    'cancellation',
    'expiry',
    'deny',
    'own last turn',
  ],
] as const;

const VERBS = [
  ...['call', 'call', 'call', 'call', 'approval', 'foreach', 'parallel', 'race', 'switch', 'repeat', 'wait', 'steps'],
  ...['steps', 'let', 'let', 'fail', 'end'],
] as const;
const LEAVES = ['call', 'call', 'call', 'call', 'approval', 'wait', 'let', 'fail', 'end'] as const;
const MODIFIERS = ['if', 'on_error', 'continue', 'finally', 'undo', 'retry', 'timeout'] as const;
const CODES = ['script.exit', 'http.503', 'http.404', 'app.broken', 'input.invalid'];
const ERRORS = [
  ['script.exit'],
  ['app'],
  ['http.5xx', 'timeout'],
  ['unavailable'],
  ['approval.denied'],
  ['http', 'repeat'],
];

/** What a step is made from: its choices are numbers, so that fast-check can shrink a failing tree. */
interface Sketch {
  verb: (typeof VERBS)[number];
  choices: number[];
  modifiers: (typeof MODIFIERS)[number][];
  inner: Sketch[];
  others: Sketch[];
}

function sketch(depth: number): fc.Arbitrary<Sketch> {
  const few: fc.Arbitrary<Sketch[]> =
    depth === 0 ? fc.constant([]) : fc.array(sketch(depth - 1), { minLength: 1, maxLength: 3 });
  return fc.record({
    verb: depth === 0 ? fc.constantFrom(...LEAVES) : fc.constantFrom(...VERBS),
    choices: fc.array(fc.nat(999), { minLength: 12, maxLength: 12 }),
    modifiers: fc.uniqueArray(fc.constantFrom(...MODIFIERS), { maxLength: 3 }),
    inner: few,
    others: few,
  });
}

/** Trees of bounded depth and size. */
export const trees: fc.Arbitrary<Tree> = fc
  .record({
    steps: fc.array(sketch(3), { minLength: 1, maxLength: 4 }),
    finally: fc.array(sketch(1), { maxLength: 2 }),
    handler: fc.option(fc.array(sketch(1), { minLength: 1, maxLength: 2 })),
    choices: fc.array(fc.nat(999), { minLength: 12, maxLength: 12 }),
    salt: fc.integer({ min: 1, max: 2 ** 30 }),
    cancelled: fc.option(fc.integer({ min: 1, max: 2 ** 30 }), { freq: 5 }),
  })
  .map((drawn) => {
    const isLimited = at(drawn.choices, 4) % 6 === 1;
    const cancelAt = isLimited || drawn.cancelled === null ? undefined : 1 + 2 * drawn.cancelled;
    return new Builder(drawn.salt, cancelAt, isLimited).build(drawn);
  });

/** What can be read and done at a place of the tree. */
interface Place {
  /** Ids of the earlier steps. */
  before: string[];
  names: string[];
  /** The first step of a branch takes time and cannot fail at once, so that no two branches end together. */
  isFirst: boolean;
  /** Whether turns follow each other, so that a step may read its own last turn. */
  hasTurns: boolean;
  /** Whether `end` may occur: it is not defined next to branches that run to their end. */
  mayEnd: boolean;
}

class Builder {
  private counter = 0;
  private left = 24;
  private readonly outcomes: Record<string, string[]> = {};
  private readonly verdicts: Record<string, Verdict['says']> = {};
  private readonly durations: Script;

  /** @param isLimited whether the task has a limit on calls, which is not defined for parallel ones. */
  constructor(
    private readonly salt: number,
    private readonly cancelAt: number | undefined,
    private readonly isLimited: boolean,
  ) {
    this.durations = new Script(salt, {}, {}, undefined);
  }

  build({
    steps,
    finally: cleanup,
    handler,
    choices,
  }: {
    steps: Sketch[];
    finally: Sketch[];
    handler: Sketch[] | null;
    choices: number[];
  }): Tree {
    const place: Place = { before: [], names: [], isFirst: false, hasTurns: false, mayEnd: true };
    const plan = planOf([]);
    plan.steps = this.list(steps, place);
    if (handler) plan.on_error = [this.handler(handler, choices, { ...place, before: [] }, 'task.error.code')];
    plan.finally = this.list(cleanup, { ...place, before: [...place.before], mayEnd: false });
    if (at(choices, 3) % 4 !== 0) plan.output = this.value(choices, place);
    if (this.isLimited) plan.limits.max_calls = 1 + (at(choices, 5) % 4);
    const script = new Script(this.salt, this.outcomes, this.verdicts, this.cancelAt);
    const { steps: tree, finally: last, on_error, output, limits } = plan;
    const shown = { tree, last, on_error, output, max_calls: limits.max_calls, script };
    const print = (): string => JSON.stringify(shown);
    return { [fc.toStringMethod]: print, plan, input: { yes: true, no: false, n: 3, list: [1, 2, 3] }, script };
  }

  private list(sketches: readonly Sketch[], place: Place): PlanStep[] {
    const steps: PlanStep[] = [];
    for (const drawn of sketches) {
      if (this.left <= 0 && steps.length > 0) break;
      steps.push(this.step(drawn, place));
      place.isFirst = false;
    }
    return steps;
  }

  /** A list that begins with a call, so that time passes before anything else can happen. */
  private body(sketches: readonly Sketch[], place: Place): PlanStep[] {
    const first = this.call(place, ['ok']);
    place.before.push(first.id);
    return [first, ...this.list(sketches, { ...place, isFirst: false })];
  }

  private call(place: Place, outcomes: string[], choices: readonly number[] = []): CallStep {
    const id = this.id();
    this.outcomes[id] = outcomes;
    const plain = choices.length === 0 || place.isFirst;
    const call = at(choices, 0) % 2 === 0 ? 'op.read' : 'op.add';
    return { id, verb: 'call', call, with: plain ? { id } : { value: this.value(choices, place, id) } };
  }

  private step(drawn: Sketch, place: Place): PlanStep {
    this.left -= 1;
    const inner: Place = { ...place, before: [...place.before], names: [...place.names] };
    const step = this.verb(drawn, inner);
    for (const id of inner.before) if (!place.before.includes(id) && step.verb !== 'foreach') place.before.push(id);
    const after: Place = { ...inner, before: [...place.before, step.id], isFirst: false };
    for (const modifier of drawn.modifiers) this.modify(step, modifier, drawn, place, after);
    place.before.push(step.id);
    return step;
  }

  private verb({ verb: wanted, choices, inner }: Sketch, place: Place): PlanStep {
    const isConcurrent = wanted === 'parallel' || wanted === 'race';
    if (isConcurrent && this.isLimited)
      return this.verb({ verb: 'steps', choices, modifiers: [], inner, others: [] }, place);
    const verb = place.isFirst && (wanted === 'let' || wanted === 'fail' || wanted === 'end') ? 'call' : wanted;
    const id = this.id();
    switch (verb) {
      case 'call': {
        const outcomes = [0, 1, 2].slice(0, 1 + (at(choices, 1) % 3)).map((n) => this.outcome(at(choices, 2 + n)));
        return this.call(place, outcomes, choices);
      }
      case 'approval': {
        this.verdicts[id] = (['approve', 'approve', 'deny', 'nothing'] as const)[at(choices, 0) % 4] ?? 'approve';
        const expires = `${this.durations.duration(`${id} expires`)}ms`;
        return { id, verb, approval: { title: 'Go on?', expires, comment: 'optional' } };
      }
      case 'wait':
        return { id, verb, wait: { for: `${this.durations.duration(`${id} wait`)}ms` } };
      case 'let':
        return { id, verb, let: { value: this.value(choices, place, id), more: { v: 1 } } };
      case 'fail': {
        if (at(choices, 1) % 3 === 0) return { id, verb: 'let', let: { v: 2 } };
        return { id, verb, fail: { code: at(choices, 0) % 2 ? 'app.broken' : 'app.other', message: 'no' } };
      }
      case 'end':
        if (!place.mayEnd || at(choices, 1) % 2 === 0) return { id, verb: 'let', let: { v: 3 } };
        return { id, verb, end: { output: this.value(choices, place, id) } };
      case 'steps':
        return { id, verb, steps: place.isFirst ? this.body(inner, place) : this.list(inner, place) };
      case 'switch': {
        const cases = inner.slice(0, 2).map((drawn, index) => ({
          ...(index === 0 || at(choices, 3) % 2 ? { if: this.condition(choices.slice(index), place) } : {}),
          steps: place.isFirst ? this.body([drawn], place) : this.list([drawn], place),
        }));
        if (place.isFirst && cases[0]) delete cases[0].if;
        return { id, verb, cases };
      }
      case 'repeat': {
        const i = `i${id}`;
        const most = 1 + (at(choices, 0) % 3);
        const until = at(choices, 1) % 3 === 0 ? 'false' : `${i} >= ${at(choices, 2) % 3}`;
        const body = { ...place, names: [...place.names, i], hasTurns: true };
        const steps = place.isFirst ? this.body(inner, body) : this.list(inner, body);
        const every = `${this.durations.duration(`${id} every`)}ms`;
        return { id, verb, repeat: { until, every, max: most }, index: i, steps };
      }
      case 'foreach': {
        const most = at(choices, 0) % 2 === 0 || this.isLimited ? 1 : 2 + (at(choices, 1) % 2);
        const onFailure = this.onFailure(at(choices, 2));
        const as = `x${id}`;
        const body: Place = {
          ...place,
          names: [...place.names, as, `i${id}`],
          isFirst: place.isFirst || most > 1,
          hasTurns: most === 1,
          mayEnd: place.mayEnd && !onFailure,
        };
        const steps = body.isFirst ? this.body(inner, body) : this.list(inner, body);
        const foreach =
          at(choices, 3) % 3 === 0
            ? { list: [1, '${{ input.n }}', { v: 2 }] as Json[] }
            : { expression: place.isFirst || at(choices, 4) % 8 ? 'input.list' : 'input.n' };
        return { id, verb, foreach, as, index: `i${id}`, max_parallel: most, steps, ...onFailure };
      }
      case 'parallel':
      case 'race': {
        const onFailure = verb === 'parallel' ? this.onFailure(at(choices, 2)) : undefined;
        const mayEnd = place.mayEnd && !onFailure;
        const seen = [...place.before];
        const branches = inner.map((drawn): PlanStep => {
          const branch: Place = { ...place, before: [...seen], isFirst: true, mayEnd };
          const step = this.step(drawn, branch);
          for (const inside of branch.before) if (!place.before.includes(inside)) place.before.push(inside);
          return step;
        });
        if (verb === 'race') return { id, verb, branches };
        const most = at(choices, 3) % 3 === 0 ? { max_parallel: 2 } : {};
        return { id, verb, branches, ...most, ...onFailure };
      }
    }
  }

  private modify(
    step: PlanStep,
    modifier: Sketch['modifiers'][number],
    { choices, others }: Sketch,
    place: Place,
    after: Place,
  ): void {
    switch (modifier) {
      case 'if':
        step.if = this.condition(choices, place, step.id);
        return;
      case 'continue':
        step.continue_on_error = true;
        return;
      case 'on_error':
        step.on_error = [this.handler(others, choices, after, `steps.${step.id}.error.code`, step.id)];
        if (at(choices, 9) % 4 === 0) step.on_error.push(this.handler([], [0, 1, 1, 1], after, '"second"'));
        return;
      case 'finally':
        step.finally = this.list(others.slice(-1), { ...after, before: [...after.before], mayEnd: false });
        if (step.finally.length === 0) step.finally = [this.call(after, [this.outcome(at(choices, 8))])];
        return;
      case 'undo':
        if (step.verb !== 'call') return;
        this.outcomes[`${step.id}.undo`] = [this.outcome(at(choices, 7) + 3)];
        step.undo = { call: 'op.add', with: { of: step.id, got: this.value(choices.slice(3), after) } };
        if (at(choices, 6) % 3 === 0) step.undo.with = { v: `\${{ steps.${step.id}.output.v }}` };
        return;
      case 'retry': {
        if (step.verb !== 'call' && step.verb !== 'steps') return;
        const errors = at(choices, 5) % 2 ? { errors: at(ERRORS, at(choices, 6) % ERRORS.length) } : {};
        const first = `${this.durations.duration(`${step.id} first`)}ms`;
        step.retry = { attempts: 2 + (at(choices, 7) % 2), first, factor: 2, max: '4d', ...errors };
        return;
      }
      case 'timeout':
        if (step.verb !== 'call') step.timeout = `${1 + this.durations.duration(`${step.id} limit`) * 2}ms`;
    }
  }

  private handler(
    sketches: readonly Sketch[],
    choices: readonly number[],
    place: Place,
    code: string,
    own?: string,
  ): ErrorHandler {
    const within = { ...place, before: [...place.before] };
    const steps = this.list(sketches.slice(0, 1), within);
    if (steps.length === 0) steps.push(this.call(within, ['ok']));
    const outputPart =
      at(choices, 0) % 3 === 0
        ? {}
        : { output: { code: `\${{ ${code} }}`, ...(own && { was: `\${{ steps.${own}.output }}` }) } };
    const named = at(choices, 1) % 2 ? { errors: at(ERRORS, at(choices, 2) % ERRORS.length) } : {};
    const rethrow = at(choices, 3) % 3 === 0 ? { rethrow: true } : {};
    return { steps, ...outputPart, ...named, ...rethrow };
  }

  private onFailure(choice: number): { on_failure?: OnFailure } | undefined {
    const policy = (['stop', 'finish', 'cancel'] as const)[choice % 3];
    return policy === undefined || policy === 'stop' ? undefined : { on_failure: policy };
  }

  private outcome(choice: number): string {
    return choice % 3 === 0 ? (CODES[choice % CODES.length] ?? 'ok') : 'ok';
  }

  /** @param own the step that contains the expression. */
  private value(choices: readonly number[], place: Place, own?: string): Json {
    const step = place.before[at(choices, 6) % Math.max(1, place.before.length)];
    const name = place.names[at(choices, 6) % Math.max(1, place.names.length)];
    const choice = at(choices, 5) % 7;
    if (choice === 0 && name) return `\${{ ${name} }}`;
    if (choice === 1 && step) return `\${{ steps.${step}.status }}`;
    if (choice === 2 && step && !place.isFirst) return `\${{ steps.${step}.output.v }}`;
    if (choice === 5 && own && place.hasTurns) {
      const code = `\${{ steps.${own}.error == null ? null : steps.${own}.error.code }}`;
      return { own: `\${{ steps.${own}.output }}`, status: `\${{ steps.${own}.status }}`, code };
    }
    if (choice <= 4 && step) return { was: `\${{ steps.${step}.output }}`, text: `n${'${{ input.n }}'}` };
    return '${{ input.n + 1 }}';
  }

  private condition(choices: readonly number[], place: Place, own?: string): string {
    const step = place.before[at(choices, 6) % Math.max(1, place.before.length)];
    const choice = at(choices, 5) % 8;
    if (choice === 0) return 'input.no';
    if (choice === 1 && !place.isFirst) return 'input.n';
    if (choice === 2 && step && !place.isFirst) return `steps.${step}.output.v > 0`;
    if (choice <= 4 && step) return `steps.${step}.status == "succeeded"`;
    if (choice === 6 && own && place.hasTurns) return `steps.${own}.output == null`;
    if (choice === 5 && step) return `steps.${step}.status != "skipped"`;
    return 'input.yes';
  }

  private id(): string {
    this.counter += 1;
    return `s${this.counter}`;
  }
}

/** A plan with `op.read`, which may be repeated, and `op.add`, which may not; its limits are never reached. */
export function planOf(steps: PlanStep[]): Plan {
  return {
    ...examplePlan(steps),
    operations: { 'op.read': operation('op.read', 'read'), 'op.add': operation('op.add', 'write_additive') },
    limits: { max_ms: null, task_ms: 1e14, cleanup_ms: 1e14, expires_ms: 1e14, output_bytes: 1e6 },
  };
}

/** The constructs that a tree contains. */
export function constructsOf({ plan, script }: Tree): Set<string> {
  const found = new Set<string>();
  const handlers = (list: readonly ErrorHandler[] = []): void => {
    for (const { errors, output, rethrow } of list) {
      found.add(errors ? 'errors' : 'catch-all');
      if (rethrow) found.add('rethrow');
      if (output !== undefined) found.add('handler output');
    }
  };
  for (const { step, path } of everyStep(plan)) {
    found.add(step.verb);
    for (const modifier of ['if', 'on_error', 'continue_on_error', 'finally', 'undo', 'timeout'] as const) {
      if (modifier in step) found.add(modifier);
    }
    handlers(step.on_error);
    if ('retry' in step) found.add(step.verb === 'call' ? 'retry of a call' : 'retry of a group');
    if (
      new RegExp(`steps\\.${step.id}\\.status`).test(
        JSON.stringify('let' in step ? step.let : 'with' in step && step.with),
      )
    )
      found.add('own last turn');
    if (step.verb === 'foreach' && step.max_parallel !== 1) found.add('items at once');
    if ('on_failure' in step) found.add(`on_failure ${step.on_failure}`);
    if (step.verb === 'approval' && script.verdict(path).says === 'nothing') found.add('expiry');
    if (step.verb === 'approval' && script.verdict(path).says === 'deny') found.add('deny');
  }
  handlers(plan.on_error);
  if (plan.finally.length > 0) found.add('task finally');
  if (plan.on_error) found.add('task on_error');
  if (plan.output !== undefined) found.add('task output');
  if (plan.limits.max_calls !== undefined) found.add('max_calls');
  if (script.cancelAt !== undefined) found.add('cancellation');
  return found;
}

function operation(key: string, effects: PlanOperation['effects']): PlanOperation {
  const [first] = Object.values(examplePlan().operations);
  const { implementation, ...rest } = first as PlanOperation;
  return { ...rest, key, effects, implementation: { ...implementation, id: key, timeout_ms: 1e13 } };
}

function at<T>(list: readonly T[], index: number): T {
  return (list[index] ?? 0) as T;
}
