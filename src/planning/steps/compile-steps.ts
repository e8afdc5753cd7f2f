import type { PlanConcurrency } from '../../contracts/concurrency.js';
import type { ErrorHandler, PlanEnvironment, PlanRetry, PlanStep, StepModifiers } from '../../contracts/plan.js';
import { type Composite, loadedComposite } from '../../definitions/find-ability.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { RetryDefinition } from '../../definitions/formats/retry.js';
import type { ErrorHandlerDefinition, StepDefinition, StepOf } from '../../definitions/formats/steps.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { handlerOutputs } from '../../definitions/step-expressions.js';
import { isDuration, parseDuration } from '../../rules/duration.js';
import { whyNotEditable } from '../../rules/plans/editable.js';
import { listSteps } from '../../rules/steps/step-tree.js';
import { defined } from '../../text/defined.js';
import type { PlanWarning } from '../resolve/plan-warning.js';
import { refuseQuorum, resolveApprovers, whileOpen } from '../resolve/resolve-environment.js';
import { checkCallee } from './called-abilities.js';
import { ErrorCollector } from './check-names.js';
import { checkStepExpressions, collectIds, ExpressionChecks, inside, type Place } from './check-step-texts.js';
import { compileConcurrency } from './concurrency-key.js';
import { codesOfExits, NamedCodes } from './named-codes.js';

export interface CompiledSteps {
  steps: PlanStep[];
  finally: PlanStep[];
  on_error?: ErrorHandler[];
  concurrency?: PlanConcurrency;
  links?: true;
  /** Ids of the called operations. */
  calls: Set<string>;
  /** The called workflows and agents, with the path of the first call of each. */
  children: Map<string, PropertyKey[]>;
  warnings: PlanWarning[];
}

