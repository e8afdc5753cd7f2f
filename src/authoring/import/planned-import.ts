import type { JsonObject } from '../../contracts/json.js';
import type { ImportState } from '../../definitions/formats/import-state.js';
import type { YamlSource } from '../../definitions/yaml-source.js';
import type { ShownDifference } from '../../text/value-differences.js';
import type { PlannedFile } from '../write-together.js';
import type { EffectChoice } from './effect-choices.js';
import type { LeftOut } from './imported.js';

/** The planned actions of one import. */
export interface ImportOptions {
  /** The name of the import; the same kind and name again is a re-import. */
  kind: ImportState['kind'];
  name: string;
  /** How the other system was reached, for people: a command, an address, a file. */
  location: string;
  /** The command that does this import again, for the comment in each file. */
  command: string;
  /** The prefix of keys; {@link Imported} has it in its keys already. */
  prefix: string;
  /** Globs over keys and names over there; absent: those of the last import, else all. */
  select?: string[] | undefined;
  /** Effects that people chose now; those of earlier imports are remembered. */
  effects?: readonly EffectChoice[] | undefined;
  /** If people and the source changed the same key, the source wins; files that people deleted come back. */
  overwrite?: boolean | undefined;
  /** Files that were read already, by their names in the project: reading takes most of the time. */
  sources?: ReadonlyMap<string, YamlSource> | undefined;
  /** Says whether the runtime can use a schema. @throws AbilityError when it cannot. */
  compileSchema(schema: JsonObject, what: string): unknown;
}

/** The planned change of one definition. */
export interface PlannedChange {
  /**
   * `new`: a file is made; `changed`: what changed at the source is written into its file; `unchanged`: the file says
   * what the source says; `kept`: the file is left as people made it.
   */
  status: 'new' | 'changed' | 'unchanged' | 'kept';
  /** Relative to the project root. */
  file: string;
  /** The new text, for `new`. */
  definition?: JsonObject;
  /** The written changes, for `changed`; people's edits, for `kept`. */
  differences: ShownDifference[];
  /** Keys that both changed: before is people's, after the source's. */
  conflicts: ShownDifference[];
  /** Why the file as a whole was left. */
  reason?: string;
}

/** The planned change of one operation. */
export interface PlannedOperation extends PlannedChange {
  key: string;
  source: string;
  notes: string[];
}

/** An operation of an earlier import that its source no longer has. Its file stays. */
export interface Gone {
  key: string;
  source: string;
  file: string;
}

/** An operation whose effects people should decide on: its name says something else. */
export interface Undecided {
  key: string;
  source: string;
  effects: string;
  named_like: 'read' | 'deletion';
}

/** An import before it is done. */
export interface PlannedImport {
  operations: PlannedOperation[];
  config: PlannedChange | null;
  leftOut: LeftOut[];
  /** Keys that were not chosen. */
  notSelected: string[];
  gone: Gone[];
  undecided: Undecided[];
  /** The globs that chose; undefined: all. */
  select: string[] | undefined;
  notes: string[];
  root: string;
  /** The definitions, and what the import remembers of them. */
  writes: PlannedFile[];
}
