import { describeLifecycle } from '../../../contracts/lifecycle.js';
import type { AgentProfile } from '../../../definitions/formats/agent.js';
import type { HighLevel } from '../../../definitions/formats/high-level.js';
import type { LowLevel } from '../../../definitions/formats/low-level.js';
import { plainText } from './plain-text.js';

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
