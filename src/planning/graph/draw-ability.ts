import type { PlanConcurrency } from '../../contracts/concurrency.js';
import type { Effect } from '../../contracts/effects.js';
import type {
  CallStep,
  ErrorHandler,
  ForeachStep,
  ParallelStep,
  PlanRetry,
  PlanStep,
  RaceStep,
  SwitchStep,
  WaitStep,
} from '../../contracts/plan.js';
import { describeConcurrency } from '../../rules/concurrency/describe-concurrency.js';
import { showUnseenCharacters } from '../../rules/shown-text.js';

export interface GraphSubject {
  id: string;
  version: number | string;
  /** Null if the graph is drawn from the definitions alone. */
  environment: string | null;
  concurrency?: PlanConcurrency | undefined;
  steps: PlanStep[];
  finally: PlanStep[];
  /** The called operations by id; any other callee is drawn as a workflow. */
  callees: Record<string, Callee>;
}

const STYLES = {
  reading: 'stroke:#2e7d32',
  writing: 'stroke:#ef6c00',
  destructive: 'stroke:#c62828,stroke-width:3px',
  people: 'stroke:#6a1b9a,stroke-dasharray:5 3',
  failing: 'stroke:#c62828',
};

/** Draws an ability as a Mermaid flowchart, from its input to its output; `finally` is a separate group. */
export function drawAbility(subject: GraphSubject): string {
  const { id, version, environment, concurrency, steps, finally: cleanup, callees } = subject;
  const chart = new Flowchart();
  const drawer = new StepDrawer(chart, callees);
  const where = environment === null ? [] : [`in ${environment}`];
  const turns = concurrency ? [describeConcurrency(concurrency)] : [];
  const start = chart.node('end', [`${id} v${version}`, ...where, ...turns]);
  if (cleanup.length === 0) {
    const out = drawer.drawAll(steps, [{ from: start }]);
    if (out.length > 0) chart.connect(out, chart.node('end', ['output']));
    return chart.toText(STYLES);
  }
  const main = chart.group('steps', () => drawer.drawAll(steps, [{ from: start }]));
  const last = chart.group('finally', () => drawer.drawAll(cleanup, []));
  chart.connect([{ from: main.name, label: 'always', dotted: true }], last.name);
  chart.connect([{ from: last.name }], chart.node('end', ['output']));
  return chart.toText(STYLES);
}

export interface Callee {
  effects: Effect;
  /** Absent if the graph is drawn without an environment. */
  implementation?: string;
  /** The environment that requires approval for this call, if it does. */
  approvalIn?: string;
}

interface Drawn {
  name: string;
  out: Arrow[];
}

class StepDrawer {
  constructor(
    private readonly chart: Flowchart,
    private readonly callees: Readonly<Record<string, Callee>>,
  ) {}

  /** Draws steps one after another. @returns the arrows that leave the last one. */
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

  /** A condition needs one unlabelled arrow for its label; if there is none, adds a point that provides it. */
  private onePoint(from: Arrow[]): Arrow[] {
    const [only] = from;
    if (only && from.length === 1 && only.label === undefined) return from;
    const point = this.chart.node('point', ['·']);
    this.chart.connect(from, point);
    return [{ from: point }];
  }

  private drawCleanedUp(step: PlanStep, from: Arrow[]): Arrow[] {
    const { name, out } = this.drawVerb(step, from);
    const handled = (step.on_error ?? []).flatMap((handler) => this.drawHandler(step, handler, name));
    if (step.verb === 'call' && step.undo) this.drawUndo(step.id, step.undo.call, name);
    const cleanup = step.finally;
    if (!cleanup) return [...out, ...handled];
    const group = this.chart.group(`finally of ${step.id}`, () => this.drawAll(cleanup, []));
    this.chart.connect([{ from: name, label: 'always', dotted: true }, ...handled], group.name);
    return group.inside;
  }

  /** A handler that rethrows has no outgoing arrow. */
  private drawHandler(step: PlanStep, { errors, steps, rethrow }: ErrorHandler, name: string): Arrow[] {
    const label = `on ${errors?.join(', ') ?? 'any error'}`;
    const arrow: Arrow = { from: name, label, dotted: true };
    if (steps.length === 0) return rethrow ? [] : [arrow];
    const group = this.chart.group(`on_error of ${step.id}`, () => this.drawAll(steps, []));
    this.chart.connect([arrow], group.name);
    return rethrow ? [] : group.inside;
  }

