import type { JsonObject } from '../../contracts/json.js';
import type { ImportState } from '../../definitions/formats/import-state.js';
import type { YamlSource } from '../../definitions/yaml-source.js';
import type { ShownDifference } from '../../text/value-differences.js';
import type { PlannedFile } from '../write-together.js';
import type { EffectChoice } from './effect-choices.js';
import type { ImportedOperation, LeftOut } from './imported.js';

export interface ImportOptions {
  /** The same kind and name again is a re-import. */
  kind: ImportState['kind'];
  name: string;
  /** How the other system was reached, for people: a command, an address, a file. */
  location: string;
  /** The command that repeats this import, for the comment in each file. */
  command: string;
  /** Prefix of keys; the keys in {@link Imported} already have it. */
  prefix: string;
  /** Globs over keys and source names; absent: those of the last import, else all. */
  select?: string[] | undefined;
  /** Effects that people chose now; those of earlier imports are remembered. */
  effects?: readonly EffectChoice[] | undefined;
  /** If people and the source changed the same key, the source wins; files that people deleted come back. */
  overwrite?: boolean | undefined;
  /** Files that were already read, by path in the project: reading takes most of the time. */
  sources?: ReadonlyMap<string, YamlSource> | undefined;
  /** Checks whether the runtime can use a schema. @throws AbilityError if it cannot. */
  compileSchema(schema: JsonObject, what: string): unknown;
}

export interface PlannedChange {
  /** `changed`: the source's changes are written into the file; `kept`: the file is left as people made it. */
  status: 'new' | 'changed' | 'unchanged' | 'kept';
  /** Relative to the project root. */
  file: string;
  /** Content of the new file, for `new`. */
  definition?: JsonObject;
  /** The written changes, for `changed`; people's edits, for `kept`. */
  differences: ShownDifference[];
  /** Keys that both sides changed: before is people's version, after the source's. */
  conflicts: ShownDifference[];
  /** Why the file was left as it is. */
  reason?: string;
}

export type PlannedOperation = PlannedChange & Pick<ImportedOperation, 'key' | 'source' | 'notes'>;

/** An operation of an earlier import that its source no longer has. Its file stays. */
export type RemovedOperation = Pick<PlannedOperation, 'key' | 'source' | 'file'>;

/** An operation whose name contradicts its effects, so that people should decide on them. */
export interface Undecided extends Pick<PlannedOperation, 'key' | 'source'> {
  effects: string;
  named_like: NonNullable<ImportedOperation['namedLike']>;
}

export interface PlannedImport {
  operations: PlannedOperation[];
  config: PlannedChange | null;
  leftOut: LeftOut[];
  /** Keys that `select` left out. */
  notSelected: string[];
  gone: RemovedOperation[];
  undecided: Undecided[];
  /** The globs used; undefined: all operations. */
  select: string[] | undefined;
  notes: string[];
  root: string;
  /** The definitions, and the state of the import. */
  writes: PlannedFile[];
}
