import { Graph, layout } from '@dagrejs/dagre';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Plan, PlanStep } from '../../contracts/plan.js';
import type { StepSummary } from '../../contracts/task.js';
import type { OutputOf } from '../../operations/over-http/call-door.js';
import { generalPath, innerSteps, listSteps, nameOfStep } from '../../rules/steps/step-tree.js';
import { call } from '../call.js';
import { t } from '../texts/text.js';
import { type Called, calledCount } from './called-tasks.js';
import { progressOf } from './parts.js';
import { hasChanged } from './plan-steps.js';
import { useData } from './use-data.js';

type Seen = Awaited<OutputOf<'viewTask'>>;

interface Props {
  task: Seen;
  id: string;
  /** The called tasks that run. */
  called: Called;
  onChoose(path: string): void;
  /** Shown where there is no graph. */
  table: JSX.Element;
}

/** The steps as a graph: its shape is that of the task's own plan, its colours are those of the task. */
export function StepGraph({ task, id, called, onChoose, table }: Props): JSX.Element {
  const { data, refusal } = useData(`graph ${id}`, () => planOf(task, id));
  const drawn = useMemo(() => data && draw(data), [data]);
  if (refusal || data === null) {
    return (
      <>
        <p class="quiet">{t('task.graph.changed')}</p>
        {table}
      </>
    );
  }
  if (!data) return <p class="quiet">{t('loading')}</p>;
  if (!drawn) return table;
  const states = new Map<string, StepSummary>(task.steps.map((step) => [generalPath(step.path), step]));
  const { width, height, nodes, edges } = drawn;
  return (
    <div class="graph" tabIndex={0} role="group" aria-label={t('task.graph')}>
      <svg
        width={`${width / 10}rem`}
        height={`${height / 10}rem`}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label={t('task.graph')}
      >
        {edges.map((points) => (
          <polyline key={points} points={points} class="edge" />
        ))}
        {nodes.map(({ step, path, x, y }) => {
          const seen = states.get(path);
          const state = seen?.status ?? 'pending';
          const shown = state.replaceAll('_', ' ');
          const more = [
            seen && progressOf(seen),
            seen && calledCount(seen, called),
            seen && seen.attempts > 1 && `×${seen.attempts}`,
          ]
            .filter(Boolean)
            .join(' ');
          const open = (): void => void (seen && onChoose(seen.path));
          return (
            <g
              key={path}
              transform={`translate(${x - WIDTH / 2} ${y - HEIGHT / 2})`}
              class={`node state-${state}`}
              role="button"
              tabIndex={0}
              aria-label={`${cut(step.id, 24)} ${shown} ${more}`.trim()}
              onClick={open}
              onKeyDown={({ key }) => key === 'Enter' && open()}
            >
              <rect width={WIDTH} height={HEIGHT} rx={6} />
              <text x={10} y={18}>
                {`${cut(step.id, 24)} `}
              </text>
              <text x={10} y={34} class="small">
                {cut(`${shown} ${more}`.trim(), 30)}
              </text>
              <title>{`${path}: ${step.verb === 'call' ? step.call : step.verb}`}</title>
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** Null if the plan of the task is out of reach, and the definition is no longer that of the task. */
async function planOf({ ability_id, environment, digest, steps }: Seen, id: string): Promise<Plan | null> {
  const { input } = await call('readInput', { key: id });
  const wanted = { id: ability_id, environment, input: input as Record<string, unknown> };
  const now = await call('planAbility', wanted).catch(() => undefined);
  if (now && now.digest === digest) return now.plan;
  const own = await call('readRecord', { key: id }).catch(() => undefined);
  if (own) return own.record.plan as unknown as Plan;
  return now && !hasChanged(now, digest) && hasAll(now.plan, steps) ? now.plan : null;
}

/** Whether each step that the task has gone through is one of the plan. Those of `finally` are in the table alone. */
function hasAll(plan: Plan, steps: readonly StepSummary[]): boolean {
  const known = new Set(listSteps(plan.steps).map(({ path }) => path));
  return steps.every(
    ({ path, status }) => status === 'pending' || known.has(generalPath(path)) || !known.has(rootOf(path)),
  );
}

function rootOf(path: string): string {
  return path.split('/')[0] ?? path;
}

const [WIDTH, HEIGHT] = [190, 44];

interface Drawn {
  width: number;
  height: number;
  nodes: { step: PlanStep; path: string; x: number; y: number }[];
  /** Points of each edge, as SVG has them. */
  edges: string[];
}

/** Undefined if there are no steps. */
function draw({ ability, steps }: Plan): Drawn | undefined {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: 24, ranksep: 28, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  const known = new Map<string, PlanStep>();
  /** @returns the last steps, after which the next one begins. */
  const chain = (list: readonly PlanStep[], before: string[], prefix: string): string[] => {
    let ends = before;
    for (const step of list) {
      const path = prefix + nameOfStep(step.id);
      known.set(path, step);
      graph.setNode(path, { width: WIDTH, height: HEIGHT });
      for (const end of ends) graph.setEdge(end, path);
      const isSplit = step.verb === 'parallel' || step.verb === 'race';
      const after = innerSteps(step).flatMap(({ steps: inner, isRepeated }) => {
        const lists = isSplit ? inner.map((one) => [one]) : [inner];
        return lists.flatMap((one) => chain(one, [path], `${path}/${isRepeated ? '*/' : ''}`));
      });
      ends = after.length > 0 ? after : [path];
    }
    return ends;
  };
  chain(ability.kind === 'operation' ? [{ id: 'run', verb: 'call', call: ability.id, with: {} }] : steps, [], '');
  if (known.size === 0) return undefined;
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const nodes = [...known].map(([path, step]) => {
    const { x, y } = graph.node(path) as { x: number; y: number };
    return { step, path, x, y };
  });
  const edges = graph.edges().map((edge) => {
    const { points } = graph.edge(edge) as { points: { x: number; y: number }[] };
    return points.map(({ x, y }) => `${Math.round(x)},${Math.round(y)}`).join(' ');
  });
  return { width, height, nodes, edges };
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
