import { isJsonObject } from '../contracts/json.js';
import { attempt } from './attempt.js';

/** Objects in messages of MCP whose members are optional. */
const OBJECTS = ['_meta', 'annotations', 'capabilities', 'clientInfo', 'execution', 'resource', 'serverInfo'];
/** Lists in messages of MCP whose items have optional members. */
const LISTS = ['content', 'contents', 'messages', 'prompts', 'resources', 'resourceTemplates', 'tools'];

/**
 * A message of MCP as JSON, without the members that some programs write as null where the protocol has them absent:
 * `error` beside a result, `_meta`, `isError`, `structuredContent`, `nextCursor`, `params` and the like. What a program
 * may mean by null stays: arguments, schemas, what is inside of a structured content. Other text is unchanged.
 */
export function withoutNullMembers(text: string): string {
  if (!/:\s*null/.test(text)) return text;
  const message = attempt(() => JSON.parse(text) as unknown);
  // Its reader says what is wrong.
  if (message === undefined) return text;
  return JSON.stringify(Array.isArray(message) ? message.map(ofMessage) : ofMessage(message));
}

function ofMessage(message: unknown): unknown {
  if (!isJsonObject(message)) return message;
  const parts = Object.entries(message).filter(([name, value]) => value !== null || name === 'id');
  return Object.fromEntries(parts.map(([name, part]) => [name, ofPart(part)]));
}

function ofPart(part: unknown): unknown {
  if (!isJsonObject(part)) return part;
  const kept = present(part);
  for (const name of OBJECTS) if (isJsonObject(kept[name])) kept[name] = present(kept[name]);
  for (const name of LISTS) {
    const list = kept[name];
    if (Array.isArray(list)) kept[name] = list.map(ofPart);
  }
  return kept;
}

type Members = Record<string, unknown>;

/** The members of an object that are not null. */
export function present(object: Members): Members {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
