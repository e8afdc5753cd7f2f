import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import { cutText } from '../../rules/expressions/template.js';
import type { RetryDefinition } from '../formats/retry.js';
import type {
  BranchDefinition,
  ErrorHandlerDefinition,
  StepDefinition,
  SwitchCaseDefinition,
} from '../formats/steps.js';
import { expandedId, rewriteExpression, type TemplateNames } from './rewrite-expression.js';

type Path = PropertyKey[];

/** Where a part of a template stands, and which loops of the template are around it. */
interface At {
  path: Path;
  loops: readonly string[];
}

/** A mistake in a template, with its place in the file. */
export interface TemplateFault {
  path: Path;
  problem: Problem;
}

/**
 * Rewrites the steps of a template as steps of one that uses it.
 *
 * Ids get the id of the use before them, so that they are unique in the file and collide with none of the workflow's;
 * expressions read the use's own steps and what it was given.
 */
export class TemplateBody {
  readonly faults: TemplateFault[] = [];

  constructor(private readonly names: TemplateNames) {}

  steps(steps: readonly StepDefinition[], { path, loops }: At): StepDefinition[] {
    return steps.map((step, index) => ({
      ...this.branch(step, { path: [...path, index], loops }),
      id: expandedId(this.names.use, step.id),
    }));
  }

  /** A value with `${{ }}` in it. */
  value(value: Json, at: At): Json {
    if (typeof value === 'string') return this.text(value, at);
    if (Array.isArray(value)) return value.map((item, index) => this.value(item, inside(at, index)));
    return isJsonObject(value) ? this.map(value, at) : value;
  }

