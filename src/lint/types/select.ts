import { didYouMean, nearestNames } from '../../text/nearest.js';
import {
  ANY,
  describeType,
  type Field,
  listNames,
  type MapType,
  type Mistake,
  type Tell,
  type Type,
  unite,
} from './type.js';

/** How a name of a map is read. */
export interface Selection {
  name: string;
  /** What is read from, as it is written. */
  from: string;
  /** Whether it may be missing: `?`, `has()`, or known to be there from a condition. */
  isAsked: boolean;
}

/** What reading a name gives; what cannot be there, or may be missing, is told. */
export function select(type: Type, selection: Selection, tell: Tell): Type {
  const optionals = type.flatMap((one) => (one.kind === 'optional' ? [one.of] : []));
  if (optionals.length > 0) {
    return [{ kind: 'optional', of: select(unite(...optionals), { ...selection, isAsked: true }, tell) }];
  }
  if (type.some(({ kind }) => kind === 'any')) return ANY;
  const maps = type.filter((one) => one.kind === 'map');
  const found = maps.flatMap((map) => typeIn(map, selection.name) ?? []);
  if (found.length > 0) {
    tellIfMissing(maps, selection, tell);
    return unite(found);
  }
  const mistake = mistakeOf(type, maps, selection);
  if (mistake) tell(mistake);
  return ANY;
}

function typeIn({ fields, others }: MapType, name: string): Type | undefined {
  return fields.get(name)?.type() ?? (typeof others === 'function' ? others() : undefined);
}

function tellIfMissing(maps: MapType[], { name, from, isAsked }: Selection, tell: Tell): void {
  if (isAsked) return;
  const promised = maps.flatMap(({ fields, isPromise }): Field[] => {
    const field = fields.get(name);
    return field ? [{ ...field, isOptional: field.isOptional && isPromise === true }] : [];
  });
  if (promised.length === 0 || promised.some(({ isOptional }) => !isOptional)) return;
  if (maps.some(({ fields, others }) => !fields.has(name) && typeof others === 'function')) return;
  tell({
    code: 'lint.optional_field',
    message: `\`${from}.${name}\` may be missing, and reading it then is an error`,
    fix: `Write \`${from}.?${name}.orValue(..)\`, or ask first: \`has(${from}.${name})\`.`,
  });
}

function mistakeOf(type: Type, maps: MapType[], { name, from, isAsked }: Selection): Mistake | undefined {
  if (maps.length === 0) {
    if (isAsked) return undefined;
    const message = `\`${from}\` is ${describeType(type)}, and has no \`${name}\``;
    return { code: 'lint.type_mismatch', message };
  }
  const names = maps.flatMap(({ fields }) => [...fields.keys()]);
  const isClosed = maps.every(({ others }) => others === 'none');
  const fix = didYouMean(name, names) ?? (names.length > 0 ? `There are: ${listNames(names)}.` : undefined);
  if (isClosed) {
    const message = `\`${from}\` never has \`${name}\``;
    return { code: isAsked ? 'lint.undeclared_field' : 'lint.unknown_field', message, fix };
  }
  if (isAsked && nearestNames(name, names).length === 0) return undefined;
  return { code: 'lint.undeclared_field', message: `The schema of \`${from}\` does not list \`${name}\``, fix };
}
