import type { JsonObject } from '../../contracts/json.js';

/** An operation found in another system's description, as a definition of ours. */
export interface ImportedOperation {
  /** The operation key, and the name of its file. */
  key: string;
  /** What it is called over there: the tool, or the method and path. */
  source: string;
  /** The low-level definition as data, keys in the order to be written. */
  definition: JsonObject;
  /** What a person should know of it, such as effects that are not stated. */
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
  /** What to write into a file of `registry/config`: endpoints, credentials, servers; absent: nothing. */
  config?: JsonObject;
  /** What holds for all of them. */
  notes: string[];
  /** What `pinned: sha256:..` in a definition refers to, by its digest in hex, kept so that a change can be shown. */
  pinned?: Record<string, JsonObject>;
}
