import type { StepFiles } from '../../contracts/files.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { StepProgress } from '../../contracts/task.js';

export type StepValue = { output: Json; status: string; error: Json; link?: string; files?: StepFiles };

export type Values = { [id: string]: StepValue };

/** `steps` in expressions; each `foreach` item has its own. Source: docs/workflow-language.md#the-last-turn. */
export class StepValues {
  private readonly common: Values = {};
  /** By the prefix of an item's paths, such as `regions/0/`. */
  private readonly items = new Map<string, Values>();

  /** @param makers ids of steps that may produce files; expressions may always read their files. */
  constructor(private readonly makers?: ReadonlySet<string>) {}

  /** Makes a step visible to expressions that can see its path. */
  show(path: string, id: string, { status, output = null, error, files }: StepProgress): void {
    const value: StepValue = { status, output, error: (error ?? null) as Json };
    if (files || this.makers?.has(id)) value.files = files ?? {};
    this.seenFrom(path)[id] = value;
  }

  /** Shows where to decide the open approval of a step, until the next `show`. */
  link(path: string, id: string, link: string): void {
    const value = this.seenFrom(path)[id];
    if (value) value.link = link;
  }

  /** Restores values that an earlier run saw from a prefix. */
  recall(prefix: string, values: Values): void {
    Object.assign(this.seenFrom(prefix), values);
  }

  /** @param like prefix of the item to copy. @param otherwise values if an earlier run completed that item. */
  enter(prefix: string, like: string | undefined, otherwise: Values = {}): void {
    this.items.set(prefix, { ...(like === undefined ? {} : (this.items.get(like) ?? otherwise)) });
  }

  leave(prefix: string): void {
    this.items.delete(prefix);
  }

  /** All values visible from a prefix; inner items take precedence. */
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

/** The beginnings of a path that end with a turn number, from the outside in. */
function itemPrefixes(path: string): string[] {
  return [...path.matchAll(/\/\d+\//g)].map((match) => path.slice(0, match.index + match[0].length));
}

/** For expressions that read links: each step has one, null without an open approval. */
export function withLinks(values: Values): { [id: string]: JsonObject } {
  return Object.fromEntries(Object.entries(values).map(([id, value]) => [id, { link: null, ...value }]));
}

/** A step's values as the step itself sees them. */
export interface OwnValue {
  id: string;
  value: StepValue;
}
