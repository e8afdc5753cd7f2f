import type { ImplementationBody } from '../definitions/formats/implementation.js';
import type { Loaded, Registry } from '../definitions/registry.js';

/** An implementation, wherever it is written. */
export interface WrittenImplementation {
  /** Its own id, or the operation key where it has none. */
  id: string;
  operation: string;
  body: ImplementationBody;
  from: Loaded<unknown>;
  path: PropertyKey[];
}

/** Every implementation of a project: in operations, in documents, in the configuration. Source: C-19. */
export function* implementationBodies(registry: Registry): Generator<WrittenImplementation> {
  for (const [operation, from] of registry.operations) {
    const { implementation: body } = from.value;
    if (body) yield { id: operation, operation, body, from, path: ['implementation'] };
  }
  for (const [id, from] of registry.implementations) {
    yield { id, operation: from.value.operation_key, body: from.value, from, path: [] };
  }
  for (const [operation, from] of registry.configs) {
    const { impl: body } = from.value;
    if (body) yield { id: operation, operation, body, from, path: ['impl'] };
  }
}
