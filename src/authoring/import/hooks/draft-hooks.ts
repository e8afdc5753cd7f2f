import { existsSync, statSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { FOREIGN_EVENTS, type ForeignFormat, type ToolCall } from '../../../contracts/foreign-hooks.js';
import type { Phase } from '../../../contracts/hooks.js';
import type { JsonObject } from '../../../contracts/json.js';
import type { ToolMapping } from '../../../definitions/formats/hooks.js';
import { keysOfTool } from '../../../definitions/tool-mapping/tool-shapes.js';
import { isInside } from '../../../disk/paths.js';
import { isOverPhase } from '../../../rules/hooks/fold-answers.js';
import { escapePattern } from '../../../text/escape-pattern.js';
import { freeName } from '../../../text/free-name.js';
import { draftHttp, draftMcpTool } from './draft-service.js';
import { type Mapped, mapAbilities, type Shown } from './map-abilities.js';
import type { NotTaken, Settings, SettingsHook } from './read-settings.js';
import { splitCommand } from './split-command.js';

/** A hook to be written, without its `must_deny` cases. */
export interface HookDraft {
  id: string;
  phase: Phase;
  /** Place in the settings file. */
  at: string;
  definition: JsonObject;
  /** The ability that answers, for a hook of type `http` or `mcp_tool`. */
  asks?: { id: string; key: string; definition: JsonObject; service?: JsonObject };
  /** Empty for a session event. */
  mapped: Mapped[];
  notes: string[];
}

/** A call of a tool, and the call of an ability that it corresponds to. */
export interface Offence extends ToolCall {
  ability: string;
  input: JsonObject;
}

/** The project, plugin and tool that a settings file belongs to. */
export interface SettingsPlace {
  /** Absolute path of the project. */
  root: string;
  /** Folder of the plugin, relative to the project; undefined: no plugin. */
  pluginRoot: string | undefined;
  format: ForeignFormat;
  mcpServers: ReadonlySet<string>;
}

/** Maximum seconds of a guard; a phase has five minutes for all of its hooks. */
const MAX_SECONDS = 240;
const SESSIONS: readonly Phase[] = ['PromptSubmit', 'SessionStop'];

/** With what cannot be taken over. Source: docs/hooks.md#importing-them. @param taken ids of other files. */
export function draftHooks(
  { hooks, notTaken }: Settings,
  abilities: readonly Shown[],
  place: SettingsPlace,
  taken: readonly string[] = [],
): { drafts: HookDraft[]; notTaken: NotTaken[] } {
  const drafts: HookDraft[] = [];
  const left = [...notTaken];
  for (const hook of hooks) {
    const draft = draftOf(hook, abilities, place, new Set([...taken, ...drafts.map(({ id }) => id)]));
    if ('why' in draft) left.push({ at: hook.at, why: draft.why });
    else drafts.push(draft);
  }
  return { drafts, notTaken: left };
}

function draftOf(
  hook: SettingsHook,
  abilities: readonly Shown[],
  place: SettingsPlace,
  taken: ReadonlySet<string>,
): HookDraft | { why: string } {
  const phase = FOREIGN_EVENTS[hook.event];
  const answering = answeringOf(hook, place, taken);
  if ('why' in answering) return answering;
  const { id, handler, name, asks } = answering;
  const notes: string[] = [];
  if (hook.timeout !== undefined && hook.timeout > MAX_SECONDS) notes.push(`its time-out is ${MAX_SECONDS} s here`);
  if (hook.onFailure !== undefined) notes.push(`\`onFailure: ${hook.onFailure}\` is not needed: it fails closed here`);
  const shown = SESSIONS.includes(phase)
    ? { mapped: [] }
    : shownTo(
        hook,
        // No guard applies to the handlers of hooks.
        abilities.filter(({ key }) => !key.startsWith(OF_HOOKS)),
      );
  if ('why' in shown) return shown;
  const { mapped } = shown;
  const definition: JsonObject = {
    id,
    summary: `${hook.event} of ${name}, taken over from the settings of ${place.format === 'codex' ? 'Codex' : 'Claude Code'}.`,
    ...(!isOverPhase(phase) && { blocking: true }),
    ...(mapped.length > 0 && { match: { abilities: [...new Set(mapped.flatMap((each) => each.abilities))] } }),
    handler: { ...handler, format: place.format, event: hook.event },
    ...(mapped.length > 0 && { as: mapped.map(({ entry }) => entry as ToolMapping & JsonObject) }),
  };
  return { id, phase, at: hook.at, definition, mapped, notes, ...(asks && { asks }) };
}

function shownTo(hook: SettingsHook, abilities: readonly Shown[]): { mapped: Mapped[] } | { why: string } {
  const { matcher, if: filter } = hook;
  const translated = filter === undefined ? undefined : translateFilter(filter);
  if (translated && 'why' in translated) return translated;
  let fits: (tool: string) => boolean;
  try {
    // As the tools match: plain names exactly, anything else as an expression that may match anywhere.
    const isPlain = /^[A-Za-z0-9_|]+$/.test(matcher ?? '');
    const pattern = matcher === undefined ? undefined : new RegExp(isPlain ? `^(?:${matcher})$` : matcher);
    fits = (tool) => (pattern?.test(tool) ?? true) && (translated === undefined || translated.tool === tool);
  } catch {
    return { why: `its matcher ${JSON.stringify(matcher)} is no regular expression` };
  }
  const mapped = mapAbilities(abilities, fits);
  if (mapped.length === 0) return { why: nothingFits(matcher ?? 'every tool') };
  if (translated?.condition !== undefined) for (const { entry } of mapped) entry.if = translated.condition;
  return { mapped };
}

function nothingFits(matcher: string): string {
  const inputs = ['Bash', 'Write', 'Edit']
    .filter((tool) => matcher === 'every tool' || matcher.includes(tool))
    .map((tool) => `${tool}: ${keysOfTool(tool)?.required.join(', ')}`);
  const advice =
    inputs.length > 0 ? ` (an ability is one that requires such texts as input: ${inputs.join('; ')})` : '';
  return `no ability of this project is like ${matcher}${advice}; --tools adds abilities like Bash and Write`;
}

const OF_HOOKS = 'hooks.';

interface Answering {
  id: string;
  handler: JsonObject;
  name: string;
  asks?: NonNullable<HookDraft['asks']>;
}

function answeringOf(
  hook: SettingsHook,
  place: SettingsPlace,
  taken: ReadonlySet<string>,
): Answering | { why: string } {
  const { asks, timeout } = hook;
  if (asks.type === 'command') {
    const started = scriptOf(asks.command, timeout, place);
    if ('why' in started) return started;
    const { script } = started;
    return { id: idOf(script.path, taken), handler: { script: { ...script } }, name: basename(script.path) };
  }
  const called = asks.type === 'http' ? nameOfUrl(asks.url) : `${asks.server}_${asks.tool}`;
  const id = idOf(called.toLowerCase().slice(0, 80), taken);
  const drafted = asks.type === 'http' ? draftHttp(id, asks) : draftMcpTool(asks, place.mcpServers);
  if ('why' in drafted) return drafted;
  const key = `${OF_HOOKS}${id}`;
  const { implementation, service, name, with: given } = drafted;
  const definition: JsonObject = {
    operation_key: key,
    version: 1,
    summary: `Answers for the hook ${id}: ${name}.`,
    effects: 'external_read',
    input_schema: { type: 'object' },
    implementation,
  };
  const timeout_sec: JsonObject = timeout === undefined ? {} : { timeout_sec: Math.min(timeout, MAX_SECONDS) };
  const ability: JsonObject = { key, ...(given && { with: given }), ...timeout_sec };
  return { id, handler: { ability }, name, asks: { id, key, definition, ...(service && { service }) } };
}

function nameOfUrl(url: string): string {
  if (!URL.canParse(url)) return '';
  const { hostname, pathname } = new URL(url);
  return `${hostname.replaceAll('.', '_')}${pathname.replaceAll('/', '_')}`;
}

/** Part of the command that `ability hooks export` writes. */
const OWN_GUARD = 'ability guard --for ';

function scriptOf(
  command: string,
  timeout: number | undefined,
  { root, pluginRoot }: SettingsPlace,
): { script: JsonObject & { path: string } } | { why: string } {
  const places = { CLAUDE_PROJECT_DIR: '.', ...(pluginRoot !== undefined && { CLAUDE_PLUGIN_ROOT: pluginRoot }) };
  if (command.includes(OWN_GUARD)) return { why: 'it is `ability guard`, which asks the guards of this project' };
  const split = splitCommand(command, places);
  if ('why' in split) return split;
  const { words, env } = split;
  const at = words.findIndex((word) => isScript(root, word));
  const word = words[at];
  if (word === undefined) return { why: `it starts no script that lies in the project: ${command}` };
  const texts = [...words, ...Object.values(env)];
  if (texts.some((text) => /[{}]/.test(text))) return { why: 'its words have braces, which mean something else here' };
  const interpreter = words.slice(0, at);
  const args = words.slice(at + 1);
  const script = {
    path: posix.normalize(word),
    ...(pluginRoot !== undefined && { plugin_root: pluginRoot }),
    ...(interpreter.length > 0 && { interpreter }),
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(timeout !== undefined && { timeout_sec: Math.min(timeout, MAX_SECONDS) }),
  };
  return { script };
}

function isScript(root: string, word: string): boolean {
  const file = posix.resolve(root, word);
  return !posix.isAbsolute(word) && existsSync(file) && statSync(file).isFile() && isInside(root, file);
}

function idOf(path: string, taken: ReadonlySet<string>): string {
  const name = basename(path)
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[^A-Za-z0-9_.-]/g, '_')
    .replace(/^[^A-Za-z_]+/, '_');
  return freeName(name || 'hook', (id) => taken.has(id));
}

