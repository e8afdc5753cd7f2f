import { isPart, listOf, memberOf, type Part, partOf } from './document-parts.js';
import { follow } from './follow-reference.js';

/** An object schema whose properties can be inputs of their own. */
export interface PlainObject {
  properties: Map<string, unknown>;
  required: Set<string>;
  /** What else it may hold: a schema, or whether anything. */
  additional: unknown;
}

/** Keywords that do not hinder it: they describe, or are taken apart here. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'allOf', 'title', 'description', 'example', 'examples'],
  ...['default', 'deprecated', 'xml', 'externalDocs', '$schema', '$id', '$comment', 'readOnly', 'writeOnly'],
]);

const MOST_PARTS = 50;

/**
 * Takes an object schema apart, references and `allOf` included.
 *
 * @returns undefined where it is no such object, or says more than which properties it has: then it stays one input.
 */
export function plainObjectOf(document: Part, schema: unknown): PlainObject | undefined {
  const found: PlainObject = { properties: new Map(), required: new Set(), additional: true };
  return gather(document, schema, found, new Set()) && found.properties.size > 0 ? found : undefined;
}

/** @param seen what was taken apart; the same again is no plain list, and would be again and again without end. */
function gather(document: Part, schema: unknown, found: PlainObject, seen: Set<unknown>): boolean {
  const target = follow(document, schema);
  if (!isPart(target) || seen.has(target) || seen.size > MOST_PARTS) return false;
  seen.add(target);
  const keys = Object.keys(target).filter((key) => !key.startsWith('x-'));
  const isClosed =
    memberOf(target, 'additionalProperties') !== undefined && memberOf(target, 'additionalProperties') !== true;
  if (!keys.every((key) => ALLOWED.has(key)) || ![undefined, 'object'].includes(typeNameOf(target))) return false;
  const branches = listOf(memberOf(target, 'allOf'));
  if (isClosed && (branches.length > 0 || seen.size > 1)) return false;
  for (const [name, property] of Object.entries(partOf(memberOf(target, 'properties')))) {
    // Two schemas for one property hold together; an input has only one.
    if (found.properties.has(name)) return false;
    found.properties.set(name, property);
  }
  for (const name of listOf(memberOf(target, 'required'))) if (typeof name === 'string') found.required.add(name);
  if (isClosed) found.additional = memberOf(target, 'additionalProperties');
  return branches.every((branch) => gather(document, branch, found, seen));
}

function typeNameOf(schema: Part): string | undefined {
  const type = memberOf(schema, 'type');
  if (Array.isArray(type) && type.length === 1) return String(type[0]);
  return type === undefined ? undefined : String(type);
}
