import type { Registry } from '../../definitions/registry.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { type OutputForm, outputFormOf } from '../../planning/resolve/resolve-output.js';
import { memoize } from '../../text/memoize.js';
import { ANY, listType, mapType, NULL, STRING, type Type, unite } from './type.js';

const NOTHING: ReadonlySet<string> = new Set();

/** Parameters with a default in any implementation or environment of an operation. */
export function presetParameters(registry: Registry, operation: string): ReadonlySet<string> {
  return presetsOf(registry).get(operation) ?? NOTHING;
}

const presetsOf = memoize((registry: Registry) => {
  const all = new Map<string, Set<string>>();
  const add = (operation: string, defaults: object = {}): void => {
    all.set(operation, new Set([...(all.get(operation) ?? []), ...Object.keys(defaults)]));
  };
  for (const { operation, body } of implementationBodies(registry)) add(operation, body.defaults);
  for (const [operation, { value }] of registry.configs) {
    for (const { defaults } of Object.values(value.environments ?? {})) add(operation, defaults);
  }
  return all;
});

const FORMS: Record<OutputForm, Type> = {
  json: ANY,
  text: mapType({ text: STRING }),
  lines: mapType({ lines: listType(STRING) }),
  csv: mapType({ rows: listType(mapType({}, () => STRING)) }),
  none: NULL,
};

/** The output type of an operation without a schema, from the output formats of its scripts. */
export function typeOfForms(registry: Registry, operation: string): Type {
  return outputsOf(registry).get(operation) ?? ANY;
}

const outputsOf = memoize((registry: Registry) => {
  const all = new Map<string, Type>();
  for (const { operation, body } of implementationBodies(registry)) {
    const type = body.kind === 'script' ? FORMS[outputFormOf(body.script, false)] : ANY;
    const before = all.get(operation);
    all.set(operation, before ? unite(before, type) : type);
  }
  return all;
});