/** The calls of abilities that correspond to the given calls of tools. */
export function offencesFor({ mapped }: HookDraft, calls: (tool: string) => readonly ToolCall[]): Offence[] {
  return mapped.flatMap(({ tool, abilities: [ability], keys }) =>
    calls(tool).map((call) => ({ ...call, ability: ability as string, input: inputOf(call, keys) })),
  );
}

function inputOf({ tool_input }: ToolCall, keys: Mapped['keys']): JsonObject {
  if (keys === null) return tool_input;
  return Object.fromEntries(Object.entries(keys).map(([to, from]) => [from, tool_input[to] ?? null]));
}

/** The input that a filter of each tool applies to. */
const KEYS: Readonly<Record<string, string>> = {
  Bash: 'command',
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  Read: 'file_path',
  WebFetch: 'url',
};

/** A translated filter: its tool, and bare CEL over `tool_name` and `tool_input`. */
type Filter = { tool: string; condition: string | undefined } | { why: string };

/**
 * Translates `if: "Bash(rm *)"` of a settings file. A guard that runs too often costs time, one that runs too
 * seldom lets calls pass: the pattern may match after any non-word character, so that no second command of a line
 * is missed. Source: docs/hooks.md#importing-them.
 */
export function translateFilter(text: string): Filter {
  const [, tool, pattern] = /^\s*(\w+)(?:\((.*)\))?\s*$/s.exec(text) ?? [];
  if (tool === undefined) return { why: `nobody can read its \`if\`: ${text}` };
  if (pattern === undefined || pattern === '' || pattern === '*') return { tool, condition: undefined };
  const key = Object.hasOwn(KEYS, tool) ? KEYS[tool] : undefined;
  if (key === undefined) return { why: `its \`if\` has a pattern for ${tool}, which has none here` };
  // `:*` is the former prefix syntax; a blank before the star is optional.
  const plain = pattern.replace(/:\*$/, '*').replace(/ \*$/, '*');
  const source = plain.split(/\*+/).map(escapePattern).join('.*');
  const anchor = tool === 'Bash' ? '(?s)(^|\\W)' : '(?s)';
  return { tool, condition: `tool_input.${key}.matches(${JSON.stringify(anchor + source)})` };
}
