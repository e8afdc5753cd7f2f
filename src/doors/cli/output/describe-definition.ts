import { describeLifecycle } from '../../../contracts/lifecycle.js';
import type { AgentProfile } from '../../../definitions/formats/agent.js';
import type { HighLevel } from '../../../definitions/formats/high-level.js';
import type { ImplementationBody } from '../../../definitions/formats/implementation.js';
import type { LowLevel } from '../../../definitions/formats/low-level.js';
import { plainText } from './plain-text.js';

/** An ability's contract without its schemas, one line for each part that it has. */
export function describeDefinition(definition: LowLevel | HighLevel | AgentProfile): string[] {
  const { scope, routing_hints: hints = {} } = definition;
  return [
    ...said('status', describeLifecycle(definition)),
    ...listed('modules', scope.modules),
    ...describeKind(definition),
    ...listed('keywords', hints.keywords),
    ...listed('not for', hints.negative_keywords),
    ...listed('suggested in', hints.scopes),
    ...said('hint', hints.notes),
  ];
}

function describeKind(definition: LowLevel | HighLevel | AgentProfile): string[] {
  if ('instructions' in definition) return describeAgent(definition);
  const own = 'steps' in definition ? describeWorkflow(definition) : describeOperation(definition);
  return [...own, ...describeStarts(definition)];
}

function describeAgent({ operations, ...definition }: AgentProfile): string[] {
  return [
    ...said('instructions', definition.instructions),
    ...describeUse({ ...definition, operations: operations.length > 0 ? operations : ['nothing'] }),
  ];
}

function describeOperation({ use_cases, notes, effects, output_files = {} }: LowLevel): string[] {
  const files = Object.entries(output_files).map(([name, file]) => {
    const { glob, many = false } = typeof file === 'string' ? { glob: file } : file;
    return `${name} (${glob}${many ? ', any number' : ''})`;
  });
  return [
    `effects: ${effects}`,
    ...each('use case', use_cases),
    ...listed('leaves files', files),
    ...said('notes', notes),
  ];
}

function describeWorkflow(definition: HighLevel): string[] {
  const { limits } = definition;
  return [
    ...describeUse(definition),
    ...said('most calls', limits?.max_calls?.toString()),
    ...said('time for undo and finally', limits?.cleanup),
  ];
}

type Usable = Pick<HighLevel, 'scenarios' | 'examples' | 'constraints' | 'operations' | 'capabilities' | 'timeout'>;

function describeUse({
  scenarios,
  examples = [],
  constraints = {},
  operations,
  capabilities,
  timeout,
}: Usable): string[] {
  return [
    ...each('scenario', scenarios),
    ...examples.flatMap(({ summary, ...example }) =>
      said('example', `${summary ?? ''} ${JSON.stringify(example)}`.trim()),
    ),
    ...Object.entries(constraints).flatMap(([name, text]) => said(`constraint ${name}`, text)),
    ...listed('may call', operations),
    ...listed('capabilities', capabilities),
    ...said('time-out', timeout),
  ];
}

function describeStarts(definition: LowLevel | HighLevel): string[] {
  const { triggers = [] } = definition;
  const schedules = ('steps' in definition && definition.schedules) || [];
  return [
    ...schedules.flatMap(({ id, cron, timezone, environment }) =>
      said('schedule', `${id}: ${cron} ${timezone}, in ${environment}`),
    ),
    ...triggers.flatMap(({ webhook, environment, if: condition }) => {
      const where = environment === undefined ? '' : `, in ${environment}`;
      return said('webhook', `/v1/webhooks/${webhook}${where}${condition === undefined ? '' : `, if ${condition}`}`);
    }),
  ];
}

/** An implementation's settings except its invocation; `prompts` are those of the environment. */
export function describeImplementation(
  body: (ImplementationBody & { summary?: string | undefined }) | undefined,
  { defaults, overridable, tags, prompts }: Described,
): string[] {
  return [
    ...said('summary', body?.summary),
    ...listed('tags', tags),
    ...Object.entries(defaults).flatMap(([name, value]) =>
      said(`default ${name}`, `${JSON.stringify(value)}${overridable.includes(name) ? '' : ', not to be overridden'}`),
    ),
    ...said('limitations', body?.limitations),
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
  return Object.entries(prompts).flatMap(([name, text]) => said(`prompt ${name}`, text));
}

function listed(label: string, items: string[] | undefined): string[] {
  return items && items.length > 0 ? said(label, items.join(', ')) : [];
}

function each(label: string, items: string[] | undefined): string[] {
  return (items ?? []).flatMap((item) => said(label, item));
}

function said(label: string, text: string | undefined): string[] {
  return text === undefined || text === '' ? [] : [`${label}: ${plainText(text)}`];
}
