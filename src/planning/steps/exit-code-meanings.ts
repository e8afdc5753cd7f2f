import type { Registry } from '../../definitions/registry.js';
import { implementationBodies } from '../resolve/choose-implementation.js';

/** The codes with which scripts of these operations fail by what their definitions say of exit codes. */
export function codesOfExits(registry: Registry, operations: ReadonlySet<string>): Set<string> {
  const codes = new Set<string>();
  for (const { operation, body } of implementationBodies(registry)) {
    if (body.kind !== 'script' || !operations.has(operation)) continue;
    for (const meaning of Object.values(body.script.exit_codes ?? {})) {
      if (meaning !== 'ok') codes.add(meaning.code);
    }
  }
  return codes;
}
