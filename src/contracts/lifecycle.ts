/** How reliable an ability or a module is. Source: R-002-01, R-000-94. */
export const LIFECYCLES = ['experimental', 'stable', 'deprecated'] as const;

/** One of {@link LIFECYCLES}; default `stable`. */
export type Lifecycle = (typeof LIFECYCLES)[number];

/** Lifecycle of an ability or a module, as written or shown; empty where unspecified. */
export interface LifecycleFields {
  status?: Lifecycle | undefined;
  replaced_by?: string | undefined;
}

/** Describes a lifecycle: `deprecated, replaced by x`; undefined for `stable`. */
export function describeLifecycle({ status, replaced_by }: LifecycleFields): string | undefined {
  if (status === undefined || status === 'stable') return undefined;
  return replaced_by === undefined ? status : `${status}, replaced by ${replaced_by}`;
}
