import type { StepFiles } from '../../contracts/files.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { StepProgress } from '../../contracts/task.js';

/** Value of one step for expressions. */
export type StepValue = { output: Json; status: string; error: Json; link?: string; files?: StepFiles };

/** Steps by id. */
export type Values = { [id: string]: StepValue };

/**
 * Value of `steps` in expressions.
 *
 * Each item of a `foreach` has values of its own for the steps inside it, so that parallel items do not see each other.
 * Source: docs/workflow-language.md#the-last-turn.
 */
export class StepValues {
  private readonly common: Values = {};
  /** By the prefix of an item's paths, such as `regions/0/`. */
  private readonly items = new Map<string, Values>();

  /** @param makers ids of the steps whose calls may produce files: expressions may read them at any time. */
  constructor(private readonly makers?: ReadonlySet<string>) {}

  /** Shows a step as its entry has it, to those who can see that path. */
  show(path: string, id: string, { status, output = null, error, files }: StepProgress): void {
    const value: StepValue = { status, output, error: (error ?? null) as Json };
    if (files || this.makers?.has(id)) value.files = files ?? {};
    this.seenFrom(path)[id] = value;
  }

  /** Shows where the open approval of a step is decided, until the step is shown again. */
  link(path: string, id: string, link: string): void {
    const value = this.seenFrom(path)[id];
    if (value) value.link = link;
  }

  /** Shows steps as an earlier run of the task saw them from a prefix. */
  recall(prefix: string, values: Values): void {
    Object.assign(this.seenFrom(prefix), values);
  }

  /**
   * Gives an item values of its own.
   *
   * @param like the prefix of the item whose values it begins with.
   * @param otherwise its initial values if an earlier run of the task completed that item.
   */
  enter(prefix: string, like: string | undefined, otherwise: Values = {}): void {
    this.items.set(prefix, { ...(like === undefined ? {} : (this.items.get(like) ?? otherwise)) });
  }

  /** Forgets the values of an item that is done. */
  leave(prefix: string): void {
    this.items.delete(prefix);
  }

  /** All that is seen from a prefix, inner items before outer ones. */
  at(prefix: string): Values {
    if (this.items.size === 0) return { ...this.common };
    return Object.assign({}, this.common, ...itemPrefixes(prefix).map((item) => this.items.get(item)));
  }

  private seenFrom(path: string): Values {
    if (this.items.size === 0) return this.common;
    for (const prefix of itemPrefixes(path).reverse()) {
      const values = this.items.get(prefix);
      if (values) return values;
    }
    return this.common;
  }
}

/** Every beginning of a path that ends in the number of a turn, from the outside in. */
function itemPrefixes(path: string): string[] {
  return [...path.matchAll(/\/\d+\//g)].map((match) => path.slice(0, match.index + match[0].length));
}

/** The steps as expressions see them that read links: each has one, null while no approval of it is open. */
export function withLinks(values: Values): { [id: string]: JsonObject } {
  return Object.fromEntries(Object.entries(values).map(([id, value]) => [id, { link: null, ...value }]));
}

/** Values of a step that it sees of itself. */
export interface OwnValue {
  id: string;
  value: StepValue;
}
