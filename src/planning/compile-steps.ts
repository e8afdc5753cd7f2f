import type { PlanConcurrency } from '../contracts/concurrency.js';
import type { Json, JsonObject } from '../contracts/json.js';
import type { ErrorHandler, PlanEnvironment, PlanRetry, PlanStep, StepModifiers } from '../contracts/plan.js';
import type { HighLevel } from '../definitions/formats/high-level.js';
import type { RetryDefinition } from '../definitions/formats/retry.js';
import type { BranchDefinition, ErrorHandlerDefinition, StepDefinition } from '../definitions/formats/steps.js';
import type { Loaded, Registry } from '../definitions/registry.js';
import { listSteps } from '../rules/inner-steps.js';
import { RETRY_NAMES } from '../rules/retry-condition.js';
import { checkCallee } from './check-callee.js';
import { type Available, checkCondition } from './check-names.js';
import { collectIds } from './collect-ids.js';
import { compileConcurrency } from './compile-concurrency.js';
import { Mistakes } from './definition-errors.js';
import type { Doubt } from './doubt.js';
import { codesOfExits } from './exit-code-meanings.js';
import { ExpressionChecks } from './expression-checks.js';
import { loopNames } from './loop-names.js';
import { NamedCodes } from './named-codes.js';
import { refuseQuorum, resolveApprovers } from './resolve-environment.js';
import { inside, type Place } from './step-place.js';

/** The steps of a workflow in the form the interpreter reads, and what they call. */
export interface CompiledSteps {
  steps: PlanStep[];
  finally: PlanStep[];
  on_error?: ErrorHandler[];
  concurrency?: PlanConcurrency;
  links?: true;
  /** Low-level abilities. */
  calls: Set<string>;
  /** Workflows, with the place of the first call of each. */
  children: Map<string, PropertyKey[]>;
  /** Slips that nothing can be sure of, with their places. */
  warnings: Doubt[];
}

type Definition<Key extends string> = Extract<BranchDefinition, Record<Key, unknown>>;
type Group = Exclude<Definition<'steps'>, Definition<'foreach'> | Definition<'repeat'>>;

/**
 * Checks the steps of a workflow against the registry and against each other, and compiles them.
 *
 * @param environment whose approvers and quorum stand where a step names none; left out where none is chosen yet.
 * @throws DefinitionErrors with each mistake and its place.
 */
export function compileSteps(
  registry: Registry,
  workflow: Loaded<HighLevel>,
  environment?: PlanEnvironment,
): CompiledSteps {
  const { steps, finally: cleanup, output, on_error } = workflow.value;
  const concurrency = compileConcurrency(workflow);
  const compiler = new StepCompiler(registry, workflow, environment);
  const compiled: CompiledSteps = {
    steps: compiler.compileAll(steps, { path: ['steps'], names: [] }),
    finally: compiler.compileAll(cleanup ?? [], { path: ['finally'], names: [] }),
    ...(on_error && { on_error: compiler.handlers(on_error, { path: ['on_error'], names: [] }) }),
    ...(concurrency && { concurrency }),
    calls: compiler.calls,
    children: compiler.children,
    warnings: [],
  };
  compiled.warnings = compiler.codes.doubts(workflow, codesOfExits(registry, compiler.calls));
  if (output !== undefined) compiler.checks.checkTemplate(output, ['output'], []);
  compiler.mistakes.throwIfAny();
  if (compiler.checks.readsLinks) compiled.links = true;
  return compiled;
}

class StepCompiler {
  readonly calls = new Set<string>();
  readonly children = new Map<string, PropertyKey[]>();
  readonly checks: ExpressionChecks;
  readonly codes = new NamedCodes();
  readonly mistakes = new Mistakes();

  constructor(
    private readonly registry: Registry,
    private readonly workflow: Loaded<HighLevel>,
    private readonly environment: PlanEnvironment | undefined,
  ) {
    this.checks = new ExpressionChecks(workflow, collectIds(workflow, this.mistakes), this.mistakes);
  }

  compileAll(steps: StepDefinition[], { path, names }: Place): PlanStep[] {
    return steps.map((step, index) => this.compileOne(step.id, step, { path: [...path, index], names }));
  }

