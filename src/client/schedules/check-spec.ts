import { usageError } from '../../contracts/problem.js';
import { SCHEDULE_ID, type ScheduleSpec } from '../../contracts/schedules.js';
import { isNamedZone } from '../../rules/expressions/zones/named-zones.js';
import { whyNotAhead } from '../../rules/schedules/approve-before.js';
import { type Cron, readCron } from '../../rules/schedules/cron.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';

/** @returns its times. @throws AbilityError `usage.invalid`. */
export function checkSpec(spec: ScheduleSpec): Cron {
  const { id, input, cron, timezone } = spec;
  refuseUnsafeKeys(input);
  if (!SCHEDULE_ID.test(id)) {
    const suggestion = 'Use 1 to 40 letters, digits, dots, dashes and underscores, the first a letter or digit.';
    throw usageError(`${JSON.stringify(id)} is no name for a schedule`, suggestion);
  }
  if (!isNamedZone(timezone)) {
    throw usageError(`There is no time zone ${JSON.stringify(timezone)}`, 'Write an IANA name, such as Europe/Berlin.');
  }
  const read = readCron(cron);
  const notAhead = whyNotAhead(spec);
  if (notAhead !== undefined) throw usageError(notAhead, 'See docs/schedules.md, Approved before.');
  if (typeof read !== 'string') return read;
  throw usageError(
    `The cron text ${JSON.stringify(cron)} is refused: ${read}`,
    'Write five fields, such as "0 3 * * *", or @daily.',
  );
}
