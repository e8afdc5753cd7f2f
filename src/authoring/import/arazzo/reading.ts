import type { Json } from '../../../contracts/json.js';
import { isPart, memberOf, textOf } from '../openapi/document-parts.js';
import { singularPath } from './json-path.js';
import { NotTranslated } from './not-translated.js';
import { type CelValue, follow, literal, orNull, select, selectOptional, template, textLiteral } from './write-cel.js';

/** Resolves the names that expressions of a step or workflow can read, to CEL. */
export interface Reading {
  /** Its place in the document, for messages. */
  place: string;
  note(text: string): void;
  /** Inputs that always have a value: required, or with a default. */
  givenInputs: ReadonlySet<string>;
  /** Output of an earlier step; a text says why it cannot be read. */
  stepOutput(step: string, output: string): CelValue | string;
  /** Output of a workflow that this one depends on; a text says why it cannot be read. */
  workflowOutput(workflow: string, output: string): CelValue | string;
  /** The answer of the step itself; undefined outside of steps. */
  answer?: Answer;
}

/** The answer of a step as CEL; a text says why a part cannot be read. */
export interface Answer {
  status: CelValue | string;
  body: CelValue | string;
  header(name: string): CelValue | string;
  output(name: string): CelValue | string;
  request(place: string, name: string): CelValue | string;
  method: CelValue | string;
}

/** Translates a runtime expression to CEL. @throws NotTranslated for an unsupported one. */
export function readExpression(text: string, reading: Reading): CelValue {
  const parsed = parseExpression(text);
  if (!parsed) throw new NotTranslated(`${text} is no runtime expression`, reading.place);
  const value = celOf(parsed, reading);
  if (typeof value === 'string') throw new NotTranslated(`${text} ${value}`, reading.place);
  return 'pointer' in parsed ? follow(value, parsed.pointer) : value;
}

const OUTSIDE = 'is about the answer of a step, and is outside of one';

function celOf(parsed: RuntimeExpression, { givenInputs, stepOutput, workflowOutput, answer }: Reading) {
  switch (parsed.kind) {
    case 'input':
      return givenInputs.has(parsed.name)
        ? { cel: select('input', parsed.name), optional: false }
        : { cel: selectOptional('input', parsed.name), optional: true };
    case 'step':
      return stepOutput(parsed.step, parsed.output);
    case 'workflow':
      return parsed.field === 'outputs'
        ? workflowOutput(parsed.workflow, parsed.name)
        : 'is an input of another workflow, which is not known here';
    case 'output':
      return answer ? answer.output(parsed.name) : OUTSIDE;
    case 'status':
      return answer ? answer.status : OUTSIDE;
    case 'method':
      return answer ? answer.method : OUTSIDE;
    case 'body':
      return answer ? answer.body : OUTSIDE;
    case 'header':
      return answer ? answer.header(parsed.name) : OUTSIDE;
    case 'request':
      return answer ? answer.request(parsed.place, parsed.name) : OUTSIDE;
    case 'other':
      return 'cannot be translated';
  }
}

/** Constants, expressions, texts with expressions, selectors (1.1) as a template. @throws NotTranslated */
export function readValue(value: unknown, reading: Reading): Json {
  if (typeof value === 'string') return readText(value, reading);
  if (Array.isArray(value)) return value.map((item) => readValue(item, reading));
  if (!isPart(value)) return (value ?? null) as Json;
  if (isSelector(value)) return template(readSelector(value, reading));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, readValue(item, reading)]));
}

function readText(text: string, reading: Reading): Json {
  if (parseExpression(text)) return template(readExpression(text, reading));
  const parts = cutEmbedded(text);
  if (parts.every((part) => typeof part === 'string')) return plain(text);
  return template({ cel: embedded(parts, reading) });
}

/** Concatenates the parts of a text; lists and maps in it are refused at run time. */
function embedded(parts: ReturnType<typeof cutEmbedded>, reading: Reading): string {
  return parts
    .map((part) =>
      typeof part === 'string' ? textLiteral(part) : `string(${orNull(readExpression(part.expression, reading))})`,
    )
    .join(' + ');
}

/** A constant text, escaped if it contains `${{`. */
function plain(text: string): string {
  return text.includes('${{') ? template({ cel: textLiteral(text) }) : text;
}

export function isSelector(value: unknown): boolean {
  return (
    isPart(value) &&
    textOf(memberOf(value, 'context')) !== undefined &&
    textOf(memberOf(value, 'selector')) !== undefined
  );
}

