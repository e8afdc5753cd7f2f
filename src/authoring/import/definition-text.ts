import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { JsonObject } from '../../contracts/json.js';
import { checkFormat } from '../../definitions/check-format.js';
import { foldersOf } from '../../definitions/find-project.js';
import { findUnsupported } from '../../definitions/unsupported.js';
import { isProblem, readYaml } from '../../definitions/yaml-source.js';
import { slashedPath } from '../../disk/paths.js';
import { attempt } from '../../text/attempt.js';
import { renderDefinition } from '../write-yaml.js';
import type { ImportOptions } from './planned-import.js';

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
