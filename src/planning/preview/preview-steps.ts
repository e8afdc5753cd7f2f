import type { JsonObject } from '../../contracts/json.js';
import type {
  ApprovalStep,
  CallStep,
  ErrorHandler,
  ForeachStep,
  Plan,
  PlanOperation,
  PlanStep,
  PlanUndo,
} from '../../contracts/plan.js';
import type {
  AnswerPreview,
  ApprovalPreview,
  CallPreview,
  PlanPreview,
  Runs,
  StepGroup,
  StepPreview,
  UndoPreview,
} from '../../contracts/preview.js';
import { childPlan } from '../../rules/plans/child-plan.js';
import { nameOfStep } from '../../rules/steps/step-tree.js';
import { UNDO_ASKS } from '../../rules/tasks/shown-approvals.js';
import { checkAgainst } from '../input/schemas.js';
import {
  type Known,
  PreviewScope,
  previewCondition,
  previewExpression,
  previewInput,
  previewText,
  previewValue,
} from './partial-evaluation.js';
import { inputProblem, previewCall, reasonsOfEnvironment, withDefaults } from './preview-call.js';
import { type Asker, decidersOf, previewConcurrency, previewGuardApproval, previewStart } from './preview-hooks.js';

/** Above this number of steps, called workflows are no longer expanded. */
const MAX_STEPS = 3000;

export type TreePreview = Pick<PlanPreview, 'steps' | 'on_error' | 'finally' | 'output'>;

interface Place {
  scope: PreviewScope;
  prefix: string;
  /** Whether a failure there may be handled, so that later steps may still run. */
  isCovered: boolean;
  /** Whether a `foreach` around it asks once for all its calls. */
  isAskedBefore?: boolean;
}

/** Walks the steps of a plan as the run would, as far as their conditions are known. */
export class StepPreviewer {
  private shown = 0;
  /** Steps that certainly end the task, with the id of the `end` or `fail` inside. */
  private readonly ending = new Map<StepPreview, string>();

  constructor(private readonly user: Asker) {}

  /** @param input undefined if nothing is known of it. */
  preview(plan: Plan, input: JsonObject | undefined): TreePreview {
    const scope = PreviewScope.of(plan, input);
    const late = scope.afterFailure();
    const steps = this.list(plan.steps, { scope, prefix: '', isCovered: false });
    return {
      steps,
      on_error: this.handlers(plan.on_error, { scope: late, prefix: '', isCovered: true }),
      finally: this.list(plan.finally, { scope: late.apart(), prefix: '', isCovered: true }),
      // A workflow that ends early has another output, or none.
      output: plan.output === undefined || this.isOver(steps) ? null : previewValue(plan.output, scope.known),
    };
  }

  private list(steps: readonly PlanStep[], place: Place): StepPreview[] {
    let ended: string | undefined;
    return steps.map((step) => {
      const preview = this.step(step, place, ended);
      ended ??= this.ending.get(preview);
      return preview;
    });
  }

  private step(step: PlanStep, place: Place, ended: string | undefined): StepPreview {
    this.shown += 1;
    const { prefix } = place;
    const path = prefix + nameOfStep(step.id);
    const condition = step.if === undefined ? null : previewCondition(step.if, place.scope.known);
    const runs = ended === undefined ? runsIf(condition) : 'no';
    const because = ended === undefined ? becauseOf(condition) : `${ended} ends the task before it`;
    if (runs === 'no') place.scope.learn(step.id, { status: 'skipped', output: null });
    // Results of a step that may not run are known only inside it.
    const scope = runs === 'yes' ? place.scope : place.scope.apart();
    const inside: Place = { scope, prefix: `${path}/`, isCovered: place.isCovered || isCovered(step) };
    const { known } = scope;
    const value = valueIn(step);
    const call = step.verb === 'call' && runs !== 'no' ? this.call(step, scope, place.isAskedBefore) : null;
    const preview: StepPreview = {
      id: step.id,
      path,
      verb: step.verb,
      runs,
      because,
      if: condition,
      what: whatOf(step, known),
      call,
      approval: approvalOf(step, scope),
      foreach: step.verb === 'foreach' ? foreachOf(step, known) : null,
      value: value === undefined ? null : previewValue(value, known),
      undo: step.verb === 'call' && step.undo ? undoOf(step.undo, place, call) : null,
      may_be_cut: step.verb === 'call' && step.cut === 'allowed',
      timeout: step.timeout ?? null,
      continue_on_error: step.continue_on_error ?? false,
      groups: [],
    };
    preview.groups = runs === 'no' ? [] : this.groups(step, preview, inside);
    if (runs === 'yes' && step.verb === 'let' && preview.value && isWhole(preview.value)) {
      place.scope.learn(step.id, { status: 'succeeded', output: preview.value.value });
    }
    if (runs === 'yes') this.noteEnding(step, preview, place);
    return preview;
  }

