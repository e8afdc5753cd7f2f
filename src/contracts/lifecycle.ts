/** How far an ability or a module is to be relied on. Source: R-002-01, R-000-94. */
export const LIFECYCLES = ['experimental', 'stable', 'deprecated'] as const;

/** One of {@link LIFECYCLES}; where nothing is said, `stable`. */
export type Lifecycle = (typeof LIFECYCLES)[number];

/** How an ability or a module stands, as it is written or shown; nothing where nothing is said. */
export interface Standing {
  status?: Lifecycle | undefined;
  /** What to use instead of what is deprecated. */
  replaced_by?: string | undefined;
}

/** How something stands, in words: `deprecated, replaced by x`; undefined where it is stable, which needs no word. */
export function describeStanding({ status, replaced_by }: Standing): string | undefined {
  if (status === undefined || status === 'stable') return undefined;
  return replaced_by === undefined ? status : `${status}, replaced by ${replaced_by}`;
}
