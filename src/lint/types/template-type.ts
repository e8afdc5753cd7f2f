import type { Json } from '../../contracts/json.js';
import { splitText } from '../../rules/expressions/split-text.js';
import { unlessRefused } from '../../text/attempt.js';
import { inferType, type View } from './infer.js';
import {
  type Alternative,
  type Field,
  listType,
  mapType,
  NULL,
  STRING,
  type Type,
  typeOfValue,
  unite,
} from './type.js';

/** The type of a value that contains `${{ }}`. Reports nothing: each expression is checked at its own site. */
export function templateType(template: Json, view: View): Type {
  const type = rawType(template, view);
  return type.some(({ kind }) => kind === 'optional') ? unite(asJson(type), NULL) : asJson(type);
}

function rawType(template: Json, view: View): Type {
  if (typeof template === 'string') return textType(template, view);
  if (template === null || typeof template !== 'object') return typeOfValue(template);
  if (Array.isArray(template)) {
    return listType(unite(...template.map((item) => templateType(item, view))));
  }
  const fields = Object.entries(template).map(([name, item]): [string, Field] => {
    const type = rawType(item, view);
    // A member whose value is an absent optional is left out.
    return [name, { type: () => asJson(type), isOptional: type.some(({ kind }) => kind === 'optional') }];
  });
  return mapType(Object.fromEntries(fields), 'none', true);
}

function textType(text: string, view: View): Type {
  const parts = cutSafely(text);
  const [only] = parts;
  if (parts.length > 1 || only === undefined) return STRING;
  return typeof only === 'string' ? typeOfValue(only) : inferType(only.source, view, () => {});
}

/** As {@link splitText}; empty for a text that planning refuses. */
export function cutSafely(text: string): ReturnType<typeof splitText> {
  return unlessRefused(
    () => splitText(text),
    () => [],
  );
}

const JSON_KINDS: Partial<Record<Alternative['kind'], Alternative>> = {
  timestamp: { kind: 'string' },
  duration: { kind: 'string' },
  uint: { kind: 'int' },
};

/** The type of a present value after its conversion to JSON. */
export function asJson(type: Type): Type {
  return unite(...type.map((one): Type => (one.kind === 'optional' ? asJson(one.of) : [JSON_KINDS[one.kind] ?? one])));
}