  private isOver(steps: readonly StepPreview[]): boolean {
    return steps.some((step) => this.ending.has(step));
  }

  private noteEnding(step: PlanStep, preview: StepPreview, place: Place): void {
    const inner = preview.groups
      .filter(({ runs, name }) => runs === 'yes' && name !== 'finally')
      .flatMap(({ steps }) => steps)
      .flatMap((one) => this.ending.get(one) ?? []);
    const end = endsTask(step, place) ? step.id : inner[0];
    if (end !== undefined) this.ending.set(preview, end);
  }

  /** Lists of steps inside a step, in the order in which they may run. */
  private groups(step: PlanStep, { foreach }: StepPreview, inside: Place): StepGroup[] {
    const late: Place = { ...inside, scope: inside.scope.afterFailure(), isCovered: true };
    return [
      ...this.groupsOfVerb(step, foreach?.items ?? null, inside),
      ...this.handlers(step.on_error, late),
      ...(step.finally ? [group('finally', this.list(step.finally, late))] : []),
    ];
  }

  private groupsOfVerb(step: PlanStep, items: number | null, inside: Place): StepGroup[] {
    const turn = { ...inside, prefix: `${inside.prefix}*/` };
    switch (step.verb) {
      case 'steps': {
        // After a retry or an ignored failure, results are uncertain outside the step.
        const own = isCovered(step) ? { ...inside, scope: inside.scope.apart() } : inside;
        return [group('steps', this.list(step.steps, own))];
      }
      case 'parallel':
      case 'race':
        return [
          group(
            step.verb,
            step.branches.map((branch) => this.branch(branch, inside)),
          ),
        ];
      case 'foreach': {
        const asks = approvalOf(step, inside.scope) && { isAskedBefore: true };
        const names = { [step.as]: 'the item', ...(step.index && { [step.index]: 'the index' }) };
        const steps = this.list(step.steps, { ...turn, ...asks, scope: inside.scope.apart(names) });
        return [group('for each item', steps, items === 0 ? 'no' : items === null ? 'maybe' : 'yes')];
      }
      case 'repeat': {
        const names = step.index ? { [step.index]: 'the index' } : {};
        return [group('each turn', this.list(step.steps, { ...turn, scope: inside.scope.apart(names) }))];
      }
      case 'switch':
        return this.cases(step.cases, inside);
      case 'call':
      case 'approval':
      case 'wait':
      case 'let':
      case 'fail':
      case 'end':
        return [];
    }
  }

  private branch(branch: PlanStep, inside: Place): StepPreview {
    return this.step(branch, { ...inside, scope: inside.scope.apart(), isCovered: true }, undefined);
  }

  /** The first case that holds runs; after an unknown condition, later cases may run. */
  private cases(cases: { if?: string; steps: PlanStep[] }[], inside: Place): StepGroup[] {
    let before: Runs = 'no';
    return cases.map(({ if: condition, steps }, index) => {
      const answer = condition === undefined ? null : previewCondition(condition, inside.scope.known);
      const own = runsIf(answer);
      const runs: Runs = before === 'yes' || own === 'no' ? 'no' : before === 'maybe' ? 'maybe' : own;
      if (before === 'no') before = own;
      else if (before === 'maybe' && own === 'yes') before = 'yes';
      const name = condition === undefined ? 'else' : `case ${index + 1}`;
      const scope = runs === 'yes' ? inside.scope : inside.scope.apart();
      return { name, if: answer, runs, steps: runs === 'no' ? [] : this.list(steps, { ...inside, scope }) };
    });
  }

