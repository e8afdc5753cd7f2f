import { lstatSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { reasonOf } from '../../contracts/problem.js';
import { isProblem, readYaml, type YamlSource } from '../../definitions/yaml-source.js';
import { findDifferences, showDifference } from '../../text/value-differences.js';
import { editYaml } from '../edit-yaml.js';
import type { PlannedFile } from '../write-together.js';
import { checkText, type FileCheck } from './definition-text.js';
import { mergeDefinitions } from './merge-definitions.js';
import type { PlannedChange } from './planned-import.js';

export interface WantedFile {
  /** Relative to the project root. */
  file: string;
  /** Absolute. */
  path: string;
  definition: JsonObject;
  /** The text for a new file. @throws Error if the definition cannot be rendered. */
  render(): string;
  /** The definition at the last import; undefined: never imported. */
  base: JsonObject | undefined;
  overwrite: boolean;
  check: FileCheck;
  /** The file if it was already read. */
  known?: YamlSource | undefined;
}

/** The planned change of a file; `value`: its new content, if known. */
export interface FilePlan {
  change: PlannedChange;
  write?: PlannedFile;
  value?: JsonObject;
}

/** Plans a file that was imported before or does not exist yet. */
export function planFile(wanted: WantedFile): FilePlan {
  const { file, path, definition, render, base, overwrite } = wanted;
  if (isThere(path)) return mergeInto(wanted);
  if (base && !overwrite) return keep(file, 'its file was deleted; --overwrite brings it back');
  return {
    change: { ...unchanged(file), status: 'new', definition },
    write: { path: file, content: render() },
    value: definition,
  };
}

export function keep(file: string, reason: string): FilePlan {
  return { change: { ...unchanged(file), status: 'kept', reason } };
}

export function unchanged(file: string): PlannedChange {
  return { status: 'unchanged', file, differences: [], conflicts: [] };
}

/** Whether the path exists, even as a dangling link. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function mergeInto({ file, path, definition, base = {}, overwrite, check, known }: WantedFile): FilePlan {
  const text = readFileSync(path, 'utf8');
  const source = known?.text === text ? known : readYaml(file, text);
  if (isProblem(source)) return keep(file, source.message);
  const mine = source.value;
  if (!isJsonObject(mine)) return keep(file, 'it holds no definition');
  const merged = mergeDefinitions(base, mine, definition, overwrite);
  const conflicts = merged.conflicts.map((conflict) =>
    showDifference({ at: conflict.at, expected: conflict.mine, actual: conflict.theirs }),
  );
  if (isDeepStrictEqual(merged.value, mine)) {
    const differences = differencesOf(definition, mine);
    const status = differences.length === 0 ? 'unchanged' : 'kept';
    return { change: { status, file, differences, conflicts }, value: mine };
  }
  try {
    const edited = editYaml(text, merged.value);
    checkText(file, edited, check);
    return {
      change: { status: 'changed', file, differences: differencesOf(mine, merged.value), conflicts },
      write: { path: file, content: edited, before: text },
      value: merged.value,
    };
  } catch (error) {
    const reason = `what changed at its source cannot be written into it: ${reasonOf(error)}`;
    return { change: { status: 'kept', file, differences: [], conflicts: differencesOf(mine, definition), reason } };
  }
}

export function differencesOf(before: JsonObject, after: JsonObject): PlannedChange['differences'] {
  return findDifferences('', before, after).map(({ at, ...values }) =>
    showDifference({ ...values, at: at.replace(/^\./, '') }),
  );
}
