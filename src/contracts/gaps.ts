/** A request that no ability answers. Source: R-000-93. */
export interface Gap {
  /** Seconds since 1970. */
  ts: number;
  /** The request, in one line; known secrets are masked. */
  request: string;
  /** `nothing_fits`: no ability does it; `not_here`: one does, but not in this environment. */
  kind: 'nothing_fits' | 'not_here';
  door: 'ask' | 'route' | 'search' | 'suggest' | 'run';
  environment: string;
  /** A folder of the project; null: not specified. */
  scope: string | null;
  /** Ids of the abilities that fit best. */
  nearest: string[];
}

/** A request and its origin. */
export type NewGap = Omit<Gap, 'ts'>;
