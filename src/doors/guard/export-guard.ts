import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { isScalar, type Scalar, visit } from 'yaml';
import { appendItem, readJson, replaceText } from '../../authoring/edit-json.js';
import type { Json } from '../../contracts/json.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { foldersOf } from '../../definitions/find-project.js';
import { isInside } from '../../disk/paths.js';
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
  /** The tool's own rules about protected places: a file, and the lists in it. */
  rules?: { file: string; lists(places: OwnPlaces): [path: string[], items: string[]][] };
}

/** Relative to the project; a folder ends with `/`. */
interface OwnPlaces {
  /** What may not be changed. */
  fixed: string[];
  /** What may not be read, either. */
  kept: string[];
  registry: string;
}

/** The pattern for a place, and for all in it. */
const within = (place: string): string => (place.endsWith('/') ? `${place}**` : place);

const SETTINGS: Record<AgentTool, ToolSettings> = {
  claude: {
    file: '.claude/settings.json',
    empty: '{}\n',
    event: 'PreToolUse',
    project: '"$CLAUDE_PROJECT_DIR"',
    entry: (command) => ({ matcher: '*', hooks: [{ type: 'command', command, onFailure: 'block' }] }),
    rules: {
      file: '.claude/settings.json',
      lists: ({ fixed, kept, registry }) => [
        [
          ['permissions', 'deny'],
          [...fixed.map((at) => `Edit(/${within(at)})`), ...kept.map((at) => `Read(/${within(at)})`)],
        ],
        [['sandbox', 'filesystem', 'denyWrite'], [registry, ...fixed].map((at) => `./${at}`)],
        [['sandbox', 'filesystem', 'denyRead'], kept.map((at) => `./${at}`)],
        // It starts the runtime, which writes what the sandbox protects.
        [
          ['sandbox', 'excludedCommands'],
          ['ability *', 'npx ability *'],
        ],
      ],
    },
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
    rules: {
      file: '.cursor/cli.json',
      lists: ({ fixed, kept }) => [
        [
          ['permissions', 'deny'],
          [...fixed.map((at) => `Write(${within(at)})`), ...kept.map((at) => `Read(${within(at)})`)],
        ],
      ],
    },
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
  return unlessUnreadable(file, () => {
    const text = before ?? empty;
    const found = guardIn(text, tool);
    if (found?.value === command) return { file, command, change: 'kept', text, before };
    if (found) return { file, command, change: 'replaced', text: replaceText(text, found, command), before };
    const change = before === undefined ? 'created' : 'added';
    return { file, command, change, text: appendItem(text, ['hooks', event], entry(command)), before };
  });
}

/**
 * Adds the tool's own rules about protected places: they hold where words do not tell what a command does. @param guard
 * as planned, perhaps in the same file. @returns undefined for a tool without such rules in a project.
 */
export function planRules(
  tool: AgentTool,
  root: string,
  guard: PlannedExport,
): Omit<PlannedExport, 'command'> | undefined {
  const { rules } = SETTINGS[tool];
  if (!rules) return undefined;
  const { file } = rules;
  const before = readSettings(root, file);
  const old = guard.file === file ? guard.text : (before ?? '{}\n');
  return unlessUnreadable(file, () => {
    const missing = rules
      .lists(placesOf(root))
      .flatMap(([path, items]) =>
        items.filter((item) => !listIn(old, path).includes(item)).map((item) => ({ path, item })),
      );
    const text = missing.reduce((all, { path, item }) => appendItem(all, path, item), old);
    return { file, change: text === old ? 'kept' : before === undefined ? 'created' : 'added', text, before };
  });
}

function placesOf(root: string): OwnPlaces {
  const { registry, hooks } = foldersOf(root);
  const way = (path: string): string => `${relative(root, path).split(sep).join('/')}/`;
  const fixed = [way(hooks), 'ability.yaml', '.system/', '.claude/', '.mcp.json', '.env'];
  return { fixed, kept: ['.system/keys/', '.system/tokens/', '.system/runtime.sock'], registry: way(registry) };
}

function listIn(text: string, path: readonly string[]): unknown[] {
  const list: unknown = path.reduce<unknown>((value, key) => Object(value)[key], readJson(text).toJS());
  return Array.isArray(list) ? list : [];
}

/** The guard command in a tool's settings; undefined if they have none. */
export function exportedCommand(tool: AgentTool, root: string): string | undefined {
  const { file } = SETTINGS[tool];
  const text = readSettings(root, file);
  if (text === undefined || !text.includes(guardWords(tool))) return undefined;
  return unlessUnreadable(file, () => guardIn(text, tool)?.value);
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
  return unlessUnreadable(file, () => {
    if (!isInside(root, realpathSync(path))) throw new Error('it is a link that leads out of the project');
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  });
}

/** @throws AbilityError `settings.unreadable` for any error of an action. */
function unlessUnreadable<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw unreadable(file, reasonOf(error));
  }
}

function guardIn(text: string, tool: AgentTool): Scalar<string> | undefined {
  let found: Scalar<string> | undefined;
  visit(readJson(text), {
    Pair(_, { key, value }) {
      if (!isScalar(key) || key.value !== 'command' || !isScalar<string>(value)) return;
      if (String(value.value).includes(guardWords(tool))) found ??= value;
    },
  });
  return found;
}

function unreadable(file: string, why: string): AbilityError {
  return new AbilityError({
    code: 'settings.unreadable',
    message: `${file} was left as it is: ${why}`,
    location: { file },
    suggestion: 'Correct the file, and export again.',
  });
}
