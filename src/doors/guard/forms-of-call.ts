import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import type { AgentCall } from './read-event.js';

/** A call under the names of Claude Code, which `as` also uses. */
export interface FormOfCall {
  tool_name: string;
  tool_input: JsonObject;
}

/** Names in other tools by ours, in lower case and without `_`. */
const SYNONYMS = {
  Bash: 'bash shell runshellcommand localshell shellcommand execcommand runterminalcmd runterminalcommand unifiedexec powershell monitor',
  Write: 'write writefile createfile tabwrite',
  Edit: 'edit replace strreplace searchreplace editfile',
  MultiEdit: 'multiedit',
  NotebookEdit: 'notebookedit editnotebook',
  Delete: 'delete deletefile',
  Read: 'read readfile',
  Grep: 'grep searchfilecontent',
  Glob: 'glob',
  WebFetch: 'webfetch',
};
const NAMES = new Map(
  Object.entries(SYNONYMS).flatMap(([name, others]) => others.split(' ').map((other) => [other, name])),
);
const FILE_KEYS = ['file_path', 'notebook_path', 'path', 'absolute_path', 'target_file', 'target_notebook', 'filePath'];

/** A call as Claude Code would make it; a patch of several files is one call each. Never empty. */
export function formsOfCall({ name, input }: Pick<AgentCall, 'name' | 'input'>): FormOfCall[] {
  if (/^apply_?patch$/i.test(name)) return patched(textOfPatch(input));
  const mcp = /^MCP:([^:]+):(.+)$/.exec(name);
  const known = NAMES.get(name.toLowerCase().replaceAll('_', ''));
  const tool_name = mcp ? `mcp__${mcp[1]}__${mcp[2]}` : (known ?? name);
  if (tool_name === 'Bash') return [{ tool_name, tool_input: { ...input, command: commandOf(input) } }];
  const file = FILE_KEYS.map((key) => input[key]).find((value) => typeof value === 'string');
  const named = known !== undefined && file !== undefined && tool_name !== 'Grep' && tool_name !== 'Glob';
  return [{ tool_name, tool_input: named ? { ...input, file_path: file } : input }];
}

/** The text that a shell would run; a list of words is one command. */
function commandOf({ command, cmd, script }: JsonObject): string {
  const given = command ?? cmd ?? script ?? '';
  if (typeof given === 'string') return given;
  if (!Array.isArray(given)) return JSON.stringify(given);
  const words = given.map(String);
  // Some tools pass a text as `["bash", "-lc", "text"]`.
  const text = /^-\w*c$/.test(words[1] ?? '') ? words[2] : undefined;
  return text ?? words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}

function textOfPatch(input: JsonObject): string {
  const given = [input.command, input.patch, input.input].find((value) => value !== undefined);
  if (Array.isArray(given)) return given.map(String).join('\n');
  return typeof given === 'string' ? given : JSON.stringify(input);
}

function patched(text: string): FormOfCall[] {
  const parts: { kind: string; path: string; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const [, kind, path] = /^\*\*\* (Add File|Update File|Delete File|Move to): (.*?)\s*$/.exec(line) ?? [];
    if (kind !== undefined && path !== undefined) parts.push({ kind, path, lines: [] });
    else parts.at(-1)?.lines.push(line);
  }
  if (parts.length === 0) return [{ tool_name: 'apply_patch', tool_input: { command: text } }];
  return parts.map(({ kind, path, lines }): FormOfCall => {
    const of = (sign: string): string =>
      lines.flatMap((line) => (line.startsWith(sign) ? [line.slice(1)] : [])).join('\n');
    if (kind === 'Add File') return { tool_name: 'Write', tool_input: { file_path: path, content: of('+') } };
    return { tool_name: 'Edit', tool_input: { file_path: path, old_string: of('-'), new_string: of('+') } };
  });
}

/** Whether a tool says by its name that it only reads; any other may change what its input names. */
export function readsOnly(name: string): boolean {
  const last = name.split(/__|:/).at(-1) ?? name;
  const [verb = '', ...rest] = last.split(/[_-]|(?<=[a-z])(?=[A-Z])/).map((part) => part.toLowerCase());
  return (
    /^(read|get|list|search|view|show|stat|directory)$/.test(verb) && !/and|replace|write|set/.test(rest.join(' '))
  );
}

/** Every text under a key that may name a file, at any depth. */
export function filesNamedIn(input: JsonObject): string[] {
  return Object.entries(input).flatMap(([key, value]) => {
    if (typeof value === 'string') return /path|file|dest|target|uri|notebook|folder|^to$/i.test(key) ? [value] : [];
    if (isJsonObject(value)) return filesNamedIn(value);
    if (!Array.isArray(value)) return [];
    return value.flatMap((item) =>
      isJsonObject(item) ? filesNamedIn(item) : typeof item === 'string' && /path|file/i.test(key) ? [item] : [],
    );
  });
}
