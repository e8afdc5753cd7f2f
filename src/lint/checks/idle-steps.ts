import type { Finding } from '../../contracts/findings.js';
import type { ErrorHandlerDefinition, StepDefinition } from '../../definitions/formats/steps.js';
import type { Registry } from '../../definitions/registry.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import { findingOf } from '../../planning/finding-of.js';
import { allDefinedSteps, walkSteps } from '../../planning/steps/called-abilities.js';
import { unusableAnswersOf } from '../../rules/calls/error-families.js';
import { canonicalJson } from '../../rules/canonical.js';
import { compileExpression } from '../../rules/expressions/evaluate.js';
import { attempt } from '../../text/attempt.js';
import type { LintedProject } from '../linted-project.js';

/** Finds steps, handlers and conditions that have no effect. */
export function* checkIdleSteps({ registry }: LintedProject): Generator<Finding> {
  for (const workflow of registry.workflows.values()) {
    yield* unreachedHandlers(workflow.value.on_error, { from: workflow, path: ['on_error'] });
  }
  for (const { step, path, workflow } of allDefinedSteps(registry)) {
    const spot = { from: workflow, path };
    yield* unreachedHandlers(step.on_error, within(spot, 'on_error'));
    yield* idleUndo(step, spot, registry);
    yield* emptyLoop(step, spot);
    yield* repeatedCases(step, spot);
    yield* constantUntil(step, spot);
  }
}

/** Finds handlers behind others that take all their errors. */
function* unreachedHandlers(handlers: readonly ErrorHandlerDefinition[] = [], spot: Spot): Generator<Finding> {
  const taken = new Set<string>();
  for (const [index, { errors }] of handlers.entries()) {
    if (taken.has('*') || errors?.every((code) => taken.has(code))) {
      const message = taken.has('*')
        ? 'A handler before this one handles every failure'
        : 'Handlers before this one handle all of its `errors`';
      yield findingOf('lint.never_reached', message, locationOf(within(spot, index)));
    }
    for (const code of errors ?? ['*']) taken.add(code);
  }
}

function* idleUndo(step: StepDefinition, spot: Spot, { operations }: Registry): Generator<Finding> {
  if (step.verb !== 'call' || !step.undo) return;
  const { undo } = step;
  const effects = operations.get(undo.call)?.value.effects;
  const isSame = undo.call === step.call && canonicalJson(undo.with ?? {}) === canonicalJson(step.with ?? {});
  const why = isSame
    ? `The \`undo\` makes the same call again: ${undo.call}`
    : effects === 'read' || effects === 'external_read'
      ? `The \`undo\` calls ${undo.call}, which only reads`
      : undefined;
  if (why !== undefined) yield findingOf('lint.undo_idle', why, locationOf(within(spot, 'undo', 'call')));
}

function* emptyLoop(step: StepDefinition, spot: Spot): Generator<Finding> {
  if (step.verb !== 'foreach') return;
  const { foreach } = step;
  const isEmpty = Array.isArray(foreach) ? foreach.length === 0 : /^\s*\[\s*\]\s*$/.test(foreach);
  if (isEmpty) yield findingOf('lint.loop_empty', 'The list is empty', locationOf(within(spot, 'foreach')));
}

function* repeatedCases(step: StepDefinition, spot: Spot): Generator<Finding> {
  if (step.verb !== 'switch') return;
  const seen = new Set<string>();
  for (const [index, item] of step.switch.entries()) {
    if (!('if' in item)) continue;
    const condition = item.if.replace(/\s+/g, ' ').trim();
    if (seen.has(condition)) {
      const message = `A case before this one has the same condition, \`${condition}\``;
      yield findingOf('lint.never_reached', message, locationOf(within(spot, 'switch', index, 'if')));
    }
    seen.add(condition);
  }
}

function* constantUntil(step: StepDefinition, spot: Spot): Generator<Finding> {
  const until = untilOf(step);
  if (!until || !isConstant(until.condition)) return;
  const message = `\`${until.condition}\` is the same as long as the task runs`;
  yield findingOf('lint.until_constant', message, locationOf(within(spot, until.verb, 'until')));
}

function untilOf(step: StepDefinition): { verb: string; condition: string } | undefined {
  if (step.verb === 'repeat') return { verb: 'repeat', condition: step.repeat.until };
  if (step.verb !== 'wait' || typeof step.wait === 'string' || !('until' in step.wait)) return undefined;
  // A wait may also end at a fixed time.
  if (!isQuestion(step.wait.until)) return undefined;
  return { verb: 'wait', condition: step.wait.until };
}

/** Whether a condition certainly gives a boolean and not a time. */
function isQuestion(condition: string): boolean {
  if (condition.includes('?')) return false;
  return /[=!]=|[<>]|&&|\|\||^\s*!/.test(condition) || condition.trim() === 'environment.protected';
}

/** Whether it reads only values fixed for the task. `until: false` reads nothing: deliberate, and allowed. */
function isConstant(condition: string): boolean {
  // Planning reports an invalid expression.
  return attempt(() => {
    const { references, functions } = compileExpression(condition);
    const isFixed = references.length > 0 && references.every(({ name }) => name === 'input' || name === 'environment');
    return isFixed && !functions.some((name) => name === 'now' || name === 'uuid');
  }, false);
}

export function* checkUnusedTemplates({ registry }: LintedProject): Generator<Finding> {
  for (const workflow of registry.workflows.values()) {
    const names = Object.keys(workflow.value.templates ?? {});
    if (names.length === 0) continue;
    const steps = [...walkSteps(workflow.value)].map(({ step }) => step);
    const used = new Set(steps.map((step) => (step.verb === 'steps' ? step.expanded?.template : undefined)));
    for (const name of names.filter((one) => !used.has(one))) {
      const place = workflow.locate(['templates', name], 'key');
      yield findingOf('lint.unused_template', `No step uses the template \`${name}\``, place);
    }
  }
}

/** Finds retries by a family, which omits codes about answers. */
export function* checkRetryFamilies({ registry }: LintedProject): Generator<Finding> {
  for (const { step, path, workflow } of allDefinedSteps(registry)) {
    const errors = 'retry' in step ? (step.retry?.errors ?? []) : [];
    for (const [index, family] of errors.entries()) {
      const uncovered = unusableAnswersOf(family).filter((code) => !errors.includes(code));
      const [code] = uncovered;
      if (code === undefined) continue;
      const message = `\`${family}\` does not cover \`${uncovered.join('`, `')}\`: such a call was made and answered`;
      const fix = `Name the codes that are meant; \`${code}\` itself where the call may be made again.`;
      yield findingOf('lint.retry_family', message, workflow.locate([...path, 'retry', 'errors', index]), fix);
    }
  }
}