  handlers(handlers: ErrorHandlerDefinition[], { path, names }: Place): ErrorHandler[] {
    return handlers.map(({ errors, steps, output, rethrow }, index) => {
      const at = [...path, index];
      this.codes.name(errors, [...at, 'errors']);
      if (rethrow && output !== undefined) {
        throw this.checks.refuse(
          'A handler that rethrows gives no `output`',
          [...at, 'output'],
          'Leave one of them out.',
        );
      }
      if (output !== undefined) this.checks.checkTemplate(output, [...at, 'output'], names);
      return {
        ...(errors && { errors }),
        steps: this.compileAll(steps ?? [], { path: [...at, 'steps'], names }),
        ...(output !== undefined && { output }),
        ...(rethrow && { rethrow }),
      };
    });
  }

  /** A step with a mistake leaves an empty one behind: no plan comes of it, but the steps after it are checked. */
  private compileOne(id: string, step: BranchDefinition, place: Place): PlanStep {
    return this.mistakes.gather(() => markEnd(this.compile(id, step, place)), { id, verb: 'let', let: {} });
  }

  private compile(id: string, step: BranchDefinition, place: Place): PlanStep {
    const modifiers = this.modifiers(id, step, place);
    if ('call' in step) return this.call(step, modifiers, place);
    if ('approval' in step) return this.approval(step, modifiers, place);
    if ('parallel' in step) {
      const { max_parallel, on_failure } = step;
      if (max_parallel !== undefined) this.template(max_parallel, place, 'max_parallel');
      const limits = { ...(max_parallel !== undefined && { max_parallel }), ...(on_failure && { on_failure }) };
      return { ...modifiers, verb: 'parallel', branches: this.branches(step.parallel, place, 'parallel'), ...limits };
    }
    if ('race' in step) return { ...modifiers, verb: 'race', branches: this.branches(step.race, place, 'race') };
    if ('foreach' in step) return this.foreach(step, modifiers, place);
    if ('switch' in step) return this.switch(step, modifiers, place);
    if ('repeat' in step) return this.repeat(step, modifiers, place);
    if ('wait' in step) return this.wait(step, modifiers, place);
    if ('template' in step)
      throw this.checks.refuse(`The template \`${step.template}\` is not written out`, place.path);
    if ('steps' in step) return this.group(step, modifiers, place);
    if ('let' in step) {
      this.template(step.let, place, 'let');
      return { ...modifiers, verb: 'let', let: step.let };
    }
    if ('fail' in step) return this.fail(step, modifiers, place);
    const output = step.end?.output ?? null;
    this.template(output, place, 'end', 'output');
    return { ...modifiers, verb: 'end', end: { output } };
  }

  private modifiers(id: string, step: BranchDefinition, place: Place): StepModifiers {
    const { if: condition, timeout, on_error, continue_on_error, finally: cleanup } = step;
    if (condition !== undefined) this.condition(condition, place, 'if');
    if (timeout !== undefined) this.template(timeout, place, 'timeout');
    return {
      id,
      ...(condition !== undefined && { if: condition }),
      ...(timeout !== undefined && { timeout }),
      ...(on_error && { on_error: this.handlers(on_error, inside(place, 'on_error')) }),
      ...(continue_on_error && { continue_on_error }),
      ...(cleanup && { finally: this.compileAll(cleanup, inside(place, 'finally')) }),
    };
  }

  private group(step: Group, modifiers: StepModifiers, place: Place): PlanStep {
    const { expanded } = step;
    const retry = this.retry(step.retry, place);
    if (!expanded)
      return { ...modifiers, verb: 'steps', steps: this.compileAll(step.steps, inside(place, 'steps')), ...retry };
    const { template: name, isGiven, output } = expanded;
    // What it is given is written outside the template, whose own steps see no loop around it.
    const outside = inside(place, 'steps');
    const own: Place = { ...place, names: [] };
    const steps = step.steps.map((inner, index) => {
      const { path, names } = isGiven && index === 0 ? outside : inside(own, 'steps');
      return this.compileOne(inner.id, inner, { path: [...path, index], names });
    });
    if (output !== undefined) this.template(output, own, 'output');
    const template = { name, ...(isGiven && { given: isGiven }), ...(output !== undefined && { output }) };
    return { ...modifiers, verb: 'steps', steps, ...retry, template };
  }

  private branches(branches: Record<string, BranchDefinition>, place: Place, verb: 'parallel' | 'race'): PlanStep[] {
    const entries = Object.entries(branches);
    if (entries.length === 0) throw this.checks.refuse(`\`${verb}\` has no branches`, [...place.path, verb]);
    return entries.map(([name, branch]) => this.compileOne(name, branch, inside(place, verb, name)));
  }

