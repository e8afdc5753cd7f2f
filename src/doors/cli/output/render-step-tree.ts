import type { PlanStep } from '../../../contracts/plan.js';
import { oneLine } from '../../../rules/shown-text.js';
import type { StepTree } from '../../../rules/steps/find-step.js';
import { listSteps } from '../../../rules/steps/inner-steps.js';
import type { Style } from './terminal/terminal.js';

type Row = readonly [path: string, verb: string, what: string];

/** The steps of a workflow before it runs, one line each: path, verb, and what it calls, asks or waits for. */
export function renderStepTree({ steps, on_error = [], finally: cleanup }: StepTree, style: Style): string[] {
  const groups: [string, Row[]][] = [
    ['steps', rowsOf(steps)],
    ['on_error', on_error.flatMap((handler) => rowsOf(handler.steps))],
    ['finally', rowsOf(cleanup)],
  ];
  const rows = groups.flatMap(([, own]) => own);
  const widest = (column: 0 | 1): number => Math.max(0, ...rows.map((row) => row[column].length));
  return groups.flatMap(([name, own]) => {
    if (own.length === 0) return [];
    const lines = own.map(([path, verb, what]) =>
      `  ${path.padEnd(widest(0))}  ${style('dim', verb.padEnd(widest(1)))}  ${what}`.trimEnd(),
    );
    return [`${name}:`, ...lines];
  });
}

function rowsOf(steps: readonly PlanStep[]): Row[] {
  return listSteps(steps).map(({ step, path }): Row => [path, step.verb, whatOf(step)]);
}

function whatOf(step: PlanStep): string {
  switch (step.verb) {
    case 'call':
      return `${step.call}${step.undo ? `, undone by ${step.undo.call}` : ''}${step.cut ? ', may be cut' : ''}`;
    case 'approval':
      return oneLine(step.approval.title);
    case 'wait':
      if ('signal' in step.wait) return `signal ${step.wait.signal}`;
      return 'for' in step.wait ? `for ${step.wait.for}` : `until ${step.wait.until}`;
    case 'steps':
      return step.template ? `template ${step.template.name}` : '';
    case 'fail':
      return step.fail.code;
    case 'parallel':
    case 'race':
    case 'foreach':
    case 'switch':
    case 'repeat':
    case 'let':
    case 'end':
      return '';
  }
}
