/** The two tables of a routing document, the preferred one first. Source: R-000-06. */
export const LEVELS = ['high-level', 'low-level'] as const;

/** One of {@link LEVELS}. */
export type Level = (typeof LEVELS)[number];

/** What the section of each level looks like, to the letter. Source: R-000-07, R-000-12. */
export const FORMS: Record<Level, { heading: string; columns: readonly string[] }> = {
  'high-level': {
    heading: '## High-level abilities',
    columns: ['Id', 'Type', 'Scope', 'When to use', 'Registry path'],
  },
  'low-level': {
    heading: '## Low-level abilities (atomic operations)',
    columns: ['Operation key', 'Kind', 'Scope', 'Summary', 'Registry path'],
  },
};

/** The columns of a row, the same in both tables. */
export const COLUMN = { id: 0, kind: 1, scope: 2, words: 3, path: 4 } as const;
