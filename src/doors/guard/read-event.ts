import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { reasonOf } from '../../contracts/problem.js';
import { attempt } from '../../text/attempt.js';
import { readInput } from '../../text/lossless-json/read-json.js';
import { type AgentTool, PROTOCOLS } from './agent-tools.js';

export interface AgentCall {
  event: string;
  /** As the tool names it. */
  name: string;
  input: JsonObject;
  /** The tool's working folder; undefined if it does not say. */
  cwd: string | undefined;
  /** Command or address of the called MCP server; undefined if the tool does not say. */
  server: string | undefined;
  mayAsk: boolean;
}

/** The content of stdin: a call, an event that expects no answer, or unreadable data. */
export type AgentEvent =
  | { kind: 'call'; call: AgentCall }
  | { kind: 'other'; event: string }
  | { kind: 'fault'; fault: string };

/** Reads the hook event of a tool. An unreadable event is a fault, which is answered with a denial. */
export function readEvent(text: string, tool: AgentTool): AgentEvent {
  if (text.trim() === '') return fault('there is nothing on stdin');
  let value: Json;
  try {
    value = readInput(text, { what: 'what is on stdin', integers: 'text' });
  } catch (error) {
    return fault(reasonOf(error));
  }
  if (!isJsonObject(value)) return fault('what is on stdin is no JSON object');
  const { hook_event_name: event } = value;
  const { asking, mayAsk, others } = PROTOCOLS[tool];
  if (typeof event !== 'string') return fault('the event has no `hook_event_name`');
  if (others.includes(event)) return { kind: 'other', event };
  if (!asking.includes(event))
    return fault(`${tool} has no event ${JSON.stringify(event.slice(0, 80))} that is known here`);
  return readCall(value, event, mayAsk.includes(event));
}

function readCall(value: JsonObject, event: string, mayAsk: boolean): AgentEvent {
  const { cwd, workspace_roots: roots } = value;
  const folder = [cwd, Array.isArray(roots) ? roots[0] : undefined].find(
    (at): at is string => typeof at === 'string' && at !== '',
  );
  const context = isJsonObject(value.mcp_context) ? value.mcp_context : value;
  const server = [context.url, context.command].find((at): at is string => typeof at === 'string');
  const about = { event, cwd: folder, mayAsk };
  if (event === 'beforeShellExecution') {
    if (typeof value.command !== 'string') return fault('the event has no `command`');
    return { kind: 'call', call: { ...about, name: 'Shell', input: { command: value.command }, server: undefined } };
  }
  if (typeof value.tool_name !== 'string' || value.tool_name === '') return fault('the event has no `tool_name`');
  const input = inputOf(value.tool_input);
  if (!input) return fault('the `tool_input` of the event is no object');
  const isMcp = event === 'beforeMCPExecution' || isJsonObject(value.mcp_context);
  const name =
    event === 'beforeMCPExecution' && !value.tool_name.startsWith('MCP:') ? `MCP:${value.tool_name}` : value.tool_name;
  return { kind: 'call', call: { ...about, name, input, server: isMcp ? server : undefined } };
}

/** Cursor passes the input of MCP tools as text, and Codex that of apply_patch. */
function inputOf(given: Json | undefined): JsonObject | undefined {
  if (given === undefined || given === null) return {};
  if (isJsonObject(given)) return given;
  if (typeof given !== 'string') return undefined;
  const value = attempt(() => JSON.parse(given) as Json);
  if (value === undefined) return { command: given };
  return isJsonObject(value) ? value : undefined;
}

function fault(text: string): AgentEvent {
  return { kind: 'fault', fault: text };
}
