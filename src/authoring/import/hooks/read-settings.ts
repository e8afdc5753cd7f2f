import { z } from 'zod';
import { FOREIGN_EVENTS, type ForeignEvent } from '../../../contracts/foreign-hooks.js';
import { isJsonObject, type JsonObject } from '../../../contracts/json.js';
import { type AbilityError, reasonOf } from '../../../contracts/problem.js';
import { unreadable } from '../import-fault.js';

const isText = (value: unknown): value is string => typeof value === 'string';

const filled = (message: string) => z.string(message).refine((text) => text.trim() !== '', message);

const CALLED = 'it has no `server` or no `tool`';

/** What a hook asks, by type; each message says why it cannot be taken over. */
const ASKED = {
  command: z.object({ type: z.literal('command'), command: filled('it has no `command`') }),
  http: z.object({
    type: z.literal('http'),
    url: filled('it has no `url`'),
    /** Values may contain `$VARIABLE`. */
    headers: z
      .custom<Record<string, string>>(
        (value) => isJsonObject(value) && Object.values(value).every(isText),
        '`headers` is no map of texts',
      )
      .default({}),
    /** Environment variables that the headers may read. */
    allowedEnvVars: z
      .custom<string[]>((value) => Array.isArray(value) && value.every(isText), '`allowedEnvVars` is no list of names')
      .default([]),
  }),
  mcp_tool: z.object({
    type: z.literal('mcp_tool'),
    server: filled(CALLED),
    tool: filled(CALLED),
    /** Texts may contain `${tool_input.command}`. */
    input: z.custom<JsonObject>(isJsonObject, '`input` is no map').default({}),
  }),
};

export type HttpHook = z.output<typeof ASKED.http>;
export type McpToolHook = z.output<typeof ASKED.mcp_tool>;

export interface SettingsHook {
  /** Place in the settings, such as `PreToolUse[0].hooks[1]`. */
  at: string;
  event: ForeignEvent;
  /** Pattern of tool names; undefined: all tools. */
  matcher: string | undefined;
  asks: z.output<(typeof ASKED)[keyof typeof ASKED]>;
  /** Seconds. */
  timeout: number | undefined;
  /** Such as `Bash(rm *)`. */
  if: string | undefined;
  onFailure: string | undefined;
}

export interface NotTaken {
  at: string;
  why: string;
}

export interface Settings {
  hooks: SettingsHook[];
  notTaken: NotTaken[];
}

/** Parts of settings that restrict tools without hooks. Source: docs/hooks.md#importing-them. */
const OTHER_PARTS: [string, (settings: Record<string, unknown>) => unknown, string][] = [
  ['permissions.deny', ({ permissions }) => partOf(permissions, 'deny'), 'write it as an expression guard'],
  ['permissions.ask', ({ permissions }) => partOf(permissions, 'ask'), 'write it as an expression guard'],
  ['enabledPlugins', ({ enabledPlugins }) => enabledPlugins, 'import the hooks.json of each plugin by itself'],
];

/** From `.claude/settings.json`, `.codex/hooks.json` or a plugin. @throws AbilityError `import.unreadable`. */
export function readSettings(text: string, file: string): Settings {
  const settings = parsed(text, file);
  const hooks: SettingsHook[] = [];
  const notTaken: NotTaken[] = OTHER_PARTS.filter(([, read]) => !isEmpty(read(settings))).map(([at, , why]) => {
    return { at, why: `it is no hook; ${why}` };
  });
  if (settings.disableAllHooks === true) notTaken.push({ at: 'disableAllHooks', why: 'hooks fire here all the same' });
  if (settings.hooks !== undefined && !isJsonObject(settings.hooks)) throw noSettings(file, '`hooks` is no map');
  for (const [event, groups] of Object.entries(settings.hooks ?? {})) {
    if (!Array.isArray(groups)) {
      notTaken.push({ at: event, why: 'it is no list' });
      continue;
    }
    for (const [index, group] of groups.entries()) readGroup(event, group, `${event}[${index}]`, hooks, notTaken);
  }
  return { hooks, notTaken };
}

function readGroup(event: string, group: unknown, place: string, hooks: SettingsHook[], notTaken: NotTaken[]): void {
  const entries = isJsonObject(group) ? group.hooks : undefined;
  if (!isJsonObject(group) || !Array.isArray(entries)) {
    notTaken.push({ at: place, why: 'it has no list `hooks`' });
    return;
  }
  const { matcher } = group;
  for (const [index, entry] of entries.entries()) {
    const at = `${place}.hooks[${index}]`;
    const read = readEntry(event, matcher, entry, at);
    if ('why' in read) notTaken.push({ at, why: read.why });
    else hooks.push(read);
  }
}

function readEntry(event: string, matcher: unknown, entry: unknown, at: string): SettingsHook | { why: string } {
  if (!isForeignEvent(event)) return { why: `nothing here is like ${event}` };
  if (!isJsonObject(entry)) return { why: 'it is no map' };
  if (matcher !== undefined && typeof matcher !== 'string') return { why: '`matcher` is no text' };
  const { type = 'command', timeout, if: filter, onFailure } = entry;
  if (type === 'prompt' || type === 'agent')
    return { why: `a hook of type ${type} asks a model, and no verdict of it can be tested` };
  if (type !== 'command' && type !== 'http' && type !== 'mcp_tool')
    return { why: `nothing here is like the type ${JSON.stringify(type)}` };
  if (entry.async === true || entry.asyncRewake === true)
    return { why: 'an asynchronous hook answers too late to guard' };
  const asks = ASKED[type].safeParse({ ...entry, type });
  if (!asks.success) return { why: asks.error.issues[0]?.message ?? 'it cannot be read' };
  if (filter !== undefined && typeof filter !== 'string') return { why: '`if` is no text' };
  return {
    at,
    event,
    matcher: matcher === '' || matcher === '*' ? undefined : matcher,
    asks: asks.data,
    timeout: typeof timeout === 'number' && timeout > 0 ? timeout : undefined,
    if: filter,
    onFailure: typeof onFailure === 'string' ? onFailure : undefined,
  };
}

function isForeignEvent(event: string): event is ForeignEvent {
  return Object.hasOwn(FOREIGN_EVENTS, event);
}

function parsed(text: string, file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw noSettings(file, reasonOf(error));
  }
  if (isJsonObject(value)) return value;
  throw noSettings(file, 'it is no JSON object');
}

function noSettings(file: string, why: string): AbilityError {
  return unreadable(`${file} contains no settings with hooks: ${why}`, {
    suggestion: 'Name a .claude/settings.json, a .codex/hooks.json, or the hooks/hooks.json of a plugin.',
  });
}

function partOf(value: unknown, key: string): unknown {
  return isJsonObject(value) ? value[key] : undefined;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
