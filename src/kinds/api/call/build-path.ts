import type { PlanApiParam } from '../../../contracts/api.js';
import type { Json, JsonObject } from '../../../contracts/json.js';
import { encode, flatOf, inputOf, partsOf, unusable } from './write-values.js';

/** A placeholder in a path: `{name}` or `{+name}`. */
const HOLE = /\{(\+?)([A-Za-z_][A-Za-z0-9_.-]*)\}/g;

/** The inputs that a path takes, by `params` or by the names of its placeholders. */
export function inputsOfPath(template: string, params: Record<string, PlanApiParam>): string[] {
  return [...template.matchAll(HOLE)].map(([, , name = '']) => inputFor(name, params).input);
}

/**
 * Fills a path: RFC 6570 level 1 and `{+name}`, which keeps slashes, or the style in `params`.
 * @throws CallFailure `input.invalid` for a missing value, and for one that would lead to another path.
 */
export function buildPath(template: string, input: JsonObject, params: Record<string, PlanApiParam>): string {
  const taken: string[] = [];
  const path = template
    .split('/')
    .map((part) => {
      const filled = part.replaceAll(HOLE, (_, plus: string, name: string) => {
        const { input: key, param } = inputFor(name, params);
        taken.push(key);
        return fill(key, inputOf(input, key), param, plus === '+');
      });
      if (filled !== part) refuseOtherPath(filled, taken.at(-1) ?? '');
      return filled;
    })
    .join('/');
  return path.startsWith('/') ? path : `/${path}`;
}

function inputFor(name: string, params: Record<string, PlanApiParam>): { input: string; param?: PlanApiParam } {
  const said = Object.entries(params).find(([, param]) => param.in === 'path' && param.name === name);
  return said ? { input: said[0], param: said[1] } : { input: name };
}

function fill(key: string, value: Json, param: PlanApiParam | undefined, keepsSlashes: boolean): string {
  if (value === null) throw unusable(key, 'is missing, and the path needs it');
  if (typeof value === 'object' && !param) throw unusable(key, 'cannot be in a path; say its style in `params`');
  const segment = (text: string): string => encode(text, key);
  const code = keepsSlashes ? (text: string): string => text.split('/').map(segment).join('/') : segment;
  const text = param?.style === 'json' ? code(JSON.stringify(value)) : inStyle(key, value, param, code);
  if (text === '') throw unusable(key, 'is empty, which would lead to another path');
  return text;
}

/** Source: OpenAPI Specification 3.1.1, "Style Examples", and RFC 6570. */
function inStyle(key: string, value: Json, param: PlanApiParam | undefined, code: (text: string) => string): string {
  const parts = partsOf(key, value);
  if (!parts) return '';
  const { style = 'simple', explode = false, name = key } = param ?? {};
  const pairs = parts.kind === 'map' && explode ? parts.entries.map((pair) => pair.map(code).join('=')) : undefined;
  const items = pairs ?? flatOf(parts).map(code);
  if (style === 'label') return `.${items.join(explode ? '.' : ',')}`;
  if (style !== 'matrix') return items.join(',');
  const named = (text: string): string => (text === '' ? `;${code(name)}` : `;${code(name)}=${text}`);
  if (!explode) return named(items.join(','));
  return items.map((item) => (pairs ? `;${item}` : named(item))).join('');
}

/** A value must not add segments `.` or `..`, however encoded: they would change the path. */
function refuseOtherPath(filled: string, key: string): void {
  const segments = filled.split('/').map((segment) => segment.replaceAll(/%2e/gi, '.'));
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    throw unusable(key, 'would lead to another path');
  }
}
