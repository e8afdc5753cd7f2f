import type { JsonObject } from '../../contracts/json.js';
import type { Notice, PlanSlack, SlackMessage } from '../../contracts/notices.js';
import { AbilityError } from '../../contracts/problem.js';
import type { SecretSource } from '../../planning/secrets/secret-source.js';
import { type LastApproved, lastApprovedAmong } from '../../rules/tasks/last-approved.js';
import type { TaskLinks } from '../../rules/tasks/task-link.js';
import type { ActivityDependencies } from '../dependencies.js';
import { callSlack } from './slack-api.js';
import { slackMessage } from './slack-message.js';

/** A notice for a channel in Slack. */
interface SlackNotice {
  notice: Notice;
  /** Its index, by which the message of the earlier notice is found. */
  target: number;
  links: TaskLinks;
  mask<T>(value: T): T;
}

/**
 * Asks in a message, and changes the one that asked once that is over, or what is asked was changed. At least once: if Slack's
 * answer is lost, it asks twice. @returns the message that asks. @throws AbilityError as {@link callSlack}.
 */
export async function askInSlack(
  slack: PlanSlack,
  source: SecretSource,
  { notice, target, links, mask }: SlackNotice,
  { findSent, recentApprovals }: Pick<ActivityDependencies, 'findSent' | 'recentApprovals'>,
): Promise<SlackMessage | undefined> {
  const { id, event, approval, task_key } = notice;
  if (!approval) throw new AbilityError({ code: 'seal.invalid', message: 'The notice is not of an approval' });
  const isAsked = event === 'approval.requested';
  const write = (last?: LastApproved | null): JsonObject => ({
    ...slackMessage(mask(notice), mask(approval), links, mask(last)),
  });
  // A change of what is asked gives it another id, and so another message.
  const before = (approval.edited ?? []).map(({ from }) => from.id);
  const turn = id.slice(id.lastIndexOf(event) + event.length);
  for (const asked of isAsked ? before : [...before, approval.id]) {
    const sent = await findSent(`${task_key}:${asked}:approval.requested${turn}`);
    const message = sent?.[target];
    if (sent && message === undefined) {
      const message = 'The message that asks is still being sent, so it cannot be changed yet';
      throw new AbilityError({ code: 'unavailable.connection', message });
    }
    if (!message) continue;
    await callSlack(slack, source, 'chat.update', { channel: message.channel, ts: message.ts, ...write() });
  }
  if (!isAsked) return undefined;
  // A message that compares with nothing is better than none.
  const last = await recentApprovals(notice).then(
    (seen) => lastApprovedAmong(seen, approval),
    () => undefined,
  );
  const body = { channel: slack.channel, ...write(last), unfurl_links: false };
  const { channel, ts } = await callSlack(slack, source, 'chat.postMessage', body);
  return { channel: String(channel), ts: String(ts) };
}
