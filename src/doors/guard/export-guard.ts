import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { appendItem, replaceText } from '../../authoring/edit-json/put-json.js';
import { type JsonNode, readJson } from '../../authoring/edit-json/read-json.js';
import type { Json } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { isInside } from '../../disk/is-inside.js';
import type { AgentTool } from './agent-tools.js';

interface ToolSettings {
  /** Relative to the project. */
  file: string;
  empty: string;
  /** Event under `hooks` whose list holds the entry. */
  event: string;
  /** How a hook finds the project; `.` if the tool runs hooks in its folder. */
  project: string;
  entry(command: string): Json;
}

const SETTINGS: Record<AgentTool, ToolSettings> = {
  claude: {
    file: '.claude/settings.json',
    empty: '{}\n',
    event: 'PreToolUse',
    project: '"$CLAUDE_PROJECT_DIR"',
    entry: (command) => ({ matcher: '*', hooks: [{ type: 'command', command, onFailure: 'block' }] }),
  },
  codex: {
    file: '.codex/hooks.json',
    empty: '{}\n',
    event: 'PreToolUse',
    project: '.',
    entry: (command) => ({ hooks: [{ type: 'command', command }] }),
  },
  cursor: {
    file: '.cursor/hooks.json',
    empty: '{\n  "version": 1\n}\n',
    event: 'preToolUse',
    project: '.',
    entry: (command) => ({ command, failClosed: true }),
  },
  gemini: {
    file: '.gemini/settings.json',
    empty: '{}\n',
    event: 'BeforeTool',
    project: '"$GEMINI_PROJECT_DIR"',
    entry: (command) => ({ hooks: [{ name: 'ability-guard', type: 'command', command }] }),
  },
};

/** Part of every exported command, which identifies it later. */
const guardWords = (tool: AgentTool): string => `ability guard --for ${tool}`;

export interface PlannedExport {
  /** Relative to the project. */
  file: string;
  command: string;
  /** `kept`: the file already has the entry. */
  change: 'created' | 'added' | 'replaced' | 'kept';
  text: string;
  before: string | undefined;
}

/** Keeps the rest of the file byte for byte. @throws AbilityError `settings.unreadable` for another layout. */
export function planExport(tool: AgentTool, root: string): PlannedExport {
  const { file, empty, event, entry } = SETTINGS[tool];
  const command = commandFor(tool, root);
  const before = readSettings(root, file);
  try {
    const text = before ?? empty;
    const found = guardIn(text, tool);
    if (found?.value === command) return { file, command, change: 'kept', text, before };
    if (found) return { file, command, change: 'replaced', text: replaceText(text, found, command), before };
    const change = before === undefined ? 'created' : 'added';
    return { file, command, change, text: appendItem(text, ['hooks', event], entry(command)), before };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unreadable(file, error.message);
  }
}

/** The guard command in a tool's settings; undefined if they have none. */
export function exportedCommand(tool: AgentTool, root: string): string | undefined {
  const { file } = SETTINGS[tool];
  const text = readSettings(root, file);
  if (text === undefined || !text.includes(guardWords(tool))) return undefined;
  try {
    return guardIn(text, tool)?.value;
  } catch (error) {
    throw unreadable(file, error instanceof Error ? error.message : String(error));
  }
}

/** Tools proceed after any exit code but 2, even for a missing command, so every failure becomes 2. */
function commandFor(tool: AgentTool, root: string): string {
  const { project } = SETTINGS[tool];
  const isInstalled = existsSync(join(root, 'node_modules/.bin/ability'));
  const folder = isInstalled ? `${project}/node_modules/.bin/` : '';
  return `${folder}${guardWords(tool)} --project ${project} || exit 2`;
}

/** @returns undefined if the file does not exist. */
function readSettings(root: string, file: string): string | undefined {
  const path = join(root, file);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    const folder = dirname(path);
    if (existsSync(folder) && !isInside(root, realpathSync(folder)))
      throw unreadable(file, 'its folder leads out of the project');
    return undefined;
  }
  try {
    if (!isInside(root, realpathSync(path))) throw new Error('it is a link that leads out of the project');
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    throw unreadable(file, error instanceof Error ? error.message : String(error));
  }
}

function guardIn(text: string, tool: AgentTool): Extract<JsonNode, { kind: 'text' }> | undefined {
  return commandsIn(readJson(text)).find(({ value }) => value.includes(guardWords(tool)));
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