  private call(step: Definition<'call'>, modifiers: StepModifiers, place: Place): PlanStep {
    const { undo, retry, cut } = step;
    const path = [...place.path, 'call'];
    const isWorkflow = checkCallee(this.registry, this.workflow, step.call, path);
    if (isWorkflow && cut) throw this.checks.refuse(...cutOfWorkflow(step.call, place));
    if (!isWorkflow) this.calls.add(step.call);
    else if (!this.children.has(step.call)) this.children.set(step.call, path);
    const call = { call: step.call, with: this.parameters(step.with, inside(place, 'with')) };
    return {
      ...modifiers,
      verb: 'call',
      ...call,
      ...this.retry(retry, place),
      ...(cut && { cut }),
      ...(undo && { undo: this.undo(undo, inside(place, 'undo')) }),
    };
  }

  /** What takes a call back is one call, so that it can stand in the middle of nothing. */
  private undo({ call, with: input }: NonNullable<Definition<'call'>['undo']>, place: Place) {
    if (checkCallee(this.registry, this.workflow, call, [...place.path, 'call'])) {
      const suggestion = 'Name a low-level ability.';
      throw this.checks.refuse(`\`undo\` calls the workflow \`${call}\``, [...place.path, 'call'], suggestion);
    }
    this.calls.add(call);
    return { call, with: this.parameters(input, inside(place, 'with')) };
  }

  private parameters(input: JsonObject | string | undefined, { path, names }: Place): Json {
    const value = input ?? {};
    if (typeof value === 'string' && !/^\s*\$\{\{[\s\S]*\}\}\s*$/.test(value)) {
      throw this.checks.refuse('`with` is a map of parameters, or one ${{ }} that gives a map', path);
    }
    this.checks.checkTemplate(value, path, names);
    return value;
  }

  private approval(step: Definition<'approval'>, modifiers: StepModifiers, place: Place): PlanStep {
    const { title, approvers, quorum, timeout, comment, fields } = step.approval;
    this.template(title, place, 'approval', 'title');
    this.template(timeout, place, 'approval', 'timeout');
    const resolved = approvers && resolveApprovers(this.registry.project.people, approvers);
    const location = this.workflow.locate([...place.path, 'approval', quorum === undefined ? 'approvers' : 'quorum']);
    const { environment } = this;
    const needed = quorum ?? environment?.quorum;
    const people = resolved ?? environment?.approvers;
    if (needed !== undefined && people) refuseQuorum(needed, people, location);
    const approval = {
      title,
      ...(resolved && { approvers: resolved }),
      ...(quorum !== undefined && { quorum }),
      expires: timeout,
      comment,
      ...(fields && { fields }),
    };
    return { ...modifiers, verb: 'approval', approval };
  }

  private foreach(step: Definition<'foreach'>, modifiers: StepModifiers, place: Place): PlanStep {
    const { foreach, as, index, label, max_parallel = 1, on_failure } = step;
    if (typeof foreach === 'string') this.condition(foreach, place, 'foreach');
    else this.template(foreach, place, 'foreach');
    this.template(max_parallel, place, 'max_parallel');
    const names = loopNames({ as, ...(index !== undefined && { index }) }, place, this.checks);
    if (label !== undefined) this.label(label, { ...place, names });
    return {
      ...modifiers,
      verb: 'foreach',
      foreach: typeof foreach === 'string' ? { expression: foreach } : { list: foreach },
      as,
      ...(index !== undefined && { index }),
      ...(label !== undefined && { label }),
      max_parallel,
      ...(on_failure && { on_failure }),
      steps: this.compileAll(step.steps, { path: [...place.path, 'steps'], names }),
    };
  }

  private label(label: string, place: Place): void {
    this.template(label, place, 'label');
    if (label.includes('${{')) return;
    throw this.checks.refuse(
      `\`${label}\` would be the label of every item`,
      [...place.path, 'label'],
      'Write an expression over the item, such as ${{ host.name }}.',
    );
  }