/**
 * @param environment gives approvers and quorum that a step does not name; undefined if none is chosen yet.
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
  for (const { path, value } of handlerOutputs(on_error)) compiler.checks.checkTemplate(value, path, []);
  compiled.warnings = compiler.codes.planWarnings(workflow, codesOfExits(registry, compiler.calls));
  if (output !== undefined) compiler.checks.checkTemplate(output, ['output'], []);
  compiler.collector.throwIfAny();
  if (compiler.checks.readsLinks) compiled.links = true;
  return compiled;
}

class StepCompiler {
  readonly calls = new Set<string>();
  readonly children = new Map<string, PropertyKey[]>();
  readonly checks: ExpressionChecks;
  readonly codes = new NamedCodes();
  readonly collector = new ErrorCollector();

  constructor(
    private readonly registry: Registry,
    readonly workflow: Loaded<HighLevel>,
    private readonly environment: PlanEnvironment | undefined,
  ) {
    this.checks = new ExpressionChecks(workflow, collectIds(workflow, this.collector), this.collector);
  }

  compileAll(steps: readonly StepDefinition[], { path, names }: Place): PlanStep[] {
    return steps.map((step, index) => this.compileOne(step, { path: [...path, index], names }));
  }

  handlers(handlers: ErrorHandlerDefinition[], { path, names }: Place): ErrorHandler[] {
    return handlers.map(({ errors, steps, output, rethrow }, index) => {
      const at = [...path, index];
      this.codes.name(errors, [...at, 'errors']);
      if (rethrow && output !== undefined) {
        const message = 'A handler that rethrows gives no `output`';
        throw this.checks.refuse(message, [...at, 'output'], 'Leave one of them out.');
      }
      return {
        ...(errors && { errors }),
        steps: this.compileAll(steps ?? [], { path: [...at, 'steps'], names }),
        ...defined({ output, rethrow: rethrow || undefined }),
      };
    });
  }

  /** An invalid step is replaced by an empty one, so that later steps are still checked. */
  private compileOne(step: StepDefinition, place: Place): PlanStep {
    return this.collector.gather(() => markEnd(this.compile(step, place)), { id: step.id, verb: 'let', let: {} });
  }

  private compile(step: StepDefinition, place: Place): PlanStep {
    const inLoop = checkStepExpressions(step, place, this);
    const modifiers = this.modifiers(step, place);
    switch (step.verb) {
      case 'call':
        return { ...modifiers, ...this.call(step, place) };
      case 'approval':
        return { ...modifiers, verb: 'approval', approval: this.approval(step, place) };
      case 'parallel': {
        const { max_parallel, on_failure } = step;
        return {
          ...modifiers,
          verb: 'parallel',
          branches: this.branches(step.parallel, inside(place, 'parallel')),
          ...defined({ max_parallel, on_failure }),
        };
      }
      case 'race':
        return { ...modifiers, verb: 'race', branches: this.branches(step.race, inside(place, 'race')) };
      case 'foreach': {
        const { foreach, as, index, label, max_parallel = 1, on_failure, approval } = step;
        if (approval) this.checkAsksOnce(step, place);
        if (label !== undefined) this.checkLabel(label, place);
        return {
          ...modifiers,
          verb: 'foreach',
          foreach: typeof foreach === 'string' ? { expression: foreach } : { list: foreach },
          as,
          ...defined({ index, label }),
          max_parallel,
          ...(on_failure && { on_failure }),
          ...(approval && { asks_once: true as const }),
          steps: this.compileAll(step.steps, inside(inLoop, 'steps')),
        };
      }
      case 'switch':
        return { ...modifiers, verb: 'switch', cases: this.cases(step, place) };
      case 'repeat': {
        const { repeat, index } = step;
        const steps = this.compileAll(step.steps, inside(inLoop, 'steps'));
        return { ...modifiers, verb: 'repeat', repeat, ...(index !== undefined && { index }), steps };
      }
      case 'wait':
        return { ...modifiers, verb: 'wait', wait: typeof step.wait === 'string' ? { for: step.wait } : step.wait };
      case 'template':
        throw this.checks.refuse(`The template \`${step.template}\` is not written out`, place.path);
      case 'steps':
        return { ...modifiers, ...this.group(step, place) };
      case 'let':
        return { ...modifiers, verb: 'let', let: step.let };
      case 'fail':
        this.codes.raise(step.fail.code, this.workflow.locate([...place.path, 'fail', 'code']));
        return { ...modifiers, verb: 'fail', fail: step.fail };
      case 'end':
        return { ...modifiers, verb: 'end', end: { output: step.end?.output ?? null } };
    }
  }

  private modifiers(step: StepDefinition, place: Place): StepModifiers {
    const { id, if: condition, timeout, on_error, continue_on_error, finally: cleanup } = step;
    return {
      id,
      ...defined({ if: condition, timeout }),
      ...(on_error && { on_error: this.handlers(on_error, inside(place, 'on_error')) }),
      ...(continue_on_error && { continue_on_error }),
      ...(cleanup && { finally: this.compileAll(cleanup, inside(place, 'finally')) }),
    };
  }

  private group(step: StepOf<'steps'>, place: Place): Own<'steps'> {
    const { expanded } = step;
    const outside = inside(place, 'steps');
    const retry = this.retry(step.retry, place);
    if (!expanded) return { verb: 'steps', steps: this.compileAll(step.steps, outside), ...retry };
    const { template: name, isGiven, output } = expanded;
    // Arguments are written outside the template; its own steps do not see the loop around it.
    const steps = step.steps.map((inner, index) => {
      const names = isGiven && index === 0 ? outside.names : [];
      return this.compileOne(inner, { path: [...outside.path, index], names });
    });
    const template = { name, ...(isGiven && { given: isGiven }), ...(output !== undefined && { output }) };
    return { verb: 'steps', steps, ...retry, template };
  }

  private branches(branches: Record<string, StepDefinition>, place: Place): PlanStep[] {
    const steps = Object.values(branches);
    const { path } = place;
    if (steps.length === 0) throw this.checks.refuse(`\`${String(path.at(-1))}\` has no branches`, path);
    return steps.map((branch) => this.compileOne(branch, inside(place, branch.id)));
  }

  private call({ call, with: input = {}, undo, retry, cut }: StepOf<'call'>, place: Place): Own<'call'> {
    const path = [...place.path, 'call'];
    const composite = checkCallee(this.registry, this.workflow, call, path);
    if (composite && cut) throw this.checks.refuse(...cutOfComposite(composite, place));
    if (composite && retry) throw this.checks.refuse(...retryOfComposite(composite, place));
    if (!composite) this.calls.add(call);
    else if (!this.children.has(call)) this.children.set(call, path);
    return {
      verb: 'call',
      call,
      with: input,
      ...this.retry(retry, place),
      ...(cut && { cut }),
      ...(undo && { undo: this.undo(undo, inside(place, 'undo')) }),
    };
  }

  /** A compensation is a single operation, so that it cannot stop halfway. */
  private undo({ call, with: input = {}, approval }: NonNullable<StepOf<'call'>['undo']>, place: Place) {
    const composite = checkCallee(this.registry, this.workflow, call, [...place.path, 'call']);
    if (composite) {
      const suggestion = 'Name a low-level ability.';
      throw this.checks.refuse(`\`undo\` calls the ${composite.type} \`${call}\``, [...place.path, 'call'], suggestion);
    }
    this.calls.add(call);
    return { call, with: input, ...(approval && { approval }) };
  }

  /** What may be corrected are fields of the ability's own input. */
  private checkEdit(edit: readonly string[], fields: object | undefined, path: PropertyKey[]): void {
    const { input_schema: schema, concurrency, id } = this.workflow.value;
    for (const [index, name] of edit.entries()) {
      const why =
        fields && Object.hasOwn(fields, name)
          ? `\`${name}\` is among the \`fields\`, too`
          : (whyNotEditable(schema, name) ??
            (concurrency && `${id} has \`concurrency\`, whose key may depend on its input`));
      if (why) throw this.checks.refuse(`\`${name}\` cannot be edited: ${why}`, [...path, 'edit', index]);
    }
  }

  private approval({ approval }: StepOf<'approval'>, place: Place): Own<'approval'>['approval'] {
    const { title, approvers, quorum, timeout, comment, fields, edit } = approval;
    if (edit) this.checkEdit(edit, fields, inside(place, 'approval').path);
    const resolved = approvers && resolveApprovers(this.registry.project.people, approvers);
    const location = this.workflow.locate([...place.path, 'approval', quorum === undefined ? 'approvers' : 'quorum']);
    const { environment } = this;
    const needed = quorum ?? environment?.quorum;
    const people = resolved ?? environment?.approvers;
    if (needed !== undefined && people) refuseQuorum(needed, people, this.registry.project.people, location);
    return {
      title,
      ...defined({ approvers: resolved, quorum }),
      expires: timeout,
      comment,
      ...(fields && { fields }),
      ...(edit && { edit }),
      ...whileOpen(
        this.registry.project.people,
        approval,
        isDuration(timeout) ? parseDuration(timeout) : undefined,
        this.workflow.locate([...place.path, 'approval']),
      ),
    };
  }

  /** What people see beforehand must be all that runs: one call of an operation, and nothing that takes it back. */
  private checkAsksOnce({ steps }: StepOf<'foreach'>, { path }: Place): void {
    const [only] = steps;
    const isCall = steps.length === 1 && only?.verb === 'call' && !loadedComposite(this.registry, only.call);
    if (isCall && !only.undo) return;
    const message = isCall
      ? 'its call has an `undo`, which would not be shown'
      : 'its steps are not one call of a low-level ability';
    const suggestion = 'Leave `approval` out, so that each call is asked for.';
    throw this.checks.refuse(
      `People cannot be asked once for all items: ${message}`,
      [...path, 'approval'],
      suggestion,
    );
  }

  private checkLabel(label: string, { path }: Place): void {
    if (label.includes('${{')) return;
    const suggestion = 'Write an expression over the item, such as ${{ host.name }}.';
    throw this.checks.refuse(`\`${label}\` would be the label of every item`, [...path, 'label'], suggestion);
  }

  private cases(step: StepOf<'switch'>, place: Place): Own<'switch'>['cases'] {
    return step.switch.map((item, index) => {
      const at = inside(place, 'switch', index);
      if (!('else' in item)) return { if: item.if, steps: this.compileAll(item.steps, inside(at, 'steps')) };
      if (index === step.switch.length - 1) return { steps: this.compileAll(item.else, inside(at, 'else')) };
      throw this.checks.refuse('`else` comes last', [...at.path, 'else'], 'What follows it would never run.');
    });
  }

  private retry(retry: RetryDefinition | undefined, { path }: Place): { retry?: PlanRetry } {
    if (!retry) return {};
    this.codes.name(retry.errors, [...path, 'retry', 'errors']);
    return { retry };
  }
}

