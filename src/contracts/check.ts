/** What one check of `ability doctor` found. */
export interface CheckResult {
  /** Short and stable, such as `retention`. */
  name: string;
  status: 'ok' | 'warning' | 'failed';
  /** What was seen. */
  message: string;
  /** What to do about it. */
  advice?: string;
}
