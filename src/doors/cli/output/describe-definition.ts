import { describeLifecycle } from '../../../contracts/lifecycle.js';
import type { PlanStep } from '../../../contracts/plan.js';
import type { AgentProfile } from '../../../definitions/formats/agent.js';
import type { HighLevel } from '../../../definitions/formats/high-level.js';
import type { LowLevel } from '../../../definitions/formats/low-level.js';
import { oneLine } from '../../../rules/shown-text.js';
import { listSteps, type StepTree } from '../../../rules/steps/step-tree.js';
import { plainText } from './plain-text.js';
import type { Style } from './terminal/terminal.js';

/** A part of a definition; a list is one line; empty or undefined: none. */
type Part = [label: string, value: string | readonly string[] | undefined];

/** An ability's contract without its schemas, one line for each part that it has. */
export function describeDefinition(definition: LowLevel | HighLevel | AgentProfile): string[] {
  const { scope, routing_hints: hints = {} } = definition;
  return linesOf([
    ['status', describeLifecycle(definition)],
    ['modules', scope.modules],
    ...partsOfKind(definition),
    ['keywords', hints.keywords],
    ['not for', hints.negative_keywords],
    ['suggested in', hints.scopes],
    ['hint', hints.notes],
  ]);
}

function partsOfKind(definition: LowLevel | HighLevel | AgentProfile): Part[] {
  if ('instructions' in definition) {
    const operations = definition.operations.length > 0 ? definition.operations : ['nothing'];
    return [['instructions', definition.instructions], ...partsOfUse({ ...definition, operations })];
  }
  return [
    ...('steps' in definition ? partsOfWorkflow(definition) : partsOfOperation(definition)),
    ...startsOf(definition),
  ];
}

function partsOfOperation({ use_cases, notes, effects, output_files = {} }: LowLevel): Part[] {
  const files = Object.entries(output_files).map(([name, file]) => {
    const { glob, many = false } = typeof file === 'string' ? { glob: file } : file;
    return `${name} (${glob}${many ? ', any number' : ''})`;
  });
  return [['effects', effects], ...each('use case', use_cases), ['leaves files', files], ['notes', notes]];
}

function partsOfWorkflow(definition: HighLevel): Part[] {
  const { max_calls, cleanup } = definition.limits ?? {};
  return [...partsOfUse(definition), ['most calls', max_calls?.toString()], ['time for undo and finally', cleanup]];
}

type Usable = Pick<HighLevel, 'scenarios' | 'examples' | 'constraints' | 'operations' | 'capabilities' | 'timeout'>;

function partsOfUse({ scenarios, examples = [], constraints = {}, operations, capabilities, timeout }: Usable): Part[] {
  const shown = examples.map(({ summary, ...example }) => `${summary ?? ''} ${JSON.stringify(example)}`.trim());
  return [
    ...each('scenario', scenarios),
    ...each('example', shown),
    ...Object.entries(constraints).map(([name, text]): Part => [`constraint ${name}`, text]),
    ['may call', operations],
    ['capabilities', capabilities],
    ['time-out', timeout],
  ];
}

function startsOf(definition: LowLevel | HighLevel): Part[] {
  const { triggers = [] } = definition;
  const schedules = ('steps' in definition && definition.schedules) || [];
  return [
    ...schedules.map(({ id, cron, timezone, environment }): Part => {
      return ['schedule', `${id}: ${cron} ${timezone}, in ${environment}`];
    }),
    ...triggers.map(({ webhook, environment, if: condition }): Part => {
      const where = environment === undefined ? '' : `, in ${environment}`;
      return ['webhook', `/v1/webhooks/${webhook}${where}${condition === undefined ? '' : `, if ${condition}`}`];
    }),
  ];
}

/** An implementation's settings except its invocation; `prompts` are those of the environment. */
export function describeImplementation(
  body: { summary?: string | undefined; limitations?: string | undefined } | undefined,
  { defaults, overridable, tags, prompts }: Described,
): string[] {
  return [
    ...linesOf([
      ['summary', body?.summary],
      ['tags', tags],
      ...Object.entries(defaults).map(([name, value]): Part => {
        const fixed = overridable.includes(name) ? '' : ', not to be overridden';
        return [`default ${name}`, `${JSON.stringify(value)}${fixed}`];
      }),
      ['limitations', body?.limitations],
    ]),
    ...describePrompts(prompts),
  ].map((line) => `    ${line}`);
}

interface Described {
  defaults: Record<string, unknown>;
  overridable: string[];
  tags: string[];
  prompts: Record<string, string>;
}

export function describePrompts(prompts: Record<string, string> = {}): string[] {
  return linesOf(Object.entries(prompts).map(([name, text]): Part => [`prompt ${name}`, text]));
}

function each(label: string, items: readonly string[] = []): Part[] {
  return items.map((item): Part => [label, item]);
}

function linesOf(parts: readonly Part[]): string[] {
  return parts.flatMap(([label, value]) => {
    const text = [value ?? []].flat().join(', ');
    return text === '' ? [] : [`${label}: ${plainText(text)}`];
  });
}

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
