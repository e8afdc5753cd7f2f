import { didYouMean, nearestNames } from '../../text/nearest.js';
import {
  ANY,
  type Diagnostic,
  describeType,
  type Field,
  listNames,
  type MapType,
  type Report,
  type Type,
  unite,
} from './type.js';

export interface Selection {
  name: string;
  /** The source text of the map. */
  from: string;
  /** Whether the name may be missing: read with `?` or `has()`, or known to exist from a condition. */
  isChecked: boolean;
}

/** The type of a member; reports a member that cannot exist, or may be missing and is read unchecked. */
export function select(type: Type, selection: Selection, report: Report): Type {
  const optionals = type.flatMap((one) => (one.kind === 'optional' ? [one.of] : []));
  if (optionals.length > 0) {
    return [{ kind: 'optional', of: select(unite(...optionals), { ...selection, isChecked: true }, report) }];
  }
  if (type.some(({ kind }) => kind === 'any')) return ANY;
  const maps = type.filter((one) => one.kind === 'map');
  const found = maps.flatMap((map) => typeIn(map, selection.name) ?? []);
  if (found.length > 0) {
    reportMissing(maps, selection, report);
    return unite(found);
  }
  const diagnostic = diagnosticOf(type, maps, selection);
  if (diagnostic) report(diagnostic);
  return ANY;
}

function typeIn({ fields, others }: MapType, name: string): Type | undefined {
  return fields.get(name)?.type() ?? (typeof others === 'function' ? others() : undefined);
}

function reportMissing(maps: MapType[], { name, from, isChecked }: Selection, report: Report): void {
  if (isChecked) return;
  const promised = maps.flatMap(({ fields, isPromise }): Field[] => {
    const field = fields.get(name);
    return field ? [{ ...field, isOptional: field.isOptional && isPromise === true }] : [];
  });
  if (promised.length === 0 || promised.some(({ isOptional }) => !isOptional)) return;
  if (maps.some(({ fields, others }) => !fields.has(name) && typeof others === 'function')) return;
  report({
    code: 'lint.optional_field',
    message: `\`${from}.${name}\` may be missing, and reading it then is an error`,
    fix: `Use \`${from}.?${name}.orValue(..)\`, or check first: \`has(${from}.${name})\`.`,
  });
}

function diagnosticOf(type: Type, maps: MapType[], { name, from, isChecked }: Selection): Diagnostic | undefined {
  if (maps.length === 0) {
    if (isChecked) return undefined;
    const message = `\`${from}\` is ${describeType(type)}, and has no \`${name}\``;
    return { code: 'lint.type_mismatch', message };
  }
  const names = maps.flatMap(({ fields }) => [...fields.keys()]);
  const isClosed = maps.every(({ others }) => others === 'none');
  const fix = didYouMean(name, names) ?? (names.length > 0 ? `There are: ${listNames(names)}.` : undefined);
  if (isClosed) {
    const message = `\`${from}\` never has \`${name}\``;
    return { code: isChecked ? 'lint.undeclared_field' : 'lint.unknown_field', message, fix };
  }
  if (isChecked && nearestNames(name, names).length === 0) return undefined;
  return { code: 'lint.undeclared_field', message: `The schema of \`${from}\` does not list \`${name}\``, fix };
}
