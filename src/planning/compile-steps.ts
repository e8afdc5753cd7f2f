import { familyOf, OUR_FAMILIES } from '../contracts/codes.js';
import type { Json } from '../contracts/json.js';
import type { Approvers, PlanRetry, PlanStep, StepModifiers } from '../contracts/plan.js';
import { AbilityError } from '../contracts/problem.js';
import type { HighLevel } from '../definitions/formats/high-level.js';
import type { BranchDefinition, RetryDefinition, StepDefinition } from '../definitions/formats/steps.js';
import type { Loaded, Registry } from '../definitions/registry.js';
import { compileExpression, type Expression } from '../rules/expressions/evaluate.js';
import { expressionsIn } from '../rules/expressions/template.js';
import { didYouMean } from '../rules/nearest.js';
import { placed } from './placed.js';
import { resolveApprovers } from './resolve-environment.js';

/** The steps of a workflow in the form the interpreter reads, and the operations they call. */
export interface CompiledSteps {
  steps: PlanStep[];
  finally: PlanStep[];
  calls: Set<string>;
}

/** Names every expression of a workflow sees. Source: design, section 5. */
const NAMES = ['input', 'steps', 'environment', 'task'];

/**
 * Checks the steps of a workflow against the registry and against each other, and compiles them.
 *
 * @throws AbilityError with the place of the first mistake.
 */
export function compileSteps(registry: Registry, workflow: Loaded<HighLevel>): CompiledSteps {
  const compiler = new StepCompiler(registry, workflow);
  const { steps, finally: cleanup, output } = workflow.value;
  compiler.collectIds(steps, ['steps']);
  compiler.collectIds(cleanup ?? [], ['finally']);
  const compiled = {
    steps: compiler.compileAll(steps, ['steps']),
    finally: compiler.compileAll(cleanup ?? [], ['finally']),
    calls: compiler.calls,
  };
  if (output !== undefined) compiler.checkTemplate(output, ['output']);
  return compiled;
}

class StepCompiler {
  readonly calls = new Set<string>();
  private readonly ids = new Map<string, PropertyKey[]>();

  constructor(
    private readonly registry: Registry,
    private readonly workflow: Loaded<HighLevel>,
  ) {}

  /** Ids are unique in the file, wherever they stand. */
  collectIds(steps: StepDefinition[], path: PropertyKey[]): void {
    for (const [index, step] of steps.entries()) this.collectId(step.id, step, [...path, index], 'id');
  }

  private collectId(id: string, step: BranchDefinition, path: PropertyKey[], part: 'id' | undefined): void {
    if (this.ids.has(id)) {
      const at = part ? [...path, part] : path;
      throw this.refuse(`The step id \`${id}\` is used twice`, at, 'Ids are unique in the file.');
    }
    this.ids.set(id, path);
    if ('steps' in step) this.collectIds(step.steps, [...path, 'steps']);
    if ('parallel' in step) {
      for (const [name, branch] of Object.entries(step.parallel)) {
        this.collectId(name, branch, [...path, 'parallel', name], undefined);
      }
    }
    this.collectIds(step.finally ?? [], [...path, 'finally']);
  }

  compileAll(steps: StepDefinition[], path: PropertyKey[]): PlanStep[] {
    return steps.map((step, index) => this.compile(step.id, step, [...path, index]));
  }

  private compile(id: string, step: BranchDefinition, path: PropertyKey[]): PlanStep {
    const modifiers = this.modifiers(id, step, path);
    if ('call' in step) return this.call(step, modifiers, path);
    if ('approval' in step) return this.approval(step, modifiers, path);
    if ('parallel' in step) {
      const entries = Object.entries(step.parallel);
      if (entries.length === 0) throw this.refuse('`parallel` has no branches', [...path, 'parallel']);
      const branches = entries.map(([name, branch]) => this.compile(name, branch, [...path, 'parallel', name]));
      return { ...modifiers, verb: 'parallel', branches };
    }
    if ('steps' in step) {
      const retry = this.retry(step.retry, path);
      return { ...modifiers, verb: 'steps', steps: this.compileAll(step.steps, [...path, 'steps']), ...retry };
    }
    if ('let' in step) {
      this.checkTemplate(step.let, [...path, 'let']);
      return { ...modifiers, verb: 'let', let: step.let };
    }
    if ('fail' in step) return this.fail(step, modifiers, path);
    const output = step.end?.output ?? null;
    this.checkTemplate(output, [...path, 'end', 'output']);
    return { ...modifiers, verb: 'end', end: { output } };
  }

  private modifiers(id: string, step: BranchDefinition, path: PropertyKey[]): StepModifiers {
    const { if: condition, timeout, continue_on_error, finally: cleanup } = step;
    if (condition !== undefined) this.checkExpression(condition, [...path, 'if']);
    if (timeout !== undefined) this.checkTemplate(timeout, [...path, 'timeout']);
    return {
      id,
      ...(condition !== undefined && { if: condition }),
      ...(timeout !== undefined && { timeout }),
      ...(continue_on_error && { continue_on_error }),
      ...(cleanup && { finally: this.compileAll(cleanup, [...path, 'finally']) }),
    };
  }

  private call(
    step: Extract<BranchDefinition, { call: string }>,
    modifiers: StepModifiers,
    path: PropertyKey[],
  ): PlanStep {
    this.checkCallee(step.call, [...path, 'call']);
    this.calls.add(step.call);
    const input = step.with ?? {};
    if (typeof input === 'string' && !/^\s*\$\{\{[\s\S]*\}\}\s*$/.test(input)) {
      throw this.refuse('`with` is a map of parameters, or one ${{ }} that gives a map', [...path, 'with']);
    }
    this.checkTemplate(input, [...path, 'with']);
    return { ...modifiers, verb: 'call', call: step.call, with: input, ...this.retry(step.retry, path) };
  }

