import {
  type CallToolRequest,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { cancelTask, keepingRuntime } from '../../client/index.js';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { oneLine, startOf } from '../../rules/shown-text.js';
import { readTraceparent } from '../../rules/traces/trace-context.js';
import { doorIdentity, TASKS } from './answer-discovery.js';
import { refusalOf, resultOf } from './answers.js';
import { exposedTools } from './expose-abilities.js';
import { seeTask } from './follow-task.js';
import { type Access, accessOf, type McpDoor, type ToolAnswer, type ToolCall, type Visitor } from './mcp-door.js';
import { servePages } from './serve-pages.js';
import { taskAnswer } from './task-answer.js';
import { createdTask, declaresTasks, declaresUrls, detailedTask } from './task-states.js';
import { findTask } from './task-tools.js';
import { type DoorTool, metaTools } from './tools.js';

const TASK_ID = z.object({ taskId: z.string() });

/**
 * A server of the Model Context Protocol for one caller of a door, over any transport: `serveStdio`, or for each
 * request `createMcpHandler`. @param hearsChanges whether it can report changes of the tool list.
 */
export function createServer(door: McpDoor, visitor: Visitor, hearsChanges = true): Server {
  const { info, capabilities, instructions } = doorIdentity(hearsChanges && door.expose.length > 0);
  // Tools are not registered with `McpServer`: their schemas and answers are our own.
  const mcp = new McpServer(info, { capabilities, instructions });
  const { server } = mcp;
  door.skill.attach(mcp);
  servePages(mcp, door, visitor);
  const access = accessOf(visitor.rights);
  const meta = metaTools(access);
  const exposed = (): ReadonlyMap<string, DoorTool> => exposedTools(door, visitor.rights);
  const toolOf = (name: string): DoorTool | undefined => meta.get(name) ?? exposed().get(name);
  server.setRequestHandler('tools/list', () => ({
    tools: [...meta.values(), ...exposed().values()].map(({ listed }) => listed),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = toolOf(params.name);
    if (!tool) throw unknownTool(params.name, access);
    const call = callOf(door, visitor, server, context);
    const answer = await runTool(tool, call, params);
    // What waits for somebody already is told to the agent, which hears nothing of a task.
    if (answer.open && !answer.open.needsOthers && tool.isLong && declaresTasks(capabilitiesOf(context))) {
      const task = createdTask(answer, answer.open.handle);
      return { ...task, _meta: metaOf(call) } as never;
    }
    return server.projectCallToolResult(resultOf(answer, metaOf(call)), tool.listed.outputSchema);
  });
  handleTasks(server, door, visitor);
  return server;
}

async function runTool(tool: DoorTool, call: ToolCall, params: CallToolRequest['params']): Promise<ToolAnswer> {
  try {
    return await call.visitor.calls.run(call.signal, () => tool.run(call, params.arguments));
  } catch (error) {
    call.loan.failed(error);
    noteFault(call, error);
    return refusalOf(error, call.door);
  }
}

/** The methods of the Tasks extension, for callers that declare it. What a client answers for its user decides nothing. */
function handleTasks(server: Server, door: McpDoor, visitor: Visitor): void {
  const access = accessOf(visitor.rights);
  const handle = (
    method: string,
    run: (call: ToolCall, taskId: string, capabilities: unknown) => Promise<JsonObject>,
    isAllowed = true,
  ): void => {
    server.setRequestHandler(method, { params: TASK_ID }, async ({ taskId }, context) => {
      refuseUndeclared(context, method);
      if (!isAllowed) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `Not with access ${access}`);
      const call = callOf(door, visitor, server, context);
      try {
        return await visitor.calls.run(call.signal, () => run(call, taskId, capabilitiesOf(context)));
      } catch (error) {
        call.loan.failed(error);
        noteFault(call, error);
        throw protocolErrorOf(error, door);
      }
    });
  };
  handle('tasks/get', async (call, taskId, capabilities) => {
    const connection = await call.loan.connect();
    const task = await findTask(call, connection, taskId, 'read');
    const seen = await seeTask(connection, task.key);
    const answer = await taskAnswer(task, seen, door, connection);
    const opensUrls = declaresUrls(capabilities);
    return detailedTask(answer, seen.result, { handle: taskId, meta: metaOf(call), opensUrls });
  });
  const cancelled = async (call: ToolCall, taskId: string): Promise<JsonObject> => {
    const connection = await call.loan.connect();
    const { key } = await findTask(call, connection, taskId, 'run');
    await keepingRuntime(connection, () => cancelTask(connection, key)).catch(unlessEnded);
    return {};
  };
  handle('tasks/cancel', cancelled, access === 'run');
  handle('tasks/update', async (call, taskId) => {
    await findTask(call, await call.loan.connect(), taskId, 'read');
    return {};
  });
}

function callOf(door: McpDoor, visitor: Visitor, server: Server, context: ServerContext): ToolCall {
  const { _meta: meta, signal } = context.mcpReq;
  const trace = readTraceparent(meta?.traceparent);
  const token = meta?.progressToken;
  return {
    door,
    visitor,
    loan: door.lend(),
    caller: { ...visitor.person, agent: visitor.agent ?? agentOf(context, server) },
    signal,
    ...(trace !== undefined && { trace }),
    ...(token !== undefined && {
      progress: (progress, message) => {
        const params = { progressToken: token, progress, message };
        return context.mcpReq.notify({ method: 'notifications/progress', params });
      },
    }),
  };
}

function unknownTool(name: string, access: Access): ProtocolError {
  const hint = metaTools('run').has(name) ? `; it is not among those of access ${access}` : '';
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name.slice(0, 100)}${hint}`);
}

function refuseUndeclared(context: ServerContext, method: string): void {
  const { envelope } = context.mcpReq;
  if (!envelope) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
  if (declaresTasks(capabilitiesOf(context))) return;
  const requiredCapabilities = { extensions: { [TASKS]: {} } };
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities }, `${method} needs the capability ${TASKS}`);
}

function unlessEnded(error: unknown): void {
  if (!(error instanceof AbilityError) || error.code !== 'task.closed') throw error;
}

function protocolErrorOf(error: unknown, door: McpDoor): ProtocolError {
  const { data } = refusalOf(error, door);
  const isUnknown = data.code === 'task.not_found' || data.code === 'task.deleted';
  const code = isUnknown ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, String(data.reason), data);
}

/** Notes what is a fault of the door; a call that its caller has cancelled fails without one. */
function noteFault({ door, signal }: ToolCall, error: unknown): void {
  if (error instanceof AbilityError || signal.aborted) return;
  door.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

const MAX_NAME = 64;

/** The capabilities sent with a request; undefined before protocol 2026-07-28, which sends them once. */
function capabilitiesOf(context: ServerContext): unknown {
  return envelopeOf(context)?.[CLIENT_CAPABILITIES_META_KEY];
}

/** The client's own name for itself on one line; a claim. */
function agentOf(context: ServerContext, server: Server): string {
  const info = envelopeOf(context)?.[CLIENT_INFO_META_KEY];
  const name = isJsonObject(info) ? info.name : server.getClientVersion()?.name;
  return (typeof name === 'string' && oneLine(startOf(name, MAX_NAME))) || 'unnamed';
}

function envelopeOf({ mcpReq }: ServerContext): Record<string, unknown> | undefined {
  return mcpReq.envelope as Record<string, unknown> | undefined;
}

/** `_meta` of an answer: its session and its trace. */
function metaOf({ visitor, trace }: ToolCall): JsonObject {
  const { id } = visitor.session;
  return {
    ...(id !== undefined && { 'ability-runtime/session_id': id }),
    ...(trace !== undefined && { traceparent: trace }),
  };
}
