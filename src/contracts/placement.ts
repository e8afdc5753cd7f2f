/** Where an ability runs: on a machine of the team, or anywhere. Source: requirements R-001-10. */
export const PLACEMENTS = ['local', 'cloud'] as const;

/** One of {@link PLACEMENTS}. */
export type Placement = (typeof PLACEMENTS)[number];
