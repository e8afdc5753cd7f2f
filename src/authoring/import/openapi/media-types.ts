import type { JsonObject } from '../../../contracts/json.js';
import { follow, isPart, memberOf, type Part, partOf } from './follow-reference.js';

/** The kind of a media type. Calls neither send nor accept `xml` and `stream`. */
export type MediaFamily = 'json' | 'form' | 'multipart' | 'text' | 'binary' | 'xml' | 'stream' | 'none';

export interface Media {
  /** In lowercase, without parameters. */
  type: string;
  family: MediaFamily;
  about: Part;
}

const TEXTS = /^application\/(x-)?(yaml|ndjson|jsonl|json-lines|graphql|sql|javascript|toml|csv|jwt|typescript)$/;

/** The media types of a body, each with its family. Invalid ones are left out. */
export function mediaOf(content: unknown): Media[] {
  if (!isPart(content)) return [];
  return Object.keys(content).flatMap((name): Media[] => {
    const type = (name.split(';', 1)[0] ?? '').trim().toLowerCase();
    if (!/^[a-z0-9!#$&^_.+*-]+\/[a-z0-9!#$&^_.+*-]+$/.test(type)) return [];
    return [{ type, family: familyOf(type), about: partOf(memberOf(content, name)) }];
  });
}

function familyOf(type: string): MediaFamily {
  if (type === '*/*' || type === 'application/*') return 'json';
  if (/^(application|text)\/(.+\+)?json$/.test(type) || /\/.+\+json$/.test(type)) {
    return type === 'application/stream+json' || type === 'application/json-seq' ? 'stream' : 'json';
  }
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type === 'multipart/form-data') return 'multipart';
  if (type.startsWith('multipart/')) return 'none';
  if (type === 'text/event-stream') return 'stream';
  if (/\/(.+\+)?xml$/.test(type)) return 'xml';
  return type.startsWith('text/') || TEXTS.test(type) ? 'text' : 'binary';
}

/** Schema of a file input: base64, alone or with name and type. */
export function fileSchema(description?: string): JsonObject {
  return {
    ...(description !== undefined && { description }),
    anyOf: [{ type: 'string', description: 'The bytes as base64.' }, wholeFileSchema()],
  };
}

/** Schema of a file as a form field, where a plain text would be sent as text. */
export function wholeFileSchema(description?: string): JsonObject {
  return {
    ...(description !== undefined && { description }),
    type: 'object',
    required: ['base64'],
    properties: { base64: { type: 'string' }, filename: { type: 'string' }, content_type: { type: 'string' } },
    additionalProperties: false,
  };
}

/** Whether a schema means bytes: `format: binary` in 3.0, a media type without encoding in 3.1. */
export function isBinary(document: Part, schema: unknown): boolean {
  const target = follow(document, schema);
  if (memberOf(target, 'type') !== 'string' && memberOf(target, 'type') !== undefined) return false;
  if (memberOf(target, 'format') === 'binary') return true;
  return memberOf(target, 'contentMediaType') !== undefined && memberOf(target, 'contentEncoding') === undefined;
}
