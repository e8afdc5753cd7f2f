import type { JsonObject } from '../../contracts/json.js';

/** An operation found in another system's description, as a definition of ours. */
export interface ImportedOperation {
  /** The operation key, and the name of its file. */
  key: string;
  /** Its name in the other system: the tool, or the method and path. */
  source: string;
  /** The low-level definition as data, keys in the order to be written. */
  definition: JsonObject;
  /** Notes for people, such as effects that are not stated. */
  notes: string[];
  /** Its `operationId` over there, by which other documents name it. */
  id?: string;
  /** Its name says something else than its effects, so that people should decide. */
  namedLike?: 'read' | 'deletion';
}

/** Something over there that did not become an ability. */
export interface LeftOut {
  source: string;
  reason: string;
}

/** The contents of another system's description, before anything is written. */
export interface Imported {
  operations: ImportedOperation[];
  /** Every one that is no operation here, by name and with the reason. */
  leftOut: LeftOut[];
  /** The content of a file of `registry/config`: endpoints, credentials, servers; absent: none. */
  config?: JsonObject;
  /** The settings common to all of them. */
  notes: string[];
  /** The target of `pinned: sha256:..` in a definition, by its digest in hex, stored so that a change can be shown. */
  pinned?: Record<string, JsonObject>;
}
