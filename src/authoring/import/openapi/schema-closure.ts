import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../contracts/json.js';
import { RESERVED_NAMES } from '../../../contracts/names.js';
import { type Conversion, convertSchema } from './convert-schema.js';
import { NotExpressible, nameInReference, type Part, resolvePointer } from './follow-reference.js';
import { type Direction, HiddenNames } from './hidden-names.js';

interface Definition {
  name: string;
  schema: JsonObject;
  /** Characters as JSON. */
  size: number;
  references: ReadonlySet<string>;
  /** References for the same value: following them does not descend into it. */
  inPlace: ReadonlySet<string>;
}

/** Maximum characters of a schema's `$defs` as JSON: people read these files, and plans go through Temporal. */
const MAX_CHARACTERS: Readonly<Record<Direction, number>> = { request: 16 * 1024, response: 12 * 1024 };

const LEFT_OPEN = 'Left open by the import: the whole would be too large.';

export interface ClosedSchema {
  schema: JsonObject;
  $defs: JsonObject;
  /** Whether a schema was left open because of its size. */
  cut: boolean;
}

/** Converts the schemas of one document; each referenced one only once per direction. */
export class SchemaReader {
  private readonly known = new Map<string, Definition | NotExpressible>();
  /** For the search for circles: `entered` while on the current path, `ends` when known to end. */
  private readonly state = new Map<string, 'entered' | 'ends'>();

  readonly hidden: Readonly<Record<Direction, HiddenNames>>;
  /** References by key, with the names that they must not require. */
  private readonly targets = new Map<string, { reference: string; without: readonly string[] }>();

  constructor(readonly document: Part) {
    this.hidden = {
      request: new HiddenNames(document, 'request'),
      response: new HiddenNames(document, 'response'),
    };
  }

  /** Key of a reference: its text, extended by the names that it must not require. */
  private keyOf(reference: string, without: readonly string[]): string {
    const key = without.length === 0 ? reference : `${reference} without ${JSON.stringify(without)}`;
    this.targets.set(key, { reference, without });
    return key;
  }

  /**
   * Converts schemas that belong together, and all they refer to as `#/$defs/NAME`; recursive ones stay recursive.
   * @param build makes the whole with the given converter. Source: docs/imports.md#an-openapi-document.
   * @throws NotExpressible for a reference that points nowhere, outside the document, or in a circle.
   */
  close(direction: Direction, build: (convert: (schema: unknown) => JsonObject) => JsonObject): ClosedSchema {
    const references = new Set<string>();
    const refer: Conversion['refer'] = (reference, _, without) => {
      references.add(this.keyOf(reference, without));
      return nameOf(reference, without);
    };
    const conversion: Conversion = { document: this.document, hidden: this.hidden[direction], refer };
    const schema = build((part) => convertSchema(part, conversion));
    const $defs: JsonObject = {};
    let [total, cut] = [0, false];
    // Breadth first: schemas nearest to the root take precedence when there are too many.
    for (const reference of references) {
      const definition = this.definitionOf(reference, direction);
      if (Object.hasOwn($defs, definition.name)) continue;
      if (total + definition.size > MAX_CHARACTERS[direction]) {
        $defs[definition.name] = { description: LEFT_OPEN };
        cut = true;
        continue;
      }
      total += definition.size;
      $defs[definition.name] = definition.schema;
      this.refuseEndless(reference, direction);
      for (const further of definition.references) references.add(further);
    }
    return { schema, $defs, cut };
  }

  private definitionOf(target: string, direction: Direction): Definition {
    const key = `${direction} ${target}`;
    const known = this.known.get(key) ?? this.convert(target, direction);
    this.known.set(key, known);
    if (known instanceof NotExpressible) throw known;
    return known;
  }

  private convert(key: string, direction: Direction): Definition | NotExpressible {
    const { reference, without } = this.targets.get(key) ?? { reference: key, without: [] };
    const references = new Set<string>();
    const inPlace = new Set<string>();
    const refer: Conversion['refer'] = (found, same, less) => {
      const further = this.keyOf(found, less);
      references.add(further);
      if (same) inPlace.add(further);
      return nameOf(found, less);
    };
    try {
      const target = resolvePointer(this.document, reference);
      const conversion: Conversion = { document: this.document, hidden: this.hidden[direction], refer };
      const schema = convertSchema(target, conversion, new Set(without));
      return { name: nameOf(reference, without), schema, size: JSON.stringify(schema).length, references, inPlace };
    } catch (error) {
      if (error instanceof NotExpressible) return error;
      throw error;
    }
  }

  /** Refuses a schema that contains itself at the same level, which can never be checked. */
  private refuseEndless(start: string, direction: Direction): void {
    const open = [start];
    for (let next = open.at(-1); next !== undefined; next = open.at(-1)) {
      const key = `${direction} ${next}`;
      const further = this.definitionOf(next, direction).inPlace;
      if (this.state.get(key) === 'entered' || this.state.get(key) === 'ends') {
        this.state.set(key, 'ends');
        open.pop();
        continue;
      }
      this.state.set(key, 'entered');
      for (const other of further) {
        const state = this.state.get(`${direction} ${other}`);
        const { reference, without } = this.targets.get(other) ?? { reference: other, without: [] };
        if (state === 'entered')
          throw new NotExpressible(`its schema ${nameOf(reference, without)} is made of itself, without end`);
        if (state !== 'ends') open.push(other);
      }
    }
  }
}

/** A name that is unique and always the same for a reference. */
function nameOf(reference: string, without: readonly string[]): string {
  if (without.length > 0) return `${nameOf(reference, [])}_${hashOf(JSON.stringify(without))}`;
  const last = nameInReference(reference);
  const name = last.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, 80);
  const plain = /^#\/components\/schemas\/[^/%~]+$/.test(reference) && name === last;
  if (plain && !RESERVED_NAMES.has(name)) return name;
  return `${name}_${hashOf(reference)}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