/** The fields of a step that belong to its verb. */
type Own<Verb extends PlanStep['verb']> = Omit<Extract<PlanStep, { verb: Verb }>, keyof StepModifiers>;

/** The error for `cut` at a called workflow or agent, which is cut at its own calls; those of a workflow declare it. */
function cutOfComposite({ id, type }: Composite, { path }: Place): [string, PropertyKey[], string] {
  const message = `\`cut\` is set on a call of the ${type} \`${id}\``;
  const inside = type === 'agent' ? 'Leave it out.' : `Set it on the calls inside \`${id}\` that may be cut.`;
  return [message, [...path, 'cut'], inside];
}

/** Sets `fails_end` if an `end` may leave a step through its `finally`: saves the interpreter the search. */
function markEnd(step: PlanStep): PlanStep {
  if (!step.finally) return step;
  const { finally: _, ...work } = step;
  return listSteps([work]).some(({ step: { verb } }) => verb === 'end') ? { ...step, fails_end: true } : step;
}

/** The error for `retry` at a called workflow or agent: another attempt is another task, so only a group can retry. */
function retryOfComposite({ id, type }: Composite, { path }: Place): [string, PropertyKey[], string] {
  const message = `\`retry\` is set on a call of the ${type} \`${id}\``;
  const inside = type === 'agent' ? '' : ', or on the calls inside the workflow';
  return [message, [...path, 'retry'], `Set it on a group of steps around the call${inside}.`];
}
