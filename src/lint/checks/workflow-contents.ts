import type { Finding } from '../../contracts/findings.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { StepDefinition } from '../../definitions/formats/steps.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { listsInside, listsOfWorkflow } from '../../definitions/step-lists.js';
import { findingOf } from '../../planning/finding-of.js';
import { textsIn } from '../../rules/expressions/split-text.js';
import { memoize } from '../../text/memoize.js';
import { type LintedProject, ofFile } from '../linted-project.js';
import { chainOf, type ExpressionSite, type StepNode, stepEndsTask } from '../types/expression-sites.js';
import { pathsIn, type StepRead, stepReadsIn } from '../types/read-expression.js';
import { type Order, orderOf } from '../types/step-order.js';
import { cutSafely } from '../types/template-type.js';
import { WorkflowTypes } from '../types/workflow-types.js';
import { contractDiagnostics } from './calls.js';
import { expressionDiagnostics, type PlacedDiagnostic } from './expressions.js';

/** Checks expressions, inputs and outputs of workflows against the schemas, and the order of their steps. */
export function* checkWorkflowContents({ registry }: LintedProject): Generator<Finding> {
  for (const workflow of registry.workflows.values()) {
    yield* ofFile(workflow.file, () =>
      diagnosticsOf(registry, workflow).map((diagnostic) => placedFinding(workflow, diagnostic)),
    );
  }
}

export function diagnosticsOf(registry: Registry, workflow: Loaded<HighLevel>): PlacedDiagnostic[] {
  const types = new WorkflowTypes(registry, workflow);
  return [
    ...expressionDiagnostics(types),
    ...contractDiagnostics(types, registry),
    ...orderDiagnostics(types),
    ...unreachableSteps(types),
  ];
}

export function placedFinding(from: Loaded<unknown>, { code, message, fix, path, part }: PlacedDiagnostic): Finding {
  return findingOf(code, message, from.locate(path, part), fix);
}

/** Finds expressions that read steps which have not run by then, or may not have. */
function* orderDiagnostics(types: WorkflowTypes): Generator<PlacedDiagnostic> {
  for (const site of types.sites) {
    for (const { source, path } of sourcesIn(site)) {
      const reads = stepReadsIn(source);
      const reported = new Set<string>();
      for (const read of reads) {
        const target = types.step(read.id);
        if (!target || reported.has(read.id)) continue;
        const diagnostic = diagnosticOf(site, source, read, reads, orderOf(site, target), target);
        if (!diagnostic) continue;
        reported.add(read.id);
        yield { ...diagnostic, path };
      }
    }
  }
}

function* sourcesIn({ belongs, value, path }: ExpressionSite): Generator<{ source: string; path: PropertyKey[] }> {
  const isBare = belongs === 'condition' || belongs === 'moment' || belongs === 'list';
  if (isBare && typeof value === 'string') yield { source: value, path };
  else {
    for (const text of textsIn(value, path)) {
      for (const part of cutSafely(text.value)) {
        if (typeof part !== 'string') yield { source: part.source, path: text.path };
      }
    }
  }
}

type Found = Omit<PlacedDiagnostic, 'path'> | undefined;

function diagnosticOf(
  site: ExpressionSite,
  source: string,
  read: StepRead,
  reads: StepRead[],
  order: Order,
  target: StepNode,
): Found {
  const { id, isDeep, part } = read;
  switch (order.when) {
    case 'before':
      return undefined;
    case 'within':
      if (part === 'status' || part === 'error' || !isDeep) return undefined;
      return { code: 'lint.step_not_run', message: `\`${id}\` is still at work here, and its output is null` };
    case 'never': {
      const message = `\`${id}\` cannot have run when this is evaluated`;
      return { code: isDeep ? 'lint.step_not_run' : 'lint.step_pending', message };
    }
    case 'at_once':
      if (waitsForOthers(site)) return undefined;
      return { code: 'lint.step_at_once', message: `\`${id}\` runs at the same time, in another branch` };
    case 'apart': {
      const { max_parallel: max } = order.loop.definition as { max_parallel?: number | string };
      const many = typeof max === 'number' ? `${max} at once` : `as many at once as \`${max}\` gives`;
      const message = `\`${id}\` reads its own last turn, and \`${order.loop.id}\` runs ${many}`;
      return { code: 'lint.own_turn_at_once', message };
    }
    case 'perhaps': {
      if (order.index !== undefined && countsTurns(site, source, order.index)) return undefined;
      if (!isDeep || isGuarded(site, read, reads, order, target)) return undefined;
      return { code: 'lint.step_may_not_run', message: `\`${id}\` ${order.why}, and its output is null then` };
    }
  }
}

/** A branch that waits for a condition or a signal may wait for the other one. */
function waitsForOthers({ node }: ExpressionSite): boolean {
  return chainOf(node).some(({ part, definition }) => part === 'branch' && /"(until|signal)":/.test(json(definition)));
}

const json = memoize((value: object) => JSON.stringify(value));

/** Whether the expression or a condition around it tests the step, or what decides whether it runs. */
function isGuarded(
  { conditions }: ExpressionSite,
  { id }: StepRead,
  reads: StepRead[],
  order: Extract<Order, { when: 'perhaps' }>,
  target: StepNode,
): boolean {
  if (reads.some((other) => other.id === id && !other.isDeep)) return true;
  const decisive = new Set(order.conditions.flatMap((source) => decisivePaths(source)));
  const around = new Set(chainOf(target).map((node) => `steps.${node.id}`));
  return conditions.some(({ source }) => {
    const paths = [...pathsIn(source)];
    return paths.some(
      (path) => decisive.has(path) || around.has(path) || path === 'task.status' || path === 'task.error',
    );
  });
}

/** Whether the expression or its conditions consider the first turn: they read the turn's index. */
function countsTurns({ conditions }: ExpressionSite, source: string, index: string): boolean {
  return [source, ...conditions.map((condition) => condition.source)].some((one) => pathsIn(one).has(index));
}

/** The paths that a condition reads; bare names are left out, since many conditions share them. */
function decisivePaths(source: string): string[] {
  return [...pathsIn(source)].filter((path) => path.split('.').length > 1);
}

/** Finds the first step of each list after a step that always ends the task. */
function* unreachableSteps({ workflow, nodes }: WorkflowTypes): Generator<PlacedDiagnostic> {
  const inside = nodes.flatMap(({ definition, path }) =>
    listsInside(definition).map((list) => ({ ...list, path: [...path, ...list.path] })),
  );
  for (const { part, path, steps } of [...listsOfWorkflow(workflow.value), ...inside]) {
    // All steps of a clean-up run, even after a failure, and so do all branches.
    if (part === 'finally' || part === 'branch') continue;
    const end = steps.findIndex(endsAlways);
    const [ending, next] = [steps[end], steps[end + 1]];
    if (!ending || !next) continue;
    const message = `\`${next.id}\` comes after \`${ending.id}\`, which always ends the task`;
    yield { code: 'lint.unreachable_step', message, path: [...path, end + 1, 'id'] };
  }
}

function endsAlways(step: StepDefinition): boolean {
  return step.if === undefined && stepEndsTask(step);
}
