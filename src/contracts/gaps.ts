/** A request that no ability answers. Source: R-000-93. */
export interface Gap {
  /** Seconds since 1970. */
  ts: number;
  /** What was asked for, in one line; known secrets are masked. */
  request: string;
  /** `nothing_fits`: no ability does it; `not_here`: one does, and not in this environment. */
  kind: 'nothing_fits' | 'not_here';
  /** Where it was asked. */
  door: 'ask' | 'route' | 'search' | 'suggest' | 'run';
  environment: string;
  /** A folder of the project; null: no one said. */
  scope: string | null;
  /** Ids of abilities that came nearest. */
  nearest: string[];
}

/** What was asked for, and where. */
export type NewGap = Omit<Gap, 'ts'>;
