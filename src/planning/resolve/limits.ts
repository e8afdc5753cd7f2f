import type { PlanLimits } from '../../contracts/plan.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Project } from '../../definitions/formats/project.js';
import { parseDuration } from '../../rules/duration.js';

/** Default limits. Source: docs/operations.md#limits; docs/architecture.md#the-way-of-a-task. */
const DEFAULTS = { task: '15m', cleanup: '5m', expires: '7d' } as const;
const OUTPUT_BYTES = 8 * 1024 * 1024;

/** Limits a time-out to the policy's maximum. In milliseconds. */
export function capped(ms: number, project: Project): number {
  const { max_timeout: max } = project.policy;
  return max === undefined ? ms : Math.min(ms, parseDuration(max));
}

/** @param timeout the ability's own time-out. @param own its other limits. */
export function limitsOf(project: Project, timeout: string | undefined, own: HighLevel['limits'] = {}): PlanLimits {
  const { max_timeout: max } = project.policy;
  const { cleanup, max_calls } = own;
  return {
    max_ms: max === undefined ? null : parseDuration(max),
    task_ms: capped(parseDuration(timeout ?? DEFAULTS.task), project),
    cleanup_ms: parseDuration(cleanup ?? DEFAULTS.cleanup),
    ...(cleanup !== undefined && { cleanup_stated: true }),
    expires_ms: parseDuration(DEFAULTS.expires),
    output_bytes: OUTPUT_BYTES,
    ...(max_calls !== undefined && { max_calls }),
  };
}
