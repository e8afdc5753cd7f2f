import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json } from '../../contracts/json.js';
import type { RegisteredTool } from './guard-index.js';
import type { AgentCall } from './read-event.js';

/** A registered MCP tool that a call certainly or possibly uses. */
export interface FoundTool extends RegisteredTool {
  /** False if only the tool's name matches and the server is unknown. */
  isCertain: boolean;
}

/**
 * The registered MCP tool of a call, by the server's name, how it is reached, or the project's settings. An
 * unknown server with a tool of that name counts as registered: agents' tools name servers freely.
 */
export function registeredTool(
  call: Pick<AgentCall, 'name' | 'server'>,
  tools: readonly RegisteredTool[],
  root: string,
): FoundTool | undefined {
  const certain = tools.find((tool) => isNamed(call, tool));
  if (certain) return { ...certain, isCertain: true };
  const compared = tools.flatMap((tool) => {
    const server = serverIn(call.name, tool.tool);
    return server === undefined ? [] : [{ tool, is: compareServer(root, server, tool.at) }];
  });
  const same = compared.find(({ is }) => is === 'same') ?? compared.find(({ is }) => is === 'unknown');
  return same && { ...same.tool, isCertain: same.is === 'same' };
}

function isNamed(
  { name, server }: Pick<AgentCall, 'name' | 'server'>,
  { server: of, tool, at }: RegisteredTool,
): boolean {
  const [s, t] = [plainName(of), plainName(tool)];
  const names = [`mcp__${s}__${t}`, `mcp_${s}_${t}`, `mcp:${s}:${t}`, `${s}__${t}`];
  if (names.includes(plainName(name))) return true;
  const last = plainName(name).split(/__|:/).at(-1);
  return last === t && (name === `MCP:${tool}` || (server !== undefined && isSameServer(server, at)));
}

/** The server's name in a call of this tool; undefined for a call of another tool. */
function serverIn(name: string, tool: string): string | undefined {
  const [whole, t] = [plainName(name), plainName(tool)];
  for (const joint of ['__', ':', '_']) {
    if (!whole.endsWith(`${joint}${t}`)) continue;
    const before = whole.slice(0, -(joint.length + t.length));
    const server = before.replace(/^mcp(__|:|_)/, '');
    // A single `_` joins only after `mcp_`; else it is a part of the name.
    if (joint === '_' && server === before) continue;
    if (server !== '') return server;
  }
  return undefined;
}

function isSameServer(given: string, at: string): boolean {
  const [one, other] = [given, at].map((text) => text.trim().replace(/\/+$/, '').toLowerCase());
  return one === other || (other ?? '').split(' ')[0] === one;
}

/** Project settings that name MCP servers for agents' tools, each under `mcpServers`. */
const FILES = [
  '.mcp.json',
  '.cursor/mcp.json',
  '.gemini/settings.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
];

/** Programs that start their arguments; their own names say nothing about the started program. */
const STARTERS =
  /^(node|nodejs|bun|bunx|deno|npx|npm|pnpm|yarn|uv|uvx|pipx|python[\d.]*|docker|podman|env|sh|bash|zsh|dash|cmd|pwsh)(\.exe)?$/i;
const SHELLS = /^(env|sh|bash|zsh|dash|fish|cmd|pwsh|powershell)(\.exe)?$/i;

/**
 * By project settings, not the user's. `other` only if each entry of that name says plainly what it starts,
 * without a word of `at`; a shell, a variable, no entry: `unknown`. @param at the registered command or address.
 */
function compareServer(root: string, name: string, at: string): 'same' | 'other' | 'unknown' {
  const entries = FILES.flatMap((file) => entriesOf(join(root, file), name));
  const compared = entries.map((entry) => compareEntry(entry, at));
  if (compared.includes('same')) return 'same';
  return compared.length > 0 && compared.every((one) => one === 'other') ? 'other' : 'unknown';
}

function entriesOf(file: string, name: string): Json[] {
  let settings: Json;
  try {
    settings = JSON.parse(readFileSync(file, 'utf8')) as Json;
  } catch (error) {
    // A file that exists and cannot be read may contain anything.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : [null];
  }
  const servers = isJsonObject(settings) ? settings.mcpServers : null;
  if (!isJsonObject(servers)) return [];
  return Object.entries(servers).flatMap(([key, entry]) => (plainName(key) === plainName(name) ? [entry as Json] : []));
}

function compareEntry(entry: Json, at: string): 'same' | 'other' | 'unknown' {
  if (!isJsonObject(entry)) return 'unknown';
  const { command, args, url: plain, httpUrl, serverUrl } = entry;
  const url = [plain, httpUrl, serverUrl].find((value) => typeof value === 'string');
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
  if (words.some((word) => word.includes('$')) || SHELLS.test(baseOf(words[0] ?? ''))) return 'unknown';
  if (url !== undefined) return compareAddresses(url, at);
  if (words.length === 0 || at === '') return 'unknown';
  const known = distinctiveWords(at.split(/\s+/));
  const given = distinctiveWords(words);
  if (given.length === 0 || known.length === 0) return 'unknown';
  return given.some((word) => known.includes(word)) ? 'same' : 'other';
}

function compareAddresses(given: string, at: string): 'same' | 'other' | 'unknown' {
  if (given.includes('$') || at.startsWith('env:')) return 'unknown';
  if (!URL.canParse(given)) return 'unknown';
  if (!URL.canParse(at)) return 'other';
  return new URL(given).host.toLowerCase() === new URL(at).host.toLowerCase() ? 'same' : 'other';
}

/** File and package names of the started program, without folders and versions. */
function distinctiveWords(words: readonly string[]): string[] {
  return words
    .filter((word) => !word.startsWith('-') && !STARTERS.test(baseOf(word)))
    .map((word) => baseOf(word).replace(/(?<=.)@[^@]*$/, ''));
}

function baseOf(word: string): string {
  return word.split('/').filter(Boolean).at(-1)?.toLowerCase() ?? '';
}

/** Tools replace characters that names may not have. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\w:-]/g, '_');
}
