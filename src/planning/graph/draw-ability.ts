import type { PlanConcurrency } from '../../contracts/concurrency.js';
import type { PlanStep } from '../../contracts/plan.js';
import { describeConcurrency } from '../../rules/describe-concurrency.js';
import { type Callee, drawSteps } from './draw-steps.js';
import { Flowchart } from './flowchart.js';

/** What a graph is drawn of. */
export interface GraphSubject {
  id: string;
  version: number | string;
  /** Null where it is drawn from the definitions alone. */
  environment: string | null;
  /** With which other tasks it must not run at once. */
  concurrency?: PlanConcurrency | undefined;
  steps: PlanStep[];
  finally: PlanStep[];
  /** The operations that steps call, by key; what is not among them is drawn as a workflow of its own. */
  callees: Record<string, Callee>;
}

const STYLES = {
  reading: 'stroke:#2e7d32',
  writing: 'stroke:#ef6c00',
  destructive: 'stroke:#c62828,stroke-width:3px',
  people: 'stroke:#6a1b9a,stroke-dasharray:5 3',
  failing: 'stroke:#c62828',
};

/** Draws an ability as a Mermaid flowchart: the way from its input to its output, `finally` as a group of its own. */
export function drawAbility(subject: GraphSubject): string {
  const { id, version, environment, concurrency, steps, finally: cleanup, callees } = subject;
  const chart = new Flowchart();
  const where = environment === null ? [] : [`in ${environment}`];
  const turns = concurrency ? [describeConcurrency(concurrency)] : [];
  const start = chart.node('end', [`${id} v${version}`, ...where, ...turns]);
  if (cleanup.length === 0) {
    const out = drawSteps(chart, steps, [{ from: start }], callees);
    if (out.length > 0) chart.connect(out, chart.node('end', ['output']));
    return chart.toText(STYLES);
  }
  const main = chart.group('steps', () => drawSteps(chart, steps, [{ from: start }], callees));
  const last = chart.group('finally', () => drawSteps(chart, cleanup, [], callees));
  chart.connect([{ from: main.name, label: 'always', dotted: true }], last.name);
  chart.connect([{ from: last.name }], chart.node('end', ['output']));
  return chart.toText(STYLES);
}
