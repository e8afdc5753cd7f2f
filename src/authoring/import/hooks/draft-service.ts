import { FOREIGN_EVENT_KEYS } from '../../../contracts/foreign-hooks.js';
import type { JsonObject } from '../../../contracts/json.js';
import type { HttpHook, McpToolHook } from './read-settings.js';

/** The service behind a hook that is no command, as parts of a project. */
export interface ServiceDraft {
  implementation: JsonObject;
  /** An entry of `services`, for a hook over HTTP. */
  service?: JsonObject;
  /** `with` of the handler; absent: the ability receives the whole event. */
  with?: JsonObject;
  name: string;
}

const REFERENCE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** POSTs the event, reads the response body. Source: Claude Code 2.1.317; docs/hooks.md#importing-them. */
export function draftHttp(id: string, { url, headers, allowedEnvVars }: HttpHook): ServiceDraft | { why: string } {
  if (!URL.canParse(url)) return { why: `its \`url\` cannot be read: ${url}` };
  const { protocol, origin, pathname, searchParams, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return { why: `its \`url\` is neither http nor https: ${url}` };
  if (username !== '' || password !== '') return { why: 'its `url` holds a password, which belongs in a header' };
  if (/[{}$]|%7B|%7D/i.test(pathname + [...searchParams].join())) {
    return { why: 'its `url` has braces or a $, which mean something else here' };
  }
  if (new Set(searchParams.keys()).size < searchParams.size) return { why: 'its `url` has a parameter twice' };
  const credentials: JsonObject = {};
  const sent: JsonObject = {};
  for (const [name, value] of Object.entries(headers)) {
    const missing = [...value.matchAll(REFERENCE)].map(nameIn).find((variable) => !allowedEnvVars.includes(variable));
    if (missing !== undefined) {
      return { why: `its header ${name} reads $${missing}, which \`allowedEnvVars\` does not name` };
    }
    if (/[{}]/.test(value.replaceAll(REFERENCE, ''))) {
      return { why: `its header ${name} has braces, which mean something else here` };
    }
    sent[name] = value.replaceAll(REFERENCE, (...match) => {
      const variable = nameIn(match);
      credentials[variable] = `env:${variable}`;
      return `{credential:${variable}}`;
    });
  }
  const api = {
    method: 'POST',
    path: pathname,
    service: id,
    ...(searchParams.size > 0 && { query: Object.fromEntries(searchParams) }),
    ...(Object.keys(sent).length > 0 && { headers: sent }),
    response: { as: 'text' },
  };
  const service = {
    endpoints: { default: origin },
    ...(Object.keys(credentials).length > 0 && { credentials }),
  };
  return { implementation: { kind: 'api', api }, service, name: `${origin}${pathname}` };
}

function nameIn([, braced, plain]: readonly string[]): string {
  return braced ?? plain ?? '';
}

/**
 * The tool's text is the answer; `${tool_input.command}` in its input is what the event has there. Source: Claude
 * Code 2.1.317; docs/hooks.md#importing-them. @param servers the MCP servers of the project.
 */
export function draftMcpTool(
  { server, tool, input }: McpToolHook,
  servers: ReadonlySet<string>,
): ServiceDraft | { why: string } {
  if (!servers.has(server)) {
    return { why: `there is no MCP server ${server} in the project; write it to \`mcp_servers\` of registry/config` };
  }
  const text = JSON.stringify(input);
  if (text.includes('${{')) return { why: 'its `input` has ${{, which means something else here' };
  for (const [whole, path = ''] of text.matchAll(/\$\{([^}]*)\}/g)) {
    const [first = ''] = path.split('.');
    if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(path) || !(FOREIGN_EVENT_KEYS as readonly string[]).includes(first)) {
      return { why: `its \`input\` reads ${whole}, which no event has here` };
    }
  }
  const given = JSON.parse(text.replaceAll(/\$\{([^}]*)\}/g, '$${{ $1 }}')) as JsonObject;
  return { implementation: { kind: 'mcp', mcp: { server, tool } }, with: given, name: `${server} ${tool}` };
}
