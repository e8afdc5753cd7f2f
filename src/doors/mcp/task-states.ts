import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { meaningOf } from '../../contracts/codes.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { EXIT, isEndState } from '../../contracts/states.js';
import type { TaskResult } from '../../contracts/task.js';
import { digestOf } from '../../rules/canonical.js';
import { oneLine } from '../../rules/shown-text.js';
import { TASKS } from './answer-discovery.js';
import { resultOf } from './answers.js';
import type { ToolAnswer } from './mcp-door.js';

/** How soon to poll again. */
const POLL_MS = 2000;
const POLL_OTHERS_MS = 5000;
const KEY_DIGITS = 12;

/** Whatever the settings in the declaration. */
export function declaresTasks(capabilities: unknown): boolean {
  return isJsonObject(own(own(capabilities, 'extensions'), TASKS));
}

/** Whether the client asks its user to open an address. `elicitation: {}` declares forms alone. */
export function declaresUrls(capabilities: unknown): boolean {
  return isJsonObject(own(own(capabilities, 'elicitation'), 'url'));
}

function own(from: unknown, name: string): Json | undefined {
  return isJsonObject(from) && Object.hasOwn(from, name) ? from[name] : undefined;
}

/** The answer to a call whose task is open. Source: docs/mcp.md#long-calls. */
export function createdTask(answer: ToolAnswer, handle: string, now = new Date().toISOString()): JsonObject {
  return { resultType: 'task', taskId: handle, createdAt: now, lastUpdatedAt: now, ttlMs: null, ...working(answer) };
}

/**
 * A task for `tasks/get`; `failed` only for an engine failure. A client that cannot lead its user to the page gets the
 * answer of a call without tasks, so that the agent tells the user. Source: docs/mcp.md#long-calls.
 * @param opensUrls whether the client declares it.
 */
export function detailedTask(
  answer: ToolAnswer,
  result: TaskResult,
  { handle, meta, opensUrls }: { handle: string; meta: JsonObject; opensUrls: boolean },
): JsonObject {
  const now = new Date().toISOString();
  const { status, started_at, finished_at, error } = result;
  const task = { taskId: handle, createdAt: started_at ?? now, lastUpdatedAt: finished_at ?? now, ttlMs: null };
  if (!isEndState(status)) {
    const asked = approvalsIn(answer);
    if (asked.length === 0) return { ...task, ...working(answer) };
    const inputRequests = opensUrls ? Object.fromEntries(asked.flatMap(requestOf)) : {};
    const isAsked = Object.keys(inputRequests).length > 0;
    if (isAsked) return { ...task, ...working(answer), status: 'input_required', inputRequests };
    return { ...task, ...working(answer), ...completed(answer, meta) };
  }
  if (status === 'cancelled') return { ...task, status, statusMessage: error?.message ?? 'The task was cancelled' };
  if (error && meaningOf(error.code)?.exit === EXIT.outOfOrder) {
    const data = { code: error.code, ...(error.suggestion !== undefined && { suggestion: error.suggestion }) };
    const failure = { code: ProtocolErrorCode.InternalError, message: error.message, data };
    return { ...task, status: 'failed', statusMessage: error.code, error: failure };
  }
  return { ...task, ...completed(answer, meta) };
}

/** With the result that the call itself would have had. */
function completed(answer: ToolAnswer, meta: JsonObject): JsonObject {
  return { status: 'completed', result: { resultType: 'complete', ...resultOf(answer, meta) } as JsonObject };
}

function working(answer: ToolAnswer): JsonObject {
  const { status, step } = answer.data;
  const texts = waitsIn(answer).map(({ what, suggestion, title, who, until, commands }) => {
    const [first] = (commands ?? []) as string[];
    const wait = what ?? `approval: ${title}; ${who} may decide until ${until}`;
    return [`waits for ${wait}`, ...[first, suggestion].filter((more) => more !== undefined)].join(': ');
  });
  const at = typeof step === 'string' ? `${status} at ${step}` : String(status);
  const statusMessage = texts.length > 0 ? texts.join('; ') : at;
  return { status: 'working', statusMessage, pollIntervalMs: answer.open?.needsOthers ? POLL_OTHERS_MS : POLL_MS };
}

function waitsIn({ data: { waiting_for: waiting } }: ToolAnswer): JsonObject[] {
  return Array.isArray(waiting) ? waiting.filter(isJsonObject) : [];
}

function approvalsIn(answer: ToolAnswer): JsonObject[] {
  return waitsIn(answer).filter(({ approval }) => approval !== undefined);
}

/**
 * Leads a person to the page, in which they prove who they are: the client's answer decides nothing, so the request
 * stands until the approval does. Its key is one of its content, since clients fail if a key changes its request.
 */
function requestOf({ approval, title, ability, environment, who, until, page }: JsonObject): [string, JsonObject][] {
  if (typeof page !== 'string') return [];
  // The first hundred characters are what a terminal shows of it.
  const what = `Approval needed: "${title}" (${ability} in ${environment}), by ${who}.`;
  const message = oneLine(`${what} Decide in the page: an answer here decides nothing. Until ${until}.`);
  const params = { mode: 'url', message, url: page };
  return [[`${approval}.${digestOf(params).slice(0, KEY_DIGITS)}`, { method: 'elicitation/create', params }]];
}