  private handlers(handlers: readonly ErrorHandler[] | undefined, place: Place): StepGroup[] {
    return (handlers ?? []).map(({ errors, steps }) => {
      const name = errors ? `on_error ${errors.join(', ')}` : 'on_error';
      const scope = place.scope.apart();
      return { name, if: null, runs: 'maybe', steps: this.list(steps, { ...place, scope }) };
    });
  }

  private call(step: CallStep, scope: PreviewScope, isAskedBefore = false): CallPreview {
    const { plan, known } = scope;
    const given = previewInput(step.with, known);
    const operation = plan.operations[step.call];
    if (operation) return previewCall({ plan, operation, given, known, user: this.user, step, isAskedBefore });
    const child = childPlan(plan, step.call);
    const { input_schema, effects, id } = child.ability;
    const check = (value: JsonObject): JsonObject =>
      checkAgainst(input_schema, value, { code: 'input.invalid', what: `The input of ${id}` });
    const problem = inputProblem(given, check);
    const input = problem ? undefined : childInput(given.input, Object.keys(given.shown.open), input_schema, check);
    return {
      ability: id,
      kind: 'workflow',
      effects,
      with: given.shown,
      input_problem: problem,
      attempts: null,
      retry: null,
      limit_ms: null,
      hooks: [],
      approval: null,
      unknown: null,
      script: null,
      workflow: this.shown < MAX_STEPS ? this.child(child, input) : null,
    };
  }

  private child(plan: Plan, input: JsonObject | undefined): CallPreview['workflow'] {
    return {
      ...previewStart(plan, input, this.user, []),
      ...this.preview(plan, input),
      concurrency: previewConcurrency(plan, input),
    };
  }
}

/** If the schema has defaults, an input with unknown members is unknown as a whole. */
function childInput(
  input: JsonObject | undefined,
  open: readonly string[],
  schema: JsonObject,
  check: (value: JsonObject) => JsonObject,
): JsonObject | undefined {
  if (!input || open.length === 0) return input && check(input);
  return JSON.stringify(schema).includes('"default"') ? undefined : input;
}

function group(name: string, steps: StepPreview[], runs: Runs = 'yes'): StepGroup {
  return { name, if: null, runs, steps };
}

function runsIf(answer: AnswerPreview | null): Runs {
  if (!answer) return 'yes';
  if (answer.problem || answer.depends_on.length > 0) return 'maybe';
  return answer.value === true ? 'yes' : 'no';
}

function becauseOf(answer: AnswerPreview | null): string | null {
  if (!answer) return null;
  const { expression, problem, depends_on, value } = answer;
  if (problem) return `\`${expression}\`, which fails: ${problem.message}`;
  if (depends_on.length > 0) return `\`${expression}\`, which depends on ${depends_on.join(', ')}`;
  return value === true ? null : `\`${expression}\` is false`;
}

function valueIn(step: PlanStep) {
  if (step.verb === 'let') return step.let;
  if (step.verb === 'end') return step.end.output;
  return step.verb === 'fail' ? step.fail.message : undefined;
}

function isWhole({ open, problem }: { open: Record<string, string[]>; problem: unknown }): boolean {
  return Object.keys(open).length === 0 && problem === null;
}

/** Whether the step always ends the task: an `end`, or a `fail` that no handler takes. */
function endsTask(step: PlanStep, { isCovered: around, scope }: Place): boolean {
  if (step.verb === 'end') return true;
  return step.verb === 'fail' && !around && !isCovered(step) && !scope.plan.on_error;
}