  /** Only registered, whitelisted, low-level abilities are called. Source: R-000-19, R-000-38; answers, 32. */
  private checkCallee(id: string, path: PropertyKey[]): void {
    const { registry, workflow } = this;
    const broken = registry.broken.get(`ability:${id}`);
    if (broken) throw new AbilityError(broken);
    if (registry.workflows.has(id)) {
      throw new AbilityError({
        code: 'feature.unsupported',
        message: `\`${id}\` is a workflow; a workflow that calls a workflow is not supported by this version`,
        location: workflow.locate(path),
        suggestion: `Run it by itself: ability run ${id}.`,
      });
    }
    if (!registry.operations.has(id)) {
      throw new AbilityError({
        code: 'definition.unknown_reference',
        message: `There is no ability \`${id}\``,
        location: workflow.locate(path),
        suggestion: didYouMean(id, registry.operations.keys()),
      });
    }
    const whitelist = workflow.value.operations;
    if (whitelist && !whitelist.includes(id)) {
      throw this.refuse(`\`${id}\` is not among the \`operations\` of this workflow`, path, 'Add it to `operations`.');
    }
  }

  private approval(
    step: Extract<BranchDefinition, { approval: unknown }>,
    modifiers: StepModifiers,
    path: PropertyKey[],
  ): PlanStep {
    const { title, approvers, quorum, timeout, comment } = step.approval;
    this.checkTemplate(title, [...path, 'approval', 'title']);
    this.checkTemplate(timeout, [...path, 'approval', 'timeout']);
    const resolved: { approvers?: Approvers } = approvers
      ? { approvers: resolveApprovers(this.registry.project.people, approvers) }
      : {};
    const approval = { title, ...resolved, ...(quorum !== undefined && { quorum }), expires: timeout, comment };
    return { ...modifiers, verb: 'approval', approval };
  }

  private fail(
    step: Extract<BranchDefinition, { fail: unknown }>,
    modifiers: StepModifiers,
    path: PropertyKey[],
  ): PlanStep {
    const { code, message, details } = step.fail;
    if (OUR_FAMILIES.has(familyOf(code))) {
      throw this.refuse(
        `The code \`${code}\` is of the family \`${familyOf(code)}\`, which is ours`,
        [...path, 'fail', 'code'],
        'Choose a code whose first word is your own.',
      );
    }
    this.checkTemplate(message, [...path, 'fail', 'message']);
    if (details !== undefined) this.checkTemplate(details, [...path, 'fail', 'details']);
    return { ...modifiers, verb: 'fail', fail: { code, message, ...(details !== undefined && { details }) } };
  }

  private retry(retry: RetryDefinition | undefined, path: PropertyKey[]): { retry?: PlanRetry } {
    if (!retry) return {};
    this.checkTemplate(retry.first, [...path, 'retry', 'first']);
    this.checkTemplate(retry.max, [...path, 'retry', 'max']);
    const { errors, ...rest } = retry;
    return { retry: { ...rest, ...(errors && { errors }) } };
  }

  /** Checks every `${{ }}` in a value, and finds the habits of other template languages. */
  checkTemplate(template: Json, path: PropertyKey[]): void {
    if (typeof template === 'string') this.checkText(template, path);
    else if (template !== null && typeof template === 'object') {
      for (const [key, item] of Object.entries(template)) this.checkTemplate(item, [...path, key]);
    }
  }

  private checkText(text: string, path: PropertyKey[]): void {
    if (/(^|[^$])\{\{/.test(text) && !text.includes('${{')) {
      throw this.refuse(`\`${text}\` is not a template here`, path, 'Write ${{ expression }}, with the dollar sign.');
    }
    this.check(path, () => {
      for (const expression of expressionsIn(text)) this.checkReferences(expression);
    });
  }

  private checkExpression(source: string, path: PropertyKey[]): void {
    const bare = /^\s*\$\{\{([\s\S]*)\}\}\s*$/.exec(source)?.[1];
    if (bare !== undefined) {
      throw this.refuse('A condition is bare CEL', path, `Write \`${bare.trim()}\`, without \${{ }}.`);
    }
    const status = /^\s*(always|success|failure|cancelled)\(\)/.exec(source)?.[1];
    if (status) {
      const suggestion = 'Steps that always run stand under `finally`; ask for `steps.<id>.status` otherwise.';
      throw this.refuse(`There is no \`${status}()\``, path, suggestion);
    }
    this.check(path, () => this.checkReferences(compileExpression(source)));
  }

  private checkReferences(expression: Expression): void {
    for (const { name, path } of expression.references) {
      if (!NAMES.includes(name)) {
        throw new AbilityError({
          code: 'expression.syntax',
          message: `\`${name}\` is not known in \`${expression.source}\``,
          suggestion: this.ids.has(name) ? `Write \`steps.${name}.output\`.` : `Known are ${NAMES.join(', ')}.`,
        });
      }
      const [step] = path;
      if (name !== 'steps' || step === undefined || this.ids.has(step)) continue;
      throw new AbilityError({
        code: 'expression.syntax',
        message: `There is no step \`${step}\` (in \`${expression.source}\`)`,
        suggestion: didYouMean(step, this.ids.keys()),
      });
    }
  }

  private check(path: PropertyKey[], action: () => void): void {
    try {
      action();
    } catch (error) {
      throw placed(error, this.workflow, path);
    }
  }

  private refuse(message: string, path: PropertyKey[], suggestion?: string): AbilityError {
    return new AbilityError({
      code: 'definition.invalid',
      message,
      location: this.workflow.locate(path),
      ...(suggestion !== undefined && { suggestion }),
    });
  }
}
