/** Result of one check of `ability doctor`. */
export interface CheckResult {
  /** Short and stable, such as `retention`. */
  name: string;
  status: 'ok' | 'warning' | 'failed';
  message: string;
  advice?: string;
}