function isCovered(step: PlanStep): boolean {
  return (
    step.on_error !== undefined ||
    step.continue_on_error === true ||
    (step.verb === 'steps' && step.retry !== undefined)
  );
}

/** Only the run knows the output of the call that it undoes. */
function undoOf(undo: PlanUndo, { scope, isAskedBefore }: Place, own: CallPreview | null): UndoPreview {
  const { plan, known } = scope;
  const { call, with: template, approval: asks } = undo;
  const operation = plan.operations[call] as PlanOperation;
  const shown = withDefaults({ operation, given: previewInput(template, known) });
  const title = `${call} in ${plan.environment.name}`;
  const approval = asks ? previewGuardApproval(title, [UNDO_ASKS], [], plan.environment) : null;
  const covered = asks ? 'no' : isAskedBefore ? 'yes' : (own?.approval?.asked ?? 'no');
  return { call, effects: operation.effects, with: shown, approval, covered };
}

/** The target of a step in a few words: the called ability, the title of an approval, the awaited event. */
function whatOf(step: PlanStep, known: Known): string {
  switch (step.verb) {
    case 'call':
      return step.call;
    case 'approval':
      return previewText(step.approval.title, known);
    case 'wait': {
      const { wait } = step;
      if ('for' in wait) return previewText(wait.for, known);
      if ('until' in wait) return `until ${wait.until}`;
      const limit = wait.timeout === undefined ? '' : `, for at most ${previewText(wait.timeout, known)}`;
      return `the signal ${wait.signal}${wait.if === undefined ? '' : ` with ${wait.if}`}${limit}`;
    }
    case 'fail':
      return step.fail.code;
    case 'foreach':
      return 'expression' in step.foreach ? step.foreach.expression : '';
    case 'repeat': {
      const { until, every, max } = step.repeat;
      return `until ${until}, every ${previewText(every, known)}, at most ${typeof max === 'number' ? max : previewText(max, known)} times`;
    }
    case 'parallel':
    case 'race':
      return `${step.branches.length} branches`;
    case 'steps':
      return step.template ? `of the template ${step.template.name}` : '';
    case 'switch':
    case 'let':
    case 'end':
      return '';
  }
}

function approvalOf(step: PlanStep, scope: PreviewScope): ApprovalPreview | null {
  if (step.verb === 'approval') return stepApproval(step, scope);
  const call = step.verb === 'foreach' && step.asks_once ? step.steps[0] : undefined;
  const operation = call?.verb === 'call' ? scope.plan.operations[call.call] : undefined;
  if (!operation) return null;
  const title = `all calls of ${operation.key} in ${scope.plan.environment.name}`;
  return previewGuardApproval(title, reasonsOfEnvironment(scope.plan, operation), [], scope.plan.environment);
}

function stepApproval({ approval }: ApprovalStep, { plan, known }: PreviewScope): ApprovalPreview {
  const { title, approvers, quorum, expires, comment, fields = {} } = approval;
  const deciders = decidersOf(plan.environment);
  return {
    ...deciders,
    ...(approvers && { approvers: approvers.listed, people: approvers.people }),
    ...(quorum !== undefined && { quorum }),
    title: previewText(title, known),
    asked: 'yes',
    reasons: [],
    expires: previewText(expires, known),
    comment,
    fields,
  };
}

function foreachOf({ foreach, max_parallel }: ForeachStep, known: Known): StepPreview['foreach'] {
  const atOnce = typeof max_parallel === 'number' ? max_parallel : previewText(max_parallel, known);
  if ('list' in foreach) return { items: foreach.list.length, depends_on: [], problem: null, max_parallel: atOnce };
  const { value, depends_on, problem } = previewExpression(foreach.expression, known);
  const isList = Array.isArray(value);
  const message = `\`${foreach.expression}\` gives ${JSON.stringify(value).slice(0, 100)}, which is no list`;
  const notList = problem || depends_on.length > 0 || isList ? problem : { code: 'expression.not_list', message };
  return { items: isList ? value.length : null, depends_on, problem: notList, max_parallel: atOnce };
}
