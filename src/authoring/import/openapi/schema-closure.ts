import type { JsonObject } from '../../../contracts/json.js';
import { RESERVED_NAMES } from '../../../contracts/names.js';
import { type Conversion, convertSchema } from './convert-schema.js';
import { markOf, NotExpressible, nameInReference, type Part, resolvePointer } from './follow-reference.js';
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

  /** @param found receives the key of each reference: its text, extended by the names that it must not require. */
  private conversion(direction: Direction, found: (key: string, inPlace: boolean) => void): Conversion {
    const refer: Conversion['refer'] = (reference, inPlace, without) => {
      const key = without.length === 0 ? reference : `${reference} without ${JSON.stringify(without)}`;
      this.targets.set(key, { reference, without });
      found(key, inPlace);
      return nameOf(reference, without);
    };
    return { document: this.document, hidden: this.hidden[direction], refer };
  }

  /**
   * Converts schemas that belong together, and all they refer to as `#/$defs/NAME`; recursive ones stay recursive.
   * @param build makes the whole with the given converter. Source: docs/imports.md#an-openapi-document.
   * @throws NotExpressible for a reference that points nowhere, outside the document, or in a circle.
   */
  close(direction: Direction, build: (convert: (schema: unknown) => JsonObject) => JsonObject): ClosedSchema {
    const references = new Set<string>();
    const conversion = this.conversion(direction, (key) => references.add(key));
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
    const conversion = this.conversion(direction, (further, isInPlace) => {
      references.add(further);
      if (isInPlace) inPlace.add(further);
    });
    try {
      const target = resolvePointer(this.document, reference);
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
        if (state === 'entered') {
          const { name } = this.definitionOf(other, direction);
          throw new NotExpressible(`its schema ${name} is made of itself, without end`);
        }
        if (state !== 'ends') open.push(other);
      }
    }
  }
}

/** A name that is unique and always the same for a reference. */
function nameOf(reference: string, without: readonly string[]): string {
  if (without.length > 0) return `${nameOf(reference, [])}_${markOf(JSON.stringify(without))}`;
  const last = nameInReference(reference);
  const name = last.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, 80);
  const plain = /^#\/components\/schemas\/[^/%~]+$/.test(reference) && name === last;
  if (plain && !RESERVED_NAMES.has(name)) return name;
  return `${name}_${markOf(reference)}`;
}
