import type { Effect } from '../../contracts/effects.js';
import type { CallStep, ParallelStep, PlanRetry, PlanStep } from '../../contracts/plan.js';
import type { Arrow, Flowchart } from './flowchart.js';

/** What a graph tells about an ability that a step calls. */
export interface Callee {
  effects: Effect;
  /** Absent where the graph is drawn without an environment. */
  implementation?: string;
  /** The environment that asks people before such a call, where one does. */
  asksIn?: string;
}

/** A drawn step: the node or group that stands for it, and the arrows that lead on. */
interface Drawn {
  name: string;
  out: Arrow[];
}

/** Draws steps one after another. @returns the arrows that leave the last one. */
export function drawSteps(
  chart: Flowchart,
  steps: readonly PlanStep[],
  from: Arrow[],
  callees: Readonly<Record<string, Callee>>,
): Arrow[] {
  const drawer = new StepDrawer(chart, callees);
  return drawer.drawAll(steps, from);
}

class StepDrawer {
  constructor(
    private readonly chart: Flowchart,
    private readonly callees: Readonly<Record<string, Callee>>,
  ) {}

  drawAll(steps: readonly PlanStep[], from: Arrow[]): Arrow[] {
    return steps.reduce((arrows, step) => this.draw(step, arrows), from);
  }

  private draw(step: PlanStep, from: Arrow[]): Arrow[] {
    if (step.if === undefined) return this.drawCleanedUp(step, from);
    const at = this.onePoint(from);
    const taken = at.map((arrow) => ({ ...arrow, label: `if ${step.if}` }));
    const passedBy = at.map((arrow) => ({ ...arrow, label: 'else', dotted: true }));
    return [...this.drawCleanedUp(step, taken), ...passedBy];
  }

  /** A condition stands on one arrow without a text of its own; where there is none such, a point makes one. */
  private onePoint(from: Arrow[]): Arrow[] {
    const [only] = from;
    if (only && from.length === 1 && only.label === undefined) return from;
    const point = this.chart.node('point', ['·']);
    this.chart.connect(from, point);
    return [{ from: point }];
  }

  private drawCleanedUp(step: PlanStep, from: Arrow[]): Arrow[] {
    const { name, out } = this.drawVerb(step, from);
    const cleanup = step.finally;
    if (!cleanup) return out;
    const group = this.chart.group(`finally of ${step.id}`, () => this.drawAll(cleanup, []));
    this.chart.connect([{ from: name, label: 'always', dotted: true }], group.name);
    return group.inside;
  }

  /** What each verb looks like. A new verb is one more case here. */
  private drawVerb(step: PlanStep, from: Arrow[]): Drawn {
    switch (step.verb) {
      case 'call':
        return this.drawCall(step, from);
      case 'approval': {
        const { title, approvers, quorum = 1, expires } = step.approval;
        const who =
          approvers && approvers.listed.length > 0 ? approvers.listed.join(', ') : "the environment's approvers";
        const people = quorum > 1 ? `${quorum} of ${who}` : who;
        const text = [`${step.id}: approval`, title, `by ${people}, within ${expires}`];
        return this.drawNode('approval', [...text, ...modifiersOf(step)], from, 'people');
      }
      case 'parallel':
        return this.drawParallel(step, from);
      case 'steps':
        return this.drawGroup(titleOf(step, step.retry), (arrows) => this.drawAll(step.steps, arrows), from);
      case 'let':
        return this.drawNode('value', [step.id, `let ${Object.keys(step.let).join(', ')}`, ...modifiersOf(step)], from);
      case 'fail': {
        const failed = this.drawNode('end', [step.id, `fail ${step.fail.code}`, step.fail.message], from, 'failing');
        return step.continue_on_error ? failed : { ...failed, out: [] };
      }
      case 'end':
        return { ...this.drawNode('end', [step.id, 'end: succeeded'], from), out: [] };
    }
  }

  private drawCall(step: CallStep, from: Arrow[]): Drawn {
    const callee = Object.hasOwn(this.callees, step.call) ? this.callees[step.call] : undefined;
    const modifiers = modifiersOf(step, step.retry);
    if (!callee) return this.drawNode('workflow', [step.id, step.call, ...modifiers], from);
    const { effects, implementation, asksIn } = callee;
    const name = implementation === undefined || implementation === step.call ? [] : [`by ${implementation}`];
    const asks = asksIn === undefined ? [] : [`${asksIn} asks for approval first`];
    const className = effects === 'destructive' ? 'destructive' : effects.startsWith('write') ? 'writing' : 'reading';
    return this.drawNode('call', [step.id, step.call, ...name, effects, ...asks, ...modifiers], from, className);
  }

  private drawParallel(step: ParallelStep, from: Arrow[]): Drawn {
    const title = titleOf(step, undefined, 'all at once');
    const { name, inside } = this.chart.group(title, () => {
      const fork = this.chart.node('point', ['·']);
      const ends = step.branches.map((branch) => this.draw(branch, [{ from: fork }]));
      const join = this.chart.node('point', ['·']);
      this.chart.connect(ends.flat(), join);
      return { fork, out: [{ from: join }] };
    });
    this.chart.connect(from, inside.fork);
    return { name, out: inside.out };
  }

  /** A group is entered at its first step, since that is where work begins. */
  private drawGroup(title: string, draw: (from: Arrow[]) => Arrow[], from: Arrow[]): Drawn {
    const { name, inside } = this.chart.group(title, () => draw(from));
    return { name, out: inside };
  }

  private drawNode(shape: Parameters<Flowchart['node']>[0], text: string[], from: Arrow[], look?: string): Drawn {
    const name = this.chart.node(shape, text, look);
    this.chart.connect(from, name);
    return { name, out: [{ from: name }] };
  }
}

function titleOf(step: PlanStep, retry: PlanRetry | undefined, what?: string): string {
  const notes = [...(what === undefined ? [] : [what]), ...modifiersOf(step, retry)];
  return notes.length === 0 ? step.id : `${step.id}: ${notes.join(', ')}`;
}

function modifiersOf({ timeout, continue_on_error }: PlanStep, retry?: PlanRetry): string[] {
  const notes = [
    ...(retry ? [`up to ${retry.attempts} attempts`] : []),
    ...(timeout === undefined ? [] : [`within ${timeout}`]),
    ...(continue_on_error ? ['goes on after an error'] : []),
  ];
  return notes.length === 0 ? [] : [notes.join(', ')];
}
