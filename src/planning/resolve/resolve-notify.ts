import type { PlanNotify } from '../../contracts/notices.js';
import type { Project } from '../../definitions/formats/project.js';

/** Where notices of a task in an environment go; undefined where to none, so that the task does nothing for them. */
export function resolveNotify({ notify, policy }: Project, environment: string): PlanNotify[] | undefined {
  const wanted = notify.filter(({ environments }) => environments?.includes(environment) ?? true);
  if (wanted.length === 0) return undefined;
  const { allowed_hosts } = policy;
  return wanted.map(({ on, webhook, secret, format }) => ({
    on: [...new Set(on)],
    webhook,
    ...(secret !== undefined && { secret }),
    format,
    ...(allowed_hosts && { allowed_hosts }),
  }));
}
