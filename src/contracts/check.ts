/** What one check of `ability doctor` found. */
export interface CheckResult {
  /** Short and stable, such as `retention`. */
  name: string;
  status: 'ok' | 'warning' | 'failed';
  /** The finding. */
  message: string;
  /** What to do about it. */
  advice?: string;
}