  private drawUndo(id: string, call: string, name: string): void {
    const undo = this.chart.node('call', [`undo of ${id}`, call], 'writing');
    this.chart.connect([{ from: name, label: 'when the task fails', dotted: true }], undo);
  }

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
        return this.drawBranches(step, titleOf(step, undefined, `${step.max_parallel ?? 'all'} at once`), from);
      case 'race':
        return this.drawBranches(step, titleOf(step, undefined, 'the first to end wins'), from);
      case 'foreach':
        return this.drawGroup(titleOf(step, undefined, `each ${step.as} of ${listOf(step)}`), step.steps, from);
      case 'repeat': {
        const { until, max } = step.repeat;
        return this.drawGroup(titleOf(step, undefined, `until ${until}, at most ${max} turns`), step.steps, from);
      }
      case 'switch':
        return this.drawSwitch(step, from);
      case 'wait':
        return this.drawNode('wait', [step.id, waitOf(step), ...modifiersOf(step)], from);
      case 'steps':
        return this.drawGroup(
          titleOf(step, step.retry, step.template && `template ${step.template.name}`),
          step.steps,
          from,
        );
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
    const { effects, implementation, approvalIn } = callee;
    const name = implementation === undefined || implementation === step.call ? [] : [`by ${implementation}`];
    const asks = approvalIn === undefined ? [] : [`${approvalIn} asks for approval first`];
    const className = effects === 'destructive' ? 'destructive' : effects.startsWith('write') ? 'writing' : 'reading';
    return this.drawNode('call', [step.id, step.call, ...name, effects, ...asks, ...modifiers], from, className);
  }

  private drawBranches(step: ParallelStep | RaceStep, title: string, from: Arrow[]): Drawn {
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

  private drawSwitch(step: SwitchStep, from: Arrow[]): Drawn {
    const choice = this.drawNode('choice', [step.id, ...modifiersOf(step)], from);
    const ends = step.cases.flatMap((item) => {
      const label = item.if === undefined ? 'else' : `if ${item.if}`;
      return this.drawAll(item.steps, [{ from: choice.name, label }]);
    });
    const hasElse = step.cases.some((item) => item.if === undefined);
    return { name: choice.name, out: hasElse ? ends : [...ends, { from: choice.name, label: 'else', dotted: true }] };
  }

  /** The arrows enter a group at its first step. */
  private drawGroup(title: string, steps: readonly PlanStep[], from: Arrow[]): Drawn {
    const { name, inside } = this.chart.group(title, () => this.drawAll(steps, from));
    return { name, out: inside };
  }

  private drawNode(shape: Parameters<Flowchart['node']>[0], text: string[], from: Arrow[], look?: string): Drawn {
    const name = this.chart.node(shape, text, look);
    this.chart.connect(from, name);
    return { name, out: [{ from: name }] };
  }
}

function listOf({ foreach, max_parallel }: ForeachStep): string {
  const list = 'list' in foreach ? `${foreach.list.length} items` : foreach.expression;
  return max_parallel === 1 ? list : `${list}, ${max_parallel} at once`;
}

function waitOf({ wait }: WaitStep): string {
  if ('for' in wait) return `wait ${wait.for}`;
  if ('until' in wait) return `wait until ${wait.until}`;
  const limit = wait.timeout === undefined ? '' : `, within ${wait.timeout}`;
  return `wait for the signal ${wait.signal}${wait.if === undefined ? '' : ` if ${wait.if}`}${limit}`;
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

const SHAPES = {
  call: ['["', '"]'],
  workflow: ['[["', '"]]'],
  approval: ['{{"', '"}}'],
  value: ['[/"', '"/]'],
  end: ['(["', '"])'],
  choice: ['{"', '"}'],
  wait: ['("', '")'],
  point: ['(("', '"))'],
} as const;

export type Shape = keyof typeof SHAPES;

/** An arrow without its target. */
export interface Arrow {
  from: string;
  label?: string;
  dotted?: boolean;
}

/** Longer lines would make a node wider than the page. */
const LONGEST_LINE = 80;

/** Writes a Mermaid flowchart. Node names are generated and texts escaped, so authors cannot inject syntax. */
export class Flowchart {
  private readonly lines = ['flowchart TD'];
  private readonly arrows: string[] = [];
  private readonly classes = new Map<string, string[]>();
  private depth = 1;
  private count = 0;

  /** Draws a node, one line per text. @returns its name. */
  node(shape: Shape, text: readonly string[], className?: string): string {
    const [open, close] = SHAPES[shape];
    const name = this.nextName('n');
    this.write(`${name}${open}${text.map(escapeLabel).join('<br/>')}${close}`);
    if (className !== undefined) this.classes.set(className, [...(this.classes.get(className) ?? []), name]);
    return name;
  }

  connect(arrows: readonly Arrow[], to: string): void {
    for (const { from, label, dotted } of arrows) {
      const line = dotted ? '-.->' : '-->';
      const text = label === undefined ? '' : `|"${escapeLabel(label)}"|`;
      this.arrows.push(`  ${from} ${line}${text} ${to}`);
    }
  }

  /** Draws a group around the nodes that `draw` adds. @returns its name and the result of `draw`. */
  group<T>(title: string, draw: () => T): { name: string; inside: T } {
    const name = this.nextName('g');
    this.write(`subgraph ${name} ["${escapeLabel(title)}"]`);
    this.depth += 1;
    const inside = draw();
    this.depth -= 1;
    this.write('end');
    return { name, inside };
  }

  /** The whole chart. @param styles the style of each class. */
  toText(styles: Readonly<Record<string, string>>): string {
    const looks = [...this.classes].flatMap(([name, nodes]) => {
      const style = styles[name];
      return style === undefined ? [] : [`  classDef ${name} ${style}`, `  class ${nodes.join(',')} ${name}`];
    });
    return [...this.lines, ...this.arrows, ...looks].join('\n');
  }

  private write(line: string): void {
    this.lines.push('  '.repeat(this.depth) + line);
  }

  private nextName(prefix: string): string {
    this.count += 1;
    return `${prefix}${this.count}`;
  }
}

/** Cuts at 80 characters, and escapes characters special to Mermaid, HTML or Markdown. */
export function escapeLabel(text: string): string {
  const line = showUnseenCharacters(text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim());
  const characters = [...line];
  const short = characters.length > LONGEST_LINE ? [...characters.slice(0, LONGEST_LINE - 1), '…'] : characters;
  return short.join('').replaceAll(/["#&<>`|$\\[\](){}]/g, (character) => `#${character.charCodeAt(0)};`);
}
