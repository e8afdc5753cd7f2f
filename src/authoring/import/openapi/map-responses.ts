import type { Json, JsonObject } from '../../../contracts/json.js';
import { memberOf, NotExpressible, type Part, partOf } from './document-parts.js';
import { follow } from './follow-reference.js';
import { isBinary, type Media, mediaOf } from './media-types.js';

export interface MappedResponses {
  /** Absent: any output. */
  schema?: JsonObject;
  /** The `response` section; absent: JSON. */
  as?: 'text' | 'base64';
}

interface ResponseMapping {
  document: Part;
  convert(schema: unknown): JsonObject;
  note(text: string): void;
}

const NOTHING: JsonObject = { type: 'null' };

interface Success {
  form: 'json' | 'text' | 'base64' | 'nothing' | 'unsaid';
  /** Only for JSON. */
  schema?: unknown;
}

/** Maps successful responses to an output. @throws NotExpressible if the only one is an event stream. */
export function mapResponses(listed: unknown, { document, convert, note }: ResponseMapping): MappedResponses {
  const successes = successesOf(document, listed);
  const forms = new Set(successes.map(({ form }) => form));
  const said = successes.filter(({ form }) => form !== 'nothing' && form !== 'unsaid');
  const [first, ...others] = [...new Set(said.map(({ form }) => form))];
  if (first === undefined) return forms.size === 1 && forms.has('nothing') ? { schema: NOTHING } : {};
  if (others.length > 0) {
    note('Its answers have several forms (JSON, text or bytes); any of them is accepted');
    return {};
  }
  if (first === 'text' || first === 'base64') return { as: first, schema: wrapped(first) };
  const branches = said.map(({ schema }) => (schema === undefined ? {} : convert(schema)));
  // A success without content, beside others with content, means that the body may be missing.
  if (said.length < successes.length) branches.push(NOTHING);
  const unique = [...new Map(branches.map((branch) => [JSON.stringify(branch), branch])).values()];
  if (unique.some((branch) => Object.keys(branch).length === 0)) return {};
  const [only] = unique;
  return { schema: unique.length === 1 && only ? only : { anyOf: unique satisfies Json } };
}

/** The output for text and bytes. Source: docs/api-calls.md. */
function wrapped(form: 'text' | 'base64'): JsonObject {
  return { type: 'object', required: [form], properties: { [form]: { type: 'string' } } };
}

function successesOf(document: Part, listed: unknown): Success[] {
  const responses = partOf(listed);
  const codes = Object.keys(responses).filter((code) => /^2(\d\d|XX)$/i.test(code));
  const chosen = codes.length > 0 ? codes : Object.keys(responses).filter((code) => code === 'default');
  return chosen.map((code) => successOf(document, code, follow(document, memberOf(responses, code))));
}

function successOf(document: Part, code: string, response: unknown): Success {
  const media = mediaOf(memberOf(response, 'content'));
  if (media.length === 0) return { form: code === '204' || code === '205' ? 'nothing' : 'unsaid' };
  const json = media.find(({ family }) => family === 'json');
  if (json) return jsonOf(document, json);
  if (media.some(({ family }) => family === 'binary' || family === 'none')) return { form: 'base64' };
  if (media.some(({ family }) => family === 'text' || family === 'xml' || family === 'form')) {
    const bytes = media.every(({ about }) => isBinary(document, memberOf(about, 'schema')));
    return { form: bytes ? 'base64' : 'text' };
  }
  if (media.every(({ family }) => family === 'stream')) throw new NotExpressible(streamReason(media));
  return { form: 'base64' };
}

function streamReason(media: Media[]): string {
  return `its answer is a stream of events (${media.map(({ type }) => type).join(', ')})`;
}

/** Treats a media range with a binary schema as bytes. */
function jsonOf(document: Part, { type, about }: Media): Success {
  const schema = memberOf(about, 'schema');
  if (type.includes('*') && isBinary(document, schema)) return { form: 'base64' };
  return { form: 'json', schema };
}