  private map(value: JsonObject, at: At): JsonObject {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.value(item, inside(at, key))]));
  }

  private text(text: string, at: At): string {
    if (!text.includes('${{')) return text;
    return this.kept(text, at, () =>
      cutText(text)
        .map((part) => (typeof part === 'string' ? part : `\${{ ${this.rewritten(part.source, at)} }}`))
        .join(''),
    );
  }

  private bare(source: string, at: At): string {
    return this.kept(source, at, () => this.rewritten(source, at));
  }

  private rewritten(source: string, { loops }: At): string {
    return rewriteExpression(source, this.names, loops);
  }

  private kept(written: string, { path }: At, rewrite: () => string): string {
    try {
      return rewrite();
    } catch (error) {
      if (!(error instanceof AbilityError)) throw error;
      this.faults.push({ path, problem: error.toProblem() });
      return written;
    }
  }

  private branch(step: BranchDefinition, at: At): BranchDefinition {
    const { if: condition, timeout, on_error, finally: cleanup } = step;
    const around = {
      ...(condition !== undefined && { if: this.bare(condition, inside(at, 'if')) }),
      ...(timeout !== undefined && { timeout: this.text(timeout, inside(at, 'timeout')) }),
      ...(on_error && { on_error: this.handlers(on_error, inside(at, 'on_error')) }),
      ...(cleanup && { finally: this.steps(cleanup, inside(at, 'finally')) }),
    };
    return { ...this.verb(step, at), ...around };
  }

  private verb(step: BranchDefinition, at: At): BranchDefinition {
    if ('call' in step) return this.call(step, at);
    if ('approval' in step) {
      const { title, timeout } = step.approval;
      const own = inside(at, 'approval');
      const texts = {
        title: this.text(title, inside(own, 'title')),
        timeout: this.text(timeout, inside(own, 'timeout')),
      };
      return { ...step, approval: { ...step.approval, ...texts } };
    }
    if ('parallel' in step) {
      return { ...step, parallel: this.branches(step.parallel, inside(at, 'parallel')), ...this.most(step, at) };
    }
    if ('race' in step) return { ...step, race: this.branches(step.race, inside(at, 'race')) };
    if ('foreach' in step) return this.foreach(step, at);
    if ('switch' in step) {
      return { ...step, switch: step.switch.map((item, index) => this.case(item, inside(at, 'switch', index))) };
    }
    if ('repeat' in step) return this.repeat(step, at);
    if ('wait' in step) return this.wait(step, inside(at, 'wait'));
    if ('template' in step) return this.refuseTemplate(step, at);
    if ('steps' in step) {
      return { ...step, steps: this.steps(step.steps, inside(at, 'steps')), ...this.retry(step.retry, at) };
    }
    if ('let' in step) return { ...step, let: this.map(step.let, inside(at, 'let')) };
    if ('fail' in step) {
      const { message, details } = step.fail;
      const own = inside(at, 'fail');
      const more = details === undefined ? {} : { details: this.value(details, inside(own, 'details')) };
      return { ...step, fail: { ...step.fail, message: this.text(message, inside(own, 'message')), ...more } };
    }
    const output = step.end?.output;
    return output === undefined ? step : { ...step, end: { output: this.value(output, inside(at, 'end', 'output')) } };
  }

  private call(step: Verb<'call'>, at: At): BranchDefinition {
    const { with: given, undo, retry } = step;
    const back = undo?.with;
    return {
      ...step,
      ...(given !== undefined && { with: this.parameters(given, inside(at, 'with')) }),
      ...(undo && back !== undefined && { undo: { ...undo, with: this.parameters(back, inside(at, 'undo', 'with')) } }),
      ...this.retry(retry, at),
    };
  }

  private parameters(given: JsonObject | string, at: At): JsonObject | string {
    return typeof given === 'string' ? this.text(given, at) : this.map(given, at);
  }

  private foreach(step: Verb<'foreach'>, at: At): BranchDefinition {
    const { foreach, as, index, label } = step;
    const list = inside(at, 'foreach');
    const inner = { path: at.path, loops: [...at.loops, as, ...(index === undefined ? [] : [index])] };
    return {
      ...step,
      foreach:
        typeof foreach === 'string'
          ? this.bare(foreach, list)
          : foreach.map((item, number) => this.value(item, inside(list, number))),
      ...(label !== undefined && { label: this.text(label, inside(inner, 'label')) }),
      ...this.most(step, at),
      steps: this.steps(step.steps, inside(inner, 'steps')),
    };
  }

  private repeat(step: Verb<'repeat'>, at: At): BranchDefinition {
    const { until, every, max } = step.repeat;
    const inner = { path: at.path, loops: [...at.loops, ...(step.index === undefined ? [] : [step.index])] };
    const own = inside(inner, 'repeat');
    const repeat = {
      until: this.bare(until, inside(own, 'until')),
      every: this.text(every, inside(own, 'every')),
      max: typeof max === 'string' ? this.text(max, inside(at, 'repeat', 'max')) : max,
    };
    return { ...step, repeat, steps: this.steps(step.steps, inside(inner, 'steps')) };
  }

  private wait(step: Verb<'wait'>, at: At): BranchDefinition {
    const { wait } = step;
    if (typeof wait === 'string') return { ...step, wait: this.text(wait, at) };
    if ('until' in wait) return { ...step, wait: { until: this.bare(wait.until, inside(at, 'until')) } };
    const { if: condition, timeout } = wait;
    const own = { path: at.path, loops: [...at.loops, 'signal'] };
    const more = {
      ...(condition !== undefined && { if: this.bare(condition, inside(own, 'if')) }),
      ...(timeout !== undefined && { timeout: this.text(timeout, inside(at, 'timeout')) }),
    };
    return { ...step, wait: { ...wait, ...more } };
  }

  private case(item: SwitchCaseDefinition, at: At): SwitchCaseDefinition {
    if ('else' in item) return { else: this.steps(item.else, inside(at, 'else')) };
    return { if: this.bare(item.if, inside(at, 'if')), steps: this.steps(item.steps, inside(at, 'steps')) };
  }

  private branches(branches: Record<string, BranchDefinition>, at: At): Record<string, BranchDefinition> {
    const entries = Object.entries(branches);
    return Object.fromEntries(
      entries.map(([id, branch]) => [expandedId(this.names.use, id), this.branch(branch, inside(at, id))]),
    );
  }

  private handlers(handlers: readonly ErrorHandlerDefinition[], at: At): ErrorHandlerDefinition[] {
    return handlers.map((handler, index) => ({
      ...handler,
      ...(handler.steps && { steps: this.steps(handler.steps, inside(at, index, 'steps')) }),
      ...(handler.output !== undefined && { output: this.value(handler.output, inside(at, index, 'output')) }),
    }));
  }

  /** `retry.if` is about the failed attempt alone, and stays as it is. */
  private retry(retry: RetryDefinition | undefined, at: At): { retry?: RetryDefinition } {
    if (!retry) return {};
    const first = this.text(retry.first, inside(at, 'retry', 'first'));
    return { retry: { ...retry, first, max: this.text(retry.max, inside(at, 'retry', 'max')) } };
  }

  private most({ max_parallel: most }: { max_parallel?: number | string | undefined }, at: At) {
    return typeof most === 'string' ? { max_parallel: this.text(most, inside(at, 'max_parallel')) } : {};
  }

  private refuseTemplate<Step extends Verb<'template'>>(step: Step, { path }: At): Step {
    const problem: Problem = {
      code: 'definition.invalid',
      message: `The template \`${this.names.template}\` uses the template \`${step.template}\``,
      suggestion: 'Write the steps out, or make a workflow of them and `call` it.',
    };
    this.faults.push({ path: [...path, 'template'], problem });
    return step;
  }
}

type Verb<Key extends string> = Extract<BranchDefinition, Record<Key, unknown>>;

function inside({ path, loops }: At, ...keys: Path): At {
  return { path: [...path, ...keys], loops };
}
