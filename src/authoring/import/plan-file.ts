import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { reasonOf } from '../../contracts/problem.js';
import { checkFormat } from '../../definitions/check-format.js';
import { foldersOf } from '../../definitions/find-project.js';
import { findUnsupported } from '../../definitions/unsupported.js';
import { isProblem, readYaml, type YamlSource } from '../../definitions/yaml-source.js';
import { slashedPath } from '../../disk/paths.js';
import { attempt } from '../../text/attempt.js';
import { findDifferences, showDifference } from '../../text/value-differences.js';
import { isThere, type PlannedFile } from '../write-together.js';
import { editYaml, renderDefinition } from '../write-yaml.js';
import { mergeDefinitions } from './merge-definitions.js';
import type { ImportOptions, PlannedChange } from './planned-import.js';

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

export interface FileCheck {
  kind: 'low-level' | 'config';
  schema: z.ZodType;
  /** Checks everything else. @throws Error with the fault. */
  more(value: JsonObject): void;
}

/** Maximum characters of a definition; a larger one is refused before the slow rendering. */
const MAX_CHARACTERS = 1024 * 1024;

/** The text of a definition that the registry accepts. @throws Error with the reason if it does not. */
export function renderChecked(file: string, definition: JsonObject, comments: string[], check: FileCheck): string {
  if (JSON.stringify(definition).length > MAX_CHARACTERS) throw new Error('its definition is larger than 1024 KiB');
  const text = renderDefinition(definition, comments);
  // Parsed once for both checks: parsing takes most of the time of a large import.
  if (!isDeepStrictEqual(checkText(file, text, check), definition)) throw new Error('YAML cannot hold it as it is');
  return text;
}

/** Parses and checks a definition as the registry does. @throws Error with the reason for a refusal. */
export function checkText(file: string, text: string, { kind, schema, more }: FileCheck): JsonObject {
  const source = readYaml(file, text);
  if (isProblem(source)) throw new Error(source.message);
  const unsupported = findUnsupported(kind, source);
  if (unsupported) throw new Error(unsupported.message);
  const checked = checkFormat(schema, source);
  if ('problems' in checked) throw new Error(checked.problems.map(({ message }) => message).join('; '));
  const value = source.value as JsonObject;
  more(value);
  return value;
}

/** Comment lines above an imported definition: its schema for editors, if any, and its origin. */
export function commentsFor(root: string, file: string, kind: FileCheck['kind'], { command }: ImportOptions): string[] {
  const folder = join(foldersOf(root).registry, 'schemas');
  const schema = attempt(() => readdirSync(folder), []).find((entry) => entry.startsWith(`${kind}.schema.`));
  return [
    ...(schema === undefined
      ? []
      : [`yaml-language-server: $schema=${slashedPath(join(root, dirname(file)), join(folder, schema))}`]),
    `Made by \`${command}\`. Edit it as you like: the next import keeps what you changed.`,
  ];
}
