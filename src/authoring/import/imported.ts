import type { JsonObject } from '../../contracts/json.js';

export interface ImportedOperation {
  /** The operation key, and the name of its file. */
  key: string;
  /** Its name in the other system: the tool, or the method and path. */
  source: string;
  /** The low-level definition as data; its keys are in the order of writing. */
  definition: JsonObject;
  notes: string[];
  /** The name suggests other effects than declared, so that people should decide. */
  namedLike?: 'read' | 'deletion';
}

export interface LeftOut {
  source: string;
  reason: string;
}

export interface Imported {
  operations: ImportedOperation[];
  leftOut: LeftOut[];
  /** The content of a file of `registry/config`: endpoints, credentials, servers; absent: none. */
  config?: JsonObject;
  /** Notes for people about the import as a whole. */
  notes: string[];
  /** Targets of `pinned: sha256:..` by hex digest, stored so that a change can be shown. */
  pinned?: Record<string, JsonObject>;
}
