import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { appendItem, replaceText } from '../../authoring/edit-json/put-json.js';
import { type JsonNode, readJson } from '../../authoring/edit-json/read-json.js';
import { AbilityError } from '../../contracts/problem.js';
import { isInside } from '../../definitions/read-files.js';
import type { AgentTool } from './agent-tools.js';
import { guardWords, settingsOf } from './settings-of-tools.js';

/** What an export comes to; nothing is written yet. */
export interface PlannedExport {
  /** Relative to the project. */
  file: string;
  command: string;
  /** `kept`: the entry is there already, and the file stays as it is. */
  change: 'created' | 'added' | 'replaced' | 'kept';
  text: string;
  before: string | undefined;
}

/**
 * Plans the entry of the guard in the settings of a tool; all else in the file stays, byte for byte.
 *
 * @throws AbilityError `settings.unreadable` for a file that is no JSON or is laid out in another way; it is left as it is.
 */
export function planExport(tool: AgentTool, root: string): PlannedExport {
  const { file, empty, path, command, entry } = settingsOf(tool, root);
  const before = readSettings(root, file);
  try {
    const text = before ?? empty;
    const found = commandsIn(readJson(text)).find(({ value }) => value.includes(guardWords(tool)));
    if (found?.value === command) return { file, command, change: 'kept', text, before };
    if (found) return { file, command, change: 'replaced', text: replaceText(text, found, command), before };
    const change = before === undefined ? 'created' : 'added';
    return { file, command, change, text: appendItem(text, path, entry), before };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unreadable(file, error.message);
  }
}

/** The command by which a tool calls the guard, as its settings say it; undefined where they have none. */
export function exportedCommand(tool: AgentTool, root: string): string | undefined {
  const { file } = settingsOf(tool, root);
  const text = readSettings(root, file);
  if (text === undefined || !text.includes(guardWords(tool))) return undefined;
  try {
    return commandsIn(readJson(text)).find(({ value }) => value.includes(guardWords(tool)))?.value;
  } catch (error) {
    throw unreadable(file, error instanceof Error ? error.message : String(error));
  }
}

/** @returns undefined: there is no such file. */
function readSettings(root: string, file: string): string | undefined {
  const path = join(root, file);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    const folder = dirname(path);
    if (existsSync(folder) && !isInside(root, realpathSync(folder)))
      throw unreadable(file, 'its folder leads out of the project');
    return undefined;
  }
  let bytes: Buffer;
  try {
    if (!isInside(root, realpathSync(path))) throw new Error('it is a link that leads out of the project');
    bytes = readFileSync(path);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw unreadable(file, error instanceof Error ? error.message : String(error));
  }
}

function commandsIn(node: JsonNode): Extract<JsonNode, { kind: 'text' }>[] {
  if (node.kind === 'array') return node.items.flatMap(commandsIn);
  if (node.kind !== 'object') return [];
  return node.members.flatMap(({ key, value }) =>
    value.kind === 'text' ? (key === 'command' ? [value] : []) : commandsIn(value),
  );
}

function unreadable(file: string, why: string): AbilityError {
  return new AbilityError({
    code: 'settings.unreadable',
    message: `${file} was left as it is: ${why}`,
    location: { file },
    suggestion: 'Correct the file, and export again.',
  });
}
