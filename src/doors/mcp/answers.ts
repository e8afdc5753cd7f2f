import type { CallToolResult } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import { showUnseenCharacters, startOf } from '../../rules/shown-text.js';
import type { McpDoor, ToolAnswer } from './mcp-door.js';

/** The maximum characters of an answer's text; its structured content is complete. */
const MAX_TEXT = 100_000;

export function resultOf({ data, isError }: ToolAnswer, meta: JsonObject = {}): CallToolResult {
  // Makes invisible characters visible, as escapes that keep the meaning of the JSON.
  const text = showUnseenCharacters(JSON.stringify(data));
  const shown =
    text.length <= MAX_TEXT
      ? text
      : `${startOf(text, MAX_TEXT)}\n... cut after ${MAX_TEXT} of ${text.length} characters; the structured content is whole`;
  return {
    content: [{ type: 'text', text: shown }],
    structuredContent: data,
    ...(isError && { isError }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}

export function withWarnings(answer: ToolAnswer, more: readonly string[]): ToolAnswer {
  const { warnings = [] } = answer.data;
  const all = [...new Set([...(warnings as string[]), ...more])];
  return all.length === 0 ? answer : { ...answer, data: { ...answer.data, warnings: all } };
}

/** A refusal: a stable code, the reason, and what to do instead. */
export function refusalOf(error: unknown, door: Pick<McpDoor, 'typed'>, more: JsonObject = {}): ToolAnswer {
  return refused(problemOf(error), door, more);
}

export function refused(problem: Problem, door: Pick<McpDoor, 'typed'>, more: JsonObject = {}): ToolAnswer {
  return { data: { status: 'refused', ...more, ...problemFields(problem, door) }, isError: true };
}

/** A problem with commands in the form that users of this door type. */
export function problemFields({ code, message, suggestion }: Problem, { typed }: Pick<McpDoor, 'typed'>): JsonObject {
  return { code, reason: typed(message), ...(suggestion !== undefined && { suggestion: typed(suggestion) }) };
}

function problemOf(error: unknown): Problem {
  if (error instanceof AbilityError) return error.toProblem();
  // The stack is for the operator, who finds it on stderr.
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'internal.error', message, suggestion: 'Tell the user; it is a fault of Ability Runtime.' };
}
