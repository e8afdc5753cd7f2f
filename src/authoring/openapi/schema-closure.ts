import { createHash } from 'node:crypto';
import type { JsonObject } from '../../contracts/json.js';
import { RESERVED_NAMES } from '../../contracts/names.js';
import { type Conversion, convertSchema } from './convert-schema.js';
import { NotExpressible, type Part } from './document-parts.js';
import { nameInReference, resolvePointer } from './follow-reference.js';
import { type Direction, HiddenNames } from './hidden-names.js';

/** A schema that references lead to, converted once for a whole document. */
interface Definition {
  name: string;
  schema: JsonObject;
  /** Characters as JSON. */
  size: number;
  references: ReadonlySet<string>;
  /** Those about the same value: following them does not come nearer to an end. */
  inPlace: ReadonlySet<string>;
}

/**
 * How much the `$defs` of one schema may have, as JSON. Where every schema leads to every other, each definition would hold
 * all of them; people read these files, and plans go through Temporal. Characters.
 */
const MAX_CHARACTERS: Readonly<Record<Direction, number>> = { request: 16 * 1024, response: 12 * 1024 };

/** Takes the place of a schema that would be too large. */
const LEFT_OPEN = 'Left open by the import: the whole would be too large.';

/** A schema with everything it refers to, by itself. */
export interface ClosedSchema {
  schema: JsonObject;
  $defs: JsonObject;
  /** Whether something was left open because of its size. */
  cut: boolean;
}

/** Converts the schemas of one document; each that is referred to only once for a direction. */
export class SchemaReader {
  private readonly known = new Map<string, Definition | NotExpressible>();
  /** The state of schemas that refer in place: one that was entered and has not ended leads back to itself. */
  private readonly state = new Map<string, 'entered' | 'ends'>();

  /** The names that do not travel in each direction. */
  readonly hidden: Readonly<Record<Direction, HiddenNames>>;
  /** References by what they are called in this reader: with what they must not ask for. */
  private readonly targets = new Map<string, { reference: string; without: readonly string[] }>();

  constructor(readonly document: Part) {
    this.hidden = {
      request: new HiddenNames(document, 'request'),
      response: new HiddenNames(document, 'response'),
    };
  }

  /** What a reference is called, which is its own text but where it must not ask for something. */
  private keyOf(reference: string, without: readonly string[]): string {
    const key = without.length === 0 ? reference : `${reference} without ${JSON.stringify(without)}`;
    this.targets.set(key, { reference, without });
    return key;
  }

  /**
   * Converts schemas that belong together, and collects their references transitively.
   *
   * References become `#/$defs/NAME`, so recursive schemas stay recursive. Source: docs/imports.md#an-openapi-document.
   *
   * @param build makes the whole with the function it is given.
   * @throws NotExpressible for a reference that leads nowhere, out of the document, or in a circle.
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
    // Breadth first: the schemas nearest to the root count most when there are too many.
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

  /** A schema that contains itself without a nested value can never be checked. Each is visited once. */
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

/** A name that is always the same for a reference, and that no other one has. */
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
