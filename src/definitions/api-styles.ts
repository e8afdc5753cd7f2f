import type { ApiPlace, ApiStyle } from '../contracts/api.js';

/**
 * The styles of a place, default first; for a body, only if it is a form. Source: OpenAPI Specification 3.1.1,
 * "Style Values" and the Encoding Object; docs/api-calls.md.
 */
export const STYLES_IN: Readonly<Record<ApiPlace, readonly ApiStyle[]>> = {
  path: ['simple', 'label', 'matrix', 'json'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json'],
  header: ['simple', 'json'],
  cookie: ['form', 'json'],
  body: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json'],
};

export function defaultStyle(place: ApiPlace): ApiStyle {
  return STYLES_IN[place][0] ?? 'form';
}

/** Whether a style makes a parameter of each item by default. */
export function defaultExplode(style: ApiStyle): boolean {
  return style === 'form' || style === 'deepObject';
}
