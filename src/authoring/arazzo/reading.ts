import type { Json } from '../../contracts/json.js';
import { isPart, memberOf, textOf } from '../openapi/document-parts.js';
import { singularPath } from './json-path.js';
import { NotTranslated } from './not-translated.js';
import { cutEmbedded, parseExpression, type RuntimeExpression } from './runtime-expression.js';
import { type CelValue, follow, literal, orNull, select, selectOptional, template, textLiteral } from './write-cel.js';

/** What a step or a workflow can read where an expression stands, each as CEL. */
export interface Reading {
  /** Where it stands, for messages. */
  place: string;
  /** Says what people should know of the translation. */
  note(text: string): void;
  /** Inputs that are always given: required, or with a default. */
  givenInputs: ReadonlySet<string>;
  /** An output of a step before this one; undefined: there is none of that name. */
  stepOutput(step: string, output: string): CelValue | string;
  /** An output of a workflow that this one depends on. */
  workflowOutput(workflow: string, output: string): CelValue | string;
  /** What the answer of the step itself gives; undefined outside of steps. */
  answer?: Answer;
}

/** The answer of a step, where it is read. A text says why there is none. */
export interface Answer {
  status: CelValue | string;
  body: CelValue | string;
  header(name: string): CelValue | string;
  /** An output of a workflow that the step calls. */
  output(name: string): CelValue | string;
  request(place: string, name: string): CelValue | string;
  method: CelValue | string;
}

/** A runtime expression as CEL. @throws NotTranslated for what is not known here. */
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

/**
 * A value of a document as a template: constants as they are, expressions, texts with expressions, selectors (1.1).
 *
 * @throws NotTranslated
 */
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

/** Parts of a text one after the other; lists and maps in it are refused when it runs. */
function embedded(parts: ReturnType<typeof cutEmbedded>, reading: Reading): string {
  return parts
    .map((part) =>
      typeof part === 'string' ? textLiteral(part) : `string(${orNull(readExpression(part.expression, reading))})`,
    )
    .join(' + ');
}

/** A constant text; what would be read as an expression of ours is not. */
function plain(text: string): string {
  return text.includes('${{') ? template({ cel: textLiteral(text) }) : text;
}

/** A selector object of 1.1. */
export function isSelector(value: unknown): boolean {
  return (
    isPart(value) &&
    textOf(memberOf(value, 'context')) !== undefined &&
    textOf(memberOf(value, 'selector')) !== undefined
  );
}

/** What a selector object selects. @throws NotTranslated for what selects several values, and XPath. */
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

/** The type of an expression, by name or as an expression type object. */
export function typeNamed(type: unknown, refuse: (what: string) => never): string {
  if (!isPart(type)) return String(type ?? 'simple');
  const [name, version] = [String(memberOf(type, 'type')), memberOf(type, 'version')];
  if (name === 'jsonpath' && version !== undefined && version !== 'rfc9535') {
    return refuse(`${String(version)} is another JSONPath than RFC 9535`);
  }
  return name;
}

/** A constant, as CEL; an expression, as what it reads. */
export function readOperand(value: unknown, reading: Reading): CelValue {
  if (isSelector(value)) return readSelector(value, reading);
  if (typeof value === 'string' && parseExpression(value)) return readExpression(value, reading);
  return { cel: literal(value as Json), optional: false };
}