/** Translates a selector object. @throws NotTranslated for several values, and XPath. */
export function readSelector(value: unknown, reading: Reading): CelValue {
  const context = readExpression(String(memberOf(value, 'context')), reading);
  const selector = String(memberOf(value, 'selector'));
  const refuse = (what: string): never => {
    throw new NotTranslated(`the selector ${selector}: ${what}`, reading.place);
  };
  const type = typeNamed(memberOf(value, 'type'), refuse);
  if (type === 'jsonpointer') return follow(context, selector.startsWith('#') ? selector.slice(1) : selector);
  if (type !== 'jsonpath') return refuse(`${type} cannot be translated`);
  const tokens =
    singularPath(selector, refuse) ?? refuse('a JSONPath that may select several values cannot be translated');
  return tokens.length === 0 ? context : { cel: tokens.reduce<string>(selectOptional, context.cel), optional: true };
}

export function typeNamed(type: unknown, refuse: (what: string) => never): string {
  if (!isPart(type)) return String(type ?? 'simple');
  const [name, version] = [String(memberOf(type, 'type')), memberOf(type, 'version')];
  if (name === 'jsonpath' && version !== undefined && version !== 'rfc9535') {
    return refuse(`${String(version)} is not the JSONPath of RFC 9535`);
  }
  return name;
}

/** Translates an expression, or a constant, to CEL. */
export function readOperand(value: unknown, reading: Reading): CelValue {
  if (isSelector(value)) return readSelector(value, reading);
  if (typeof value === 'string' && parseExpression(value)) return readExpression(value, reading);
  return { cel: literal(value as Json), optional: false };
}

/** A parsed expression. Source: Arazzo Specification 1.0.1 and 1.1.0, "Runtime Expressions". */
type RuntimeExpression =
  | { kind: 'input'; name: string; pointer: string }
  | { kind: 'step'; step: string; output: string; pointer: string }
  | { kind: 'output'; name: string; pointer: string }
  | { kind: 'workflow'; workflow: string; field: string; name: string; pointer: string }
  | { kind: 'status' }
  | { kind: 'method' }
  | { kind: 'body'; pointer: string }
  | { kind: 'header'; name: string }
  | { kind: 'request'; place: 'header' | 'query' | 'path'; name: string }
  | { kind: 'other'; text: string };

const STRICT = '[A-Za-z0-9_-]+';

/** Undefined: the text is no expression. */
export function parseExpression(text: string): RuntimeExpression | undefined {
  if (!/^\$[A-Za-z]/.test(text)) return undefined;
  const [head = '', ...rest] = text.split('#');
  const pointer = rest.join('#');
  if (rest.length > 0 && pointer !== '' && !pointer.startsWith('/')) return { kind: 'other', text };
  if (text === '$statusCode') return { kind: 'status' };
  if (text === '$method') return { kind: 'method' };
  const input = /^\$inputs\.(.+)$/.exec(head);
  if (input?.[1]) return { kind: 'input', name: input[1], pointer };
  const output = /^\$outputs\.(.+)$/.exec(head);
  if (output?.[1]) return { kind: 'output', name: output[1], pointer };
  const step = new RegExp(`^\\$steps\\.(${STRICT})\\.outputs\\.(.+)$`).exec(head);
  if (step?.[1] && step[2]) return { kind: 'step', step: step[1], output: step[2], pointer };
  const workflow = new RegExp(`^\\$workflows\\.(${STRICT})\\.(inputs|outputs)\\.(.+)$`).exec(head);
  if (workflow?.[1] && workflow[2] && workflow[3]) {
    return { kind: 'workflow', workflow: workflow[1], field: workflow[2], name: workflow[3], pointer };
  }
  if (head === '$response.body') return { kind: 'body', pointer };
  const header = /^\$response\.header\.([A-Za-z0-9!#$%&'*+.^_`|~-]+)$/.exec(text);
  if (header?.[1]) return { kind: 'header', name: header[1] };
  const request = /^\$request\.(header|query|path)\.(.+)$/.exec(text);
  if (request?.[1] && request[2]) {
    return { kind: 'request', place: request[1] as 'header' | 'query' | 'path', name: request[2] };
  }
  return { kind: 'other', text };
}

/** Splits a text at its embedded expressions `{$..}`. */
export function cutEmbedded(text: string): (string | { expression: string })[] {
  const parts: (string | { expression: string })[] = [];
  let from = 0;
  for (const match of text.matchAll(/\{(\$[^{}]+)\}/g)) {
    if (match.index > from) parts.push(text.slice(from, match.index));
    parts.push({ expression: match[1] ?? '' });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}
