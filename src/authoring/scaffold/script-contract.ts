import type { Json, JsonObject } from '../../contracts/json.js';
import { type Command, type Parameter, parametersOf, type Reading } from '../script-reading/reading.js';
import { flowYaml } from '../write-yaml.js';

export interface ScriptContract {
  /** `input_schema`, as YAML. */
  schema: string;
  /** The lines of the `script` section, without `path`. */
  script: string[];
}

const MAX_COUNTED = 3;

export function scriptContract(command: Command, reading: Reading): ScriptContract {
  const script = reading.keepsFiles
    ? ['args: [--input, "{input_file}", --output, "{output_file}"]', 'output: json']
    : [
        ...argumentLines(command),
        ...(reading.readsStdin ? ['stdin: "${{ input.stdin }}"'] : []),
        `output: ${reading.prints}`,
      ];
  return {
    schema: reading.keepsFiles ? 'input_schema: { type: object }' : schemaOf(command, reading),
    script: [...script, ...todoLines(reading.todos)],
  };
}

function schemaOf(command: Command, { readsStdin, todos }: Reading): string {
  const parameters = parametersOf(command);
  const dependent = dependentOf(parameters);
  const properties: [string, Json][] = parameters.map((parameter) => [parameter.name, propertyOf(parameter)]);
  if (readsStdin) properties.push(['stdin', { type: 'string', description: 'What it reads on stdin.' }]);
  if (properties.length === 0) {
    // Further inputs are unknown until all parts are described.
    return todos.length > 0
      ? 'input_schema: { type: object }'
      : 'input_schema: { type: object, additionalProperties: false }';
  }
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return [
    'input_schema:',
    '  type: object',
    ...(required.length > 0 ? [`  required: ${flowYaml(required)}`] : []),
    ...(Object.keys(dependent).length > 0 ? [`  dependentRequired: ${flowYaml(dependent)}`] : []),
    '  additionalProperties: false',
    '  properties:',
    ...properties.map(([name, schema]) => `    ${flowYaml(name)}: ${flowYaml(schema)}`),
  ].join('\n');
}

/** `dependentRequired`: a positional argument needs the optional ones before it. */
function dependentOf(parameters: readonly Parameter[]): Record<string, string[]> {
  const places = parameters.filter(({ flag }) => flag === undefined);
  const entries = places.map((place, at): [string, string[]] => {
    const before = places
      .slice(0, at)
      .filter((one) => !one.isRequired && one.default === undefined && one.takes === 'one');
    return [place.name, before.map(({ name }) => name)];
  });
  return Object.fromEntries(entries.filter(([, before]) => before.length > 0));
}

function propertyOf(parameter: Parameter): JsonObject {
  const { takes, type, choices, help, items } = parameter;
  const text = (help ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, 200);
  const said: JsonObject = text === '' ? {} : { description: text };
  if (takes === 'nothing') return { type: 'boolean', ...said };
  if (takes === 'count') return { type: 'integer', minimum: 0, maximum: MAX_COUNTED, default: 0, ...said };
  const one: JsonObject = choices ? { enum: choices } : { type };
  if (takes === 'one')
    return { ...one, ...(parameter.default !== undefined && { default: parameter.default }), ...said };
  return {
    type: 'array',
    items: one,
    ...(items?.min !== undefined && { minItems: items.min }),
    ...(items?.max !== undefined && { maxItems: items.max }),
    ...said,
  };
}

function argumentLines({ parts, knowsEnd }: Command): string[] {
  const last = parts.findLastIndex((part) => typeof part === 'string');
  const front = parts
    .slice(0, last + 1)
    .map((part) => (typeof part === 'string' ? [flowYaml(part)] : argumentOf(part)));
  const own = parts.slice(last + 1).filter((part) => typeof part !== 'string');
  const flags = own.filter(({ flag }) => flag !== undefined);
  const places = own.filter(({ flag }) => flag === undefined);
  const end = knowsEnd && places.length > 0 ? ['"--"'] : [];
  const items = [...front.flat(), ...flags.flatMap(argumentOf), ...end, ...placesFrom(places)];
  return items.length === 0 ? ['args: []'] : ['args:', ...items.map((item) => `  - ${item}`)];
}

/** An optional positional argument encloses the ones after it in its condition. */
function placesFrom([first, ...others]: readonly Parameter[]): string[] {
  if (!first) return [];
  const isOpen = first.takes === 'one' && !first.isRequired && first.default === undefined;
  if (!isOpen || others.length === 0) return [...argumentOf(first), ...placesFrom(others)];
  const inner = [...argumentOf(first), ...placesFrom(others)];
  return [`{ if: has(input.${first.name}), then: [${inner.join(', ')}] }`];
}

function argumentOf({ name, flag, isJoined, takes, isRequired, default: fallback }: Parameter): string[] {
  const value = flowYaml(`\${{ input.${name} }}`);
  if (flag === undefined) {
    return takes === 'one' ? [value] : [`{ each: input.${name}, as: item, then: ["\${{ item }}"] }`];
  }
  const word = flowYaml(flag);
  const joint = flag.startsWith('--') ? '=' : '';
  switch (takes) {
    case 'nothing':
      return [`{ if: input.${name}, then: [${word}] }`];
    case 'count':
      return [`{ each: "[1, 2, 3].filter(time, time <= input.${name})", as: time, then: [${word}] }`];
    case 'each':
      return isJoined
        ? [`{ each: input.${name}, as: item, then: [${flowYaml(`${flag}${joint}\${{ item }}`)}] }`]
        : [`{ each: input.${name}, as: item, then: [${word}, "\${{ item }}"] }`];
    case 'several':
      return [`{ if: has(input.${name}), then: [${word}, { each: input.${name}, as: item, then: ["\${{ item }}"] }] }`];
    case 'one':
      if (isJoined) return [flowYaml(`${flag}${joint}\${{ input.${name} }}`)];
      return isRequired || fallback !== undefined
        ? [word, value]
        : [`{ if: has(input.${name}), then: [${word}, ${value}] }`];
  }
}

function todoLines(todos: readonly string[]): string[] {
  const [first, ...others] = todos;
  if (first === undefined) return [];
  if (others.length === 0) return [`todo: [${flowYaml(first)}]`];
  return ['todo:', ...todos.map((todo) => `  - ${flowYaml(todo)}`)];
}
