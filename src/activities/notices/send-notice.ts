import { ApplicationFailure, type Info } from '@temporalio/activity';
import { request } from 'undici';
import type { Notice, PlanNotify, SendNotice } from '../../contracts/notices.js';
import { AbilityError } from '../../contracts/problem.js';
import { resolveNotify } from '../../planning/resolve/resolve-plan.js';
import { knownSecrets } from '../../planning/secrets/credentials.js';
import { Masker } from '../../planning/secrets/masking/masker.js';
import type { SecretSource } from '../../planning/secrets/secret-source.js';
import { portOf } from '../../rules/calls/allowed-hosts.js';
import { taskLink } from '../../rules/tasks/task-link.js';
import { activityOf } from '../activity.js';
import { refuseForbiddenUrl, watchedAgent } from '../api/guarded-connections.js';
import type { ActivityDependencies } from '../dependencies.js';
import { environmentOf } from '../preflight/read-request.js';
import { secretsOf } from '../record/mask-record.js';
import { renderNotice } from './render-notice.js';
import { signNotice } from './sign-notice.js';

/** Time limit of an attempt; that of the activity is a little longer. */
const ANSWER_MS = 10_000;

type NoticeDependencies = Pick<
  ActivityDependencies,
  'project' | 'plans' | 'secrets' | 'ui' | 'lastDefinitions' | 'countMissed'
>;

interface Sender {
  notify: PlanNotify[] | undefined;
  source: SecretSource;
  /** Secrets that the notice might contain. */
  known: string[];
}

/** Sends to a target of the sealed plan, or of the project; retried, except for a host that the policy forbids. */
export function createSendNotice(dependencies: NoticeDependencies) {
  const { plans, secrets, ui } = dependencies;
  return activityOf(
    async ({ notice, target, unplanned }: SendNotice, { info }): Promise<void> => {
      const {
        notify = [],
        source,
        known,
      } = unplanned
        ? await ofProject(notice, info, dependencies)
        : await plans.admitNotice(info).then((plan): Sender => {
            const source = secrets(plan.environment.name);
            return { notify: plan.notify, source, known: secretsOf(plan, source) };
          });
      const wanted = notify[target];
      if (!wanted?.on.includes(notice.event)) throw untrue('Nobody is to be notified of this');
      const { task_key: task } = notice;
      const link = ui === null || task === null ? null : taskLink(ui, info.workflowNamespace ?? 'default', task);
      await post(wanted, source, masked(notice, notify, source, known), link);
    },
    { toError: noticeFailure },
  );
}

/** For a task that was never formed, and a firing that was missed. @throws AbilityError `seal.invalid` if untrue. */
async function ofProject(notice: Notice, info: Info, dependencies: NoticeDependencies): Promise<Sender> {
  const { project, plans, secrets, lastDefinitions, countMissed } = dependencies;
  const { task_key, schedule, missed, environment } = notice;
  const registry = lastDefinitions();
  if (!registry || environmentOf(info.taskQueue, registry, project) !== environment) {
    throw untrue(`This is not the queue of ${environment}`);
  }
  await plans.refuseForeignNotice(info, notice);
  if (task_key === null && (schedule === undefined || !missed || (await countMissed(schedule)) < missed)) {
    throw untrue(`The schedule ${schedule} has not missed ${missed} firings`);
  }
  const source = secrets(environment);
  return { notify: resolveNotify(registry.project, environment), source, known: knownSecrets(registry, source) };
}

function untrue(message: string): AbilityError {
  return new AbilityError({ code: 'seal.invalid', message });
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

/** A notice leaves the system, so known secrets of the task and the notices are masked. */
function masked(notice: Notice, notify: readonly PlanNotify[], source: SecretSource, known: string[]): Notice {
  const references = notify.flatMap(({ webhook, secret }) => [webhook, secret ?? []].flat());
  const own = references.flatMap((reference) => (source.has(reference) ? [source.resolve(reference, 'secret')] : []));
  const { id, ...rest } = notice;
  return { id, ...(new Masker([...known, ...own]).maskDeep(rest) as Omit<Notice, 'id'>) };
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