  private repeat(step: Definition<'repeat'>, modifiers: StepModifiers, place: Place): PlanStep {
    const { repeat, index } = step;
    const names = loopNames(index === undefined ? {} : { index }, place, this.checks);
    this.condition(repeat.until, { ...place, names }, 'repeat', 'until');
    this.template(repeat.every, { ...place, names }, 'repeat', 'every');
    this.template(repeat.max, place, 'repeat', 'max');
    const steps = this.compileAll(step.steps, { path: [...place.path, 'steps'], names });
    return { ...modifiers, verb: 'repeat', repeat, ...(index !== undefined && { index }), steps };
  }

  private switch(step: Definition<'switch'>, modifiers: StepModifiers, place: Place): PlanStep {
    const cases = step.switch.map((item, index) => {
      const at = inside(place, 'switch', index);
      if ('else' in item) {
        if (index === step.switch.length - 1) return { steps: this.compileAll(item.else, inside(at, 'else')) };
        throw this.checks.refuse('`else` comes last', [...at.path, 'else'], 'What follows it would never run.');
      }
      this.condition(item.if, at, 'if');
      return { if: item.if, steps: this.compileAll(item.steps, inside(at, 'steps')) };
    });
    return { ...modifiers, verb: 'switch', cases };
  }

  private wait({ wait }: Definition<'wait'>, modifiers: StepModifiers, place: Place): PlanStep {
    if (typeof wait === 'string') {
      this.template(wait, place, 'wait');
      return { ...modifiers, verb: 'wait', wait: { for: wait } };
    }
    if ('until' in wait) {
      this.condition(wait.until, place, 'wait', 'until');
      return { ...modifiers, verb: 'wait', wait };
    }
    const { signal, if: condition, timeout } = wait;
    if (condition !== undefined) {
      this.condition(condition, { ...place, names: [...place.names, 'signal'] }, 'wait', 'if');
    }
    if (timeout !== undefined) this.template(timeout, place, 'wait', 'timeout');
    const more = { ...(condition !== undefined && { if: condition }), ...(timeout !== undefined && { timeout }) };
    return { ...modifiers, verb: 'wait', wait: { signal, ...more } };
  }

  private fail(step: Definition<'fail'>, modifiers: StepModifiers, place: Place): PlanStep {
    const { code, message, details } = step.fail;
    this.codes.raise(code, this.workflow.locate([...place.path, 'fail', 'code']));
    this.template(message, place, 'fail', 'message');
    if (details !== undefined) this.template(details, place, 'fail', 'details');
    return { ...modifiers, verb: 'fail', fail: { code, message, ...(details !== undefined && { details }) } };
  }

  private retry(retry: RetryDefinition | undefined, place: Place): { retry?: PlanRetry } {
    if (!retry) return {};
    this.template(retry.first, place, 'retry', 'first');
    this.template(retry.max, place, 'retry', 'max');
    const { errors, ...rest } = retry;
    this.codes.name(errors, [...place.path, 'retry', 'errors']);
    const path = [...place.path, 'retry', 'if'];
    if (rest.if !== undefined) this.retryCondition(rest.if, path);
    return { retry: { ...rest, ...(errors && { errors }) } };
  }

  /** It is asked where the attempt ended, which for a call is not the workflow. */
  private retryCondition(source: string, path: PropertyKey[]): void {
    this.mistakes.gather(() => checkCondition(source, IN_RETRY, this.workflow, path), undefined);
  }

  private template(template: Json, { path, names }: Place, ...keys: PropertyKey[]): void {
    this.checks.checkTemplate(template, [...path, ...keys], names);
  }

  private condition(source: string, { path, names }: Place, ...keys: PropertyKey[]): void {
    this.checks.checkExpression(source, [...path, ...keys], names);
  }
}

const IN_RETRY: Available = {
  names: RETRY_NAMES,
  functions: [],
  where: '`retry.if`',
  instead: 'It is about the failed attempt alone: `error` and `attempt`.',
};

/** What a workflow calls is cut with it, and each of these calls says for itself whether it may be. */
function cutOfWorkflow(id: string, { path }: Place): [string, PropertyKey[], string] {
  const message = `\`cut\` is written at a call of the workflow \`${id}\``;
  return [message, [...path, 'cut'], `Write it at the calls inside \`${id}\` that may be cut.`];
}

/** Whether an `end` may leave a step through its `finally`, so that the interpreter need not look. */
function markEnd(step: PlanStep): PlanStep {
  if (!step.finally) return step;
  const { finally: _, ...work } = step;
  return listSteps([work]).some(({ step: { verb } }) => verb === 'end') ? { ...step, fails_end: true } : step;
}
