import { ApplicationFailure } from '@temporalio/activity';
import { request } from 'undici';
import type { Notice, PlanNotify, SendNotice } from '../../contracts/notices.js';
import type { Plan } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { Masker } from '../../planning/secrets/masking/masker.js';
import type { SecretSource } from '../../planning/secrets/secret-source.js';
import { portOf } from '../../rules/calls/allowed-hosts.js';
import { taskLink } from '../../rules/tasks/task-link.js';
import { activityOf } from '../activity.js';
import { refuseForbiddenUrl, watchedAgent } from '../api/guarded-connections.js';
import type { ActivityDependencies } from '../dependencies.js';
import { secretsOf } from '../record/mask-record.js';
import { renderNotice } from './render-notice.js';
import { signNotice } from './sign-notice.js';

/** Time limit of an attempt; that of the activity is a little longer. */
const ANSWER_MS = 10_000;

/** Sends to a target of the sealed plan; retried, except for a host that the policy forbids. */
export function createSendNotice({ plans, secrets, ui }: Pick<ActivityDependencies, 'plans' | 'secrets' | 'ui'>) {
  return activityOf(
    async ({ notice, target }: SendNotice, { info }): Promise<void> => {
      const plan = await plans.admitNotice(info);
      const wanted = plan.notify?.[target];
      if (!wanted) throw new AbilityError({ code: 'seal.invalid', message: 'The plan has no such notice' });
      const source = secrets(plan.environment.name);
      const link = ui === null ? null : taskLink(ui, info.workflowNamespace ?? 'default', notice.task_key);
      await post(wanted, source, masked(notice, plan, source), link);
    },
    { toError: noticeFailure },
  );
}

async function post(wanted: PlanNotify, source: SecretSource, notice: Notice, link: string | null): Promise<void> {
  const url = addressOf(source.resolve(wanted.webhook, 'address of a notice'), wanted.webhook);
  const allowed = wanted.allowed_hosts ?? [`${url.hostname}:${portOf(url)}`];
  refuseForbiddenUrl(url, allowed);
  const { type, body } = renderNotice(notice, wanted.format, link);
  const signature =
    wanted.secret === undefined
      ? {}
      : signNotice(source.resolve(wanted.secret, 'secret of a notice'), notice.id, Date.now(), body);
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': type, ...signature },
    body,
    dispatcher: watchedAgent(allowed, () => {}),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  await answer.body.dump();
  // Redirects are not followed: they could lead to a forbidden host.
  if (answer.statusCode < 300) return;
  const message = `The receiver of ${wanted.webhook} answered ${answer.statusCode}`;
  throw new AbilityError({ code: 'unavailable.connection', message });
}

function addressOf(text: string, reference: string): URL {
  if (URL.canParse(text) && /^https?:/.test(text)) return new URL(text);
  throw new AbilityError({ code: 'config.invalid', message: `${reference} does not contain an http address` });
}

/** A notice leaves the system, so known secrets of the task and the notice are masked. */
function masked(notice: Notice, plan: Plan, source: SecretSource): Notice {
  const own = (plan.notify ?? []).flatMap(({ webhook, secret }) => [webhook, secret ?? []].flat());
  const known = own.flatMap((reference) => (source.has(reference) ? [source.resolve(reference, 'secret')] : []));
  const { id, ...rest } = notice;
  return { id, ...(new Masker([...secretsOf(plan, source), ...known]).maskDeep(rest) as Omit<Notice, 'id'>) };
}

/** The failure of an attempt for the history, without the address and its secrets. */
export function noticeFailure(error: unknown): Error {
  if (error instanceof AbilityError) {
    const { code: type, message } = error;
    return ApplicationFailure.create({ type, message, nonRetryable: /^(denied|seal)\./.test(type) });
  }
  const { name, message, cause, code } = error as Error & { code?: string };
  if (cause instanceof AbilityError) return noticeFailure(cause);
  const said =
    name === 'TimeoutError'
      ? `The receiver did not answer within ${ANSWER_MS / 1000} s`
      : `The receiver was not reached: ${code ?? message}`;
  return ApplicationFailure.create({ type: 'unavailable.connection', message: said });
}
