import type { InputNames } from './input-names.js';
import { holeNameOf, type MappedParameter } from './map-parameters.js';
import { NotExpressible } from './not-expressible.js';

/** A path as an `api` section has it. */
export interface MappedPath {
  path: string;
  /** The parameters without those that the path does not take, and with those that it takes undeclared. */
  parameters: MappedParameter[];
}

/**
 * Maps the key of a path item: `/users/{user id}` as `/users/{user_id}`; `{path+}` keeps slashes.
 *
 * @throws NotExpressible for a key with a query or fragment in it, and for braces that do not match.
 */
export function mapPath(key: string, parameters: readonly MappedParameter[], names: InputNames): MappedPath {
  if (/[?#]/.test(key))
    throw new NotExpressible(`its path has a ${key.includes('?') ? 'query (`?`)' : 'fragment (`#`)'}`);
  const undeclared: MappedParameter[] = [];
  const inputs = new Map(parameters.filter(({ place }) => place === 'path').map(({ name, input }) => [name, input]));
  const used = new Set<string>();
  const path = key.replaceAll(/\{(\+?)([^{}]*?)([+*]?)\}/g, (_, before: string, bare: string, after: string) => {
    const name = inputs.has(`${bare}${after}`) ? `${bare}${after}` : bare;
    let input = inputs.get(name);
    if (input === undefined) {
      input = names.take(holeNameOf(name), 'path');
      inputs.set(name, input);
      undeclared.push(plainText(input, name));
    }
    used.add(name);
    return `{${before || after ? '+' : ''}${input}}`;
  });
  if (/[{}]/.test(path.replaceAll(/\{\+?[A-Za-z_][A-Za-z0-9_.-]*\}/g, ''))) {
    throw new NotExpressible('its path has braces that do not match');
  }
  const sent = parameters.filter(({ place, name }) => place !== 'path' || used.has(name));
  return { path, parameters: [...sent, ...undeclared] };
}

function plainText(input: string, name: string): MappedParameter {
  const schema = { type: 'string' };
  return { input, place: 'path', name, required: true, schema, description: undefined, deprecated: false, form: {} };
}
