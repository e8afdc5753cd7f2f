import type { Notice, NoticeEvent, PlanNotify } from '../../contracts/notices.js';
import { KEY, TIME } from './task-ids.js';

const FIRING = new RegExp(`^(?:schedule:[a-z0-9_-]+:)?(?<schedule>${KEY})-(?<scheduled_for>${TIME})$`);
const DELIVERY = new RegExp(`^webhook:(?<webhook>${KEY}):${KEY}$`);

/** The schedule or the webhook that started a task, so that nobody waits for it; empty for any other task. */
export type Unattended = Pick<Notice, 'schedule' | 'scheduled_for' | 'webhook'>;

/** @param isRetry somebody retries it by hand. */
export function unattendedOf(id: string, isRetry = false): Unattended {
  return isRetry ? {} : { ...(FIRING.exec(id) ?? DELIVERY.exec(id))?.groups };
}

/** The event if such a task is refused; undefined if somebody waits for it. */
export function refusedEventOf({ schedule, webhook }: Unattended): NoticeEvent | undefined {
  if (schedule !== undefined) return 'schedule.refused';
  return webhook === undefined ? undefined : 'delivery.refused';
}

/** Who is notified of an event, as indexes. */
export function targetsOf(event: NoticeEvent, notify: readonly PlanNotify[] = []): number[] {
  return notify.flatMap(({ on }, index) => (on.includes(event) ? [index] : []));
}
