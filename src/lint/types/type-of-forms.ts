import type { Registry } from '../../definitions/registry.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { type OutputForm, outputFormOf } from '../../planning/resolve/resolve-output.js';
import { ANY, listType, mapType, NULL, STRING, type Type, unite } from './type.js';

const FORMS: Record<OutputForm, Type> = {
  json: ANY,
  text: mapType({ text: STRING }),
  lines: mapType({ lines: listType(STRING) }),
  csv: mapType({ rows: listType(mapType({}, () => STRING)) }),
  none: NULL,
};

const known = new WeakMap<Registry, Map<string, Type>>();

/** The output of an operation without a schema, as far as the forms in which its scripts are read say it. */
export function typeOfForms(registry: Registry, operation: string): Type {
  const all = known.get(registry) ?? collect(registry);
  known.set(registry, all);
  return all.get(operation) ?? ANY;
}

function collect(registry: Registry): Map<string, Type> {
  const all = new Map<string, Type>();
  for (const { operation, body } of implementationBodies(registry)) {
    const type = body.kind === 'script' ? FORMS[outputFormOf(body.script, false)] : ANY;
    const before = all.get(operation);
    all.set(operation, before ? unite(before, type) : type);
  }
  return all;
}
