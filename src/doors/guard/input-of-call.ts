import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { ToolMapping } from '../../definitions/formats/hooks.js';
import { escapePattern } from '../../text/escape-pattern.js';

/** A call of a tool as the call of an ability: its input, none, or unknown. */
export type InputOfCall = { fits: true; input: JsonObject } | { fits: false } | { fits: 'unknown'; template: string };

/** `${{ input.a.b }}`, `${{ input.?a }}` or `${{ input["a"] }}`, alone. */
const PATH = /^\$\{\{\s*input((?:\s*\.\s*\??[A-Za-z_]\w*|\[\s*\??\s*(?:"[^"\\]*"|'[^'\\]*')\s*\])*)\s*\}\}$/;
const PART = /\.\s*(\?)?([A-Za-z_]\w*)|\[\s*(\?)?\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\]/g;
const HOLE = /\$\{\{[\s\S]*?\}\}/g;

/**
 * Reads a mapping backwards: a path of `input` gives that part, text around paths is a pattern, other keys are
 * ignored, a computed value is `unknown`. Source: docs/hooks.md#guarding-the-calls-of-agent-tools.
 */
export function inputOfCall({ tool_input }: Pick<ToolMapping, 'tool_input'>, given: JsonObject): InputOfCall {
  const reading = new Reading();
  const fits = reading.read(tool_input as Json, given);
  if (reading.unread !== undefined) return { fits: 'unknown', template: reading.unread };
  return fits ? { fits: true, input: reading.input } : { fits: false };
}

class Reading {
  input: JsonObject = {};
  unread: string | undefined;

  /** Whether a value may be the result of a template. */
  read(template: Json, value: Json | undefined): boolean {
    if (typeof template === 'string') return this.readText(template, value);
    if (Array.isArray(template)) {
      return (
        Array.isArray(value) &&
        value.length === template.length &&
        template.every((item, at) => this.read(item, value[at]))
      );
    }
    if (isJsonObject(template)) {
      return isJsonObject(value) && Object.entries(template).every(([key, item]) => this.read(item, ownOf(value, key)));
    }
    return template === value;
  }

  private readText(template: string, value: Json | undefined): boolean {
    const path = pathOf(template);
    if (path) {
      if (value === undefined) return path.isOptional;
      return this.put(path.names, value);
    }
    const holes = [...template.matchAll(HOLE)];
    if (holes.length === 0) return template === value;
    const paths = holes.map(([hole]) => pathOf(hole));
    if (paths.some((each) => each === undefined)) {
      this.unread = template;
      return false;
    }
    if (typeof value !== 'string') return false;
    const texts = template.split(HOLE).map(escapePattern);
    const found = new RegExp(`^${texts.join('([\\s\\S]*?)')}$`).exec(value);
    return found !== null && paths.every((each, at) => this.put(each?.names ?? [], found[at + 1] ?? ''));
  }

  /** False if the input already has another value there. */
  private put(names: readonly string[], value: Json): boolean {
    const [name] = names;
    if (name === undefined) {
      if (!isJsonObject(value)) return false;
      this.input = { ...value, ...this.input };
      return true;
    }
    let at = this.input;
    for (const inner of names.slice(0, -1)) {
      const next = ownOf(at, inner);
      const object: JsonObject = isJsonObject(next) ? next : {};
      set(at, inner, object);
      at = object;
    }
    const last = names.at(-1) as string;
    const before = ownOf(at, last);
    if (before !== undefined) return JSON.stringify(before) === JSON.stringify(value);
    set(at, last, value);
    return true;
  }
}

function pathOf(template: string): { names: string[]; isOptional: boolean } | undefined {
  const parts = PATH.exec(template.trim())?.[1];
  if (parts === undefined) return undefined;
  const found = [...parts.matchAll(PART)];
  const names = found.map(([, , name, , double, single]) => name ?? double ?? single ?? '');
  return { names, isOptional: found.some(([, dot, , bracket]) => dot !== undefined || bracket !== undefined) };
}

function ownOf(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets `__proto__` like any other key. */
function set(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
