/** The parts of an ability that its texts are kept by; each has a weight. */
export const FIELDS = [
  'id',
  'name',
  'module',
  'server',
  'summary',
  'uses',
  'parameters',
  'examples',
  'keywords',
] as const;

/** One of {@link FIELDS}. */
export type Field = (typeof FIELDS)[number];

/** What a ranker sees of an ability: texts, and nothing of what it may do. */
export interface AbilityText {
  id: string;
  texts: Partial<Record<Field, readonly string[]>>;
  /** Words and phrases of requests that it is not for; whole words. Source: C-40. */
  not: readonly string[];
}
