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

/** A file of definitions, and what its source says of it. */
export interface WantedFile {
  /** Relative to the project root. */
  file: string;
  /** Absolute. */
  path: string;
  definition: JsonObject;
  /** The definition as it would be written into a new file. @throws Error where it cannot be. */
  render(): string;
  /** The last imported state; undefined: never imported. */
  base: JsonObject | undefined;
  overwrite: boolean;
  check: FileCheck;
  /** The file as it was read already; undefined: it was not. */
  known?: YamlSource | undefined;
}

/** The planned change of a file; `value`: its new content, if known. */
export interface FilePlan {
  change: PlannedChange;
  write?: PlannedFile;
  value?: JsonObject;
}

/** Decides about a file that is ours, or does not exist yet. */
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

/** Leaves a file as it is. */
export function keep(file: string, reason: string): FilePlan {
  return { change: { ...unchanged(file), status: 'kept', reason } };
}

/** A file that needs no change. */
export function unchanged(file: string): PlannedChange {
  return { status: 'unchanged', file, differences: [], conflicts: [] };
}

/** Whether anything is at a path, were it a link that leads nowhere. */
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

/** The differences of two definitions, for people. */
export function differencesOf(before: JsonObject, after: JsonObject): PlannedChange['differences'] {
  return findDifferences('', before, after).map(({ at, ...values }) =>
    showDifference({ ...values, at: at.replace(/^\./, '') }),
  );
}
