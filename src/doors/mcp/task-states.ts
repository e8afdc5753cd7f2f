import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { meaningOf } from '../../contracts/codes.js';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { EXIT, isEndState } from '../../contracts/states.js';
import type { TaskResult } from '../../contracts/task.js';
import { resultOf } from './answers.js';
import type { ToolAnswer } from './mcp-door.js';

export const TASKS = 'io.modelcontextprotocol/tasks';

/** How soon to poll again. */
const POLL_MS = 2000;
const POLL_APPROVAL_MS = 10_000;

export function declaresTasks(capabilities: unknown): boolean {
  const extensions = isJsonObject(capabilities) ? capabilities.extensions : undefined;
  const declared = isJsonObject(extensions) && Object.hasOwn(extensions, TASKS) ? extensions[TASKS] : undefined;
  return isJsonObject(declared) && Object.keys(declared).length === 0;
}

/** The answer to a call whose task is open. Source: docs/mcp.md#long-calls. */
export function createdTask(answer: ToolAnswer, handle: string, now = new Date().toISOString()): JsonObject {
  return { resultType: 'task', taskId: handle, createdAt: now, lastUpdatedAt: now, ttlMs: null, ...working(answer) };
}

/** A task for `tasks/get`; `failed` only for an engine failure. Source: docs/mcp.md#long-calls. */
export function detailedTask(answer: ToolAnswer, result: TaskResult, handle: string, meta: JsonObject): JsonObject {
  const now = new Date().toISOString();
  const { status, started_at, finished_at, error } = result;
  const task = { taskId: handle, createdAt: started_at ?? now, lastUpdatedAt: finished_at ?? now, ttlMs: null };
  if (!isEndState(status)) return { ...task, ...working(answer) };
  if (status === 'cancelled') return { ...task, status, statusMessage: error?.message ?? 'The task was cancelled' };
  if (error && meaningOf(error.code)?.exit === EXIT.outOfOrder) {
    const data = { code: error.code, ...(error.suggestion !== undefined && { suggestion: error.suggestion }) };
    const failure = { code: ProtocolErrorCode.InternalError, message: error.message, data };
    return { ...task, status: 'failed', statusMessage: error.code, error: failure };
  }
  return { ...task, status: 'completed', result: resultOf(answer, meta) as unknown as JsonObject };
}

function working({ data }: ToolAnswer): JsonObject {
  const { waiting_for: waiting, status, step } = data;
  if (Array.isArray(waiting)) {
    const texts = waiting.filter(isJsonObject).map(({ title, who, until, commands }) => {
      return `waits for approval: ${title}; ${who} may decide until ${until}: ${(commands as string[])[0]}`;
    });
    return { status: 'working', statusMessage: texts.join('; '), pollIntervalMs: POLL_APPROVAL_MS };
  }
  const at = typeof step === 'string' ? `${status} at ${step}` : String(status);
  return { status: 'working', statusMessage: at, pollIntervalMs: POLL_MS };
}
