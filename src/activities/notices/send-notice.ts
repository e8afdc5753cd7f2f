import { ApplicationFailure, type Info } from '@temporalio/activity';
import { request } from 'undici';
import type { Json, JsonObject } from '../../contracts/json.js';
import type {
  Notice,
  NoticeFormat,
  PlanNotify,
  PlanWebhook,
  SendNotice,
  SlackMessage,
} from '../../contracts/notices.js';
import { AbilityError } from '../../contracts/problem.js';
import { resolveNotify } from '../../planning/resolve/resolve-plan.js';
import { knownSecrets } from '../../planning/secrets/credentials.js';
import { Masker } from '../../planning/secrets/masking/masker.js';
import type { SecretSource } from '../../planning/secrets/secret-source.js';
import { STANDARD_SECRET, standardKey, standardMac } from '../../planning/triggers/standard-webhooks.js';
import { portOf } from '../../rules/calls/allowed-hosts.js';
import { escapeSlack, oneLine, startOf } from '../../rules/shown-text.js';
import { describeRollback, describeUndo } from '../../rules/tasks/shown-approvals.js';
import { linksTo, type TaskLinks } from '../../rules/tasks/task-link.js';
import { refuseForbiddenUrl, watchedAgent } from '../connections/guarded-connections.js';
import type { ActivityDependencies } from '../dependencies.js';
import { activityOf } from '../failures.js';
import { environmentOf } from '../preflight/read-request.js';
import { secretsOf } from '../record/mask-record.js';
import type { SecretReader } from '../secrets/secret-reader.js';
import { askInSlack } from './slack-message.js';

/** Time limit of an attempt; that of the activity is a little longer. */
const ANSWER_MS = 10_000;
/** The longest pause that a receiver can ask for. */
const MAX_DELAY_MS = 3_600_000;

type NoticeDependencies = Pick<
  ActivityDependencies,
  | 'project'
  | 'plans'
  | 'secrets'
  | 'ui'
  | 'page'
  | 'isOwnRuntime'
  | 'lastDefinitions'
  | 'countMissed'
  | 'findSent'
  | 'recentApprovals'
>;

interface Sender {
  notify: PlanNotify[] | undefined;
  reader: SecretReader;
  /** Secrets that the notice might contain. */
  known: string[];
}

/**
 * Sends to a target of the sealed plan, or of the project; retried, except for a host that the policy forbids. @returns the
 * message of a Slack app that asks.
 */
export function createSendNotice(dependencies: NoticeDependencies) {
  const { plans, secrets, isOwnRuntime } = dependencies;
  return activityOf(
    async ({ notice, target, unplanned }: SendNotice, { info }): Promise<SlackMessage | undefined> => {
      const {
        notify = [],
        reader,
        known,
      } = unplanned
        ? await ofProject(notice, info, dependencies)
        : await plans.admitNotice(info).then((plan): Sender => {
            const reader = secrets(plan.environment.name);
            return { notify: plan.notify, reader, known: secretsOf(plan, reader) };
          });
      const wanted = notify[target];
      if (!wanted?.on.includes(notice.event)) throw untrue('Nobody is to be notified of this');
      const { task_key: task } = notice;
      const links = task === null ? NO_LINKS : linksTo(dependencies, info.workflowNamespace ?? 'default', task);
      const own = referencesOf(wanted).map((reference) => ({ reference }));
      const source = await reader.read(own, AbortSignal.timeout(ANSWER_MS));
      // A notice leaves the system, so known secrets of the task and the notices are masked.
      const masker = new Masker([...known, ...notify.flatMap(referencesOf).flatMap((one) => source.valuesOf(one))]);
      if (wanted.format === 'slack_app') {
        const mask = <T>(value: T): T => masker.maskDeep(value) as T;
        return askInSlack(wanted, source, { notice, target, links, mask }, dependencies);
      }
      const shown = { ...(masker.maskDeep(notice) as Notice), id: notice.id };
      const body = renderNotice(shown, wanted.format, { ...links, isOwnRuntime });
      await post(wanted, source, notice.id, body);
      return undefined;
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
  const reader = secrets(environment);
  return { notify: resolveNotify(registry.project, environment), reader, known: knownSecrets(registry, reader) };
}

function untrue(message: string): AbilityError {
  return new AbilityError({ code: 'seal.invalid', message });
}

/** @param id of the event. @throws AbilityError `unavailable.connection`, `denied.*`, `config.invalid`; that of the connection. */
export async function post(wanted: PlanWebhook, source: SecretSource, id: string, sent: NoticeBody): Promise<void> {
  const { type, body } = sent;
  const url = addressOf(source.resolve(wanted.webhook, 'address of a notice'), wanted.webhook);
  const allowed = wanted.allowed_hosts ?? [`${url.hostname}:${portOf(url)}`];
  refuseForbiddenUrl(url, allowed);
  const signature =
    wanted.secret === undefined
      ? {}
      : signNotice(source.resolve(wanted.secret, 'secret of a notice'), id, Date.now(), body);
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

function referencesOf(one: PlanNotify): string[] {
  return one.format === 'slack_app' ? [one.bot_token] : [one.webhook, one.secret ?? []].flat();
}

/** The failure of an attempt for the history, without the address and its secrets. */
export function noticeFailure(error: unknown): Error {
  if (error instanceof AbilityError) {
    const { code: type, message, details } = error;
    const { retry_at: at } = (details ?? {}) as { retry_at?: string };
    const delay = at === undefined ? 0 : Math.min(MAX_DELAY_MS, Date.parse(at) - Date.now());
    const nonRetryable = /^(denied|seal)\./.test(type);
    return ApplicationFailure.create({ type, message, nonRetryable, ...(delay > 0 && { nextRetryDelay: delay }) });
  }
  const { name, message, cause, code } = error as Error & { code?: string };
  if (cause instanceof AbilityError) return noticeFailure(cause);
  const said =
    name === 'TimeoutError'
      ? `The receiver did not answer within ${ANSWER_MS / 1000} s`
      : `The receiver was not reached: ${code ?? message}`;
  return ApplicationFailure.create({ type: 'unavailable.connection', message: said });
}

/**
 * The headers of a webhook by Standard Webhooks 1.0.0: id, time, and an HMAC over both and the body.
 * @param event its id, the same in each attempt; `~` replaces its full stops. @param at milliseconds since 1970,
 * of this attempt. @param secret `whsec_` and 24 to 64 bytes in base64; the prefix is optional.
 * @throws AbilityError `config.invalid`, without repeating the secret.
 */
export function signNotice(secret: string, event: string, at: number, body: string): Record<string, string> {
  const seconds = String(Math.floor(at / 1000));
  // Full stops separate the signed parts, so an id with one could be read as another message.
  const id = event.replaceAll('.', '~');
  const mac = standardMac(keyOf(secret), id, seconds, body);
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${mac}` };
}

function keyOf(secret: string): Buffer {
  const key = standardKey(secret);
  if (key) return key;
  throw new AbilityError({
    code: 'config.invalid',
    message: `The secret of a notice is no key of Standard Webhooks: ${STANDARD_SECRET}`,
    suggestion: 'Make one: echo "whsec_$(openssl rand -base64 32)".',
  });
}

interface NoticeBody {
  type: string;
  body: string;
}

/** Maximum characters of an input as JSON; a larger one is left out of the notice. */
const MAX_INPUT = 16_000;
const MAX_LINE = 500;

/** Where the task of a notice is seen. */
export interface NoticeLinks extends TaskLinks {
  /** Whether `ability open` opens a page with it. */
  isOwnRuntime: boolean;
}

const NO_LINKS: TaskLinks = { temporal: null, page: null };

/** Renders a notice in the receiver's format. */
export function renderNotice(notice: Notice, format: NoticeFormat, links: NoticeLinks): NoticeBody {
  const { id, event, at, project, task_key } = notice;
  const data = dataOf(notice, links);
  const json = 'application/json';
  if (format === 'slack') return { type: json, body: JSON.stringify({ text: slackText(notice, links) }) };
  if (format === 'json') return { type: json, body: JSON.stringify({ type: event, timestamp: at, id, data }) };
  const subject = task_key ?? notice.schedule;
  return cloudEvent(project, { id, type: `ability.${event}`, subject, time: at, data });
}

/** In the structured form of CloudEvents 1.0. */
export function cloudEvent(project: string, event: Record<string, unknown>): NoticeBody {
  const envelope = { specversion: '1.0', source: `/ability/${project}`, datacontenttype: 'application/json', ...event };
  return { type: 'application/cloudevents+json', body: JSON.stringify(envelope) };
}

function dataOf(notice: Notice, links: NoticeLinks): JsonObject {
  const { id: _, event: __, at: ___, approval, error, not_undone, ...facts } = notice;
  return {
    ...facts,
    ...(approval && { approval: approvalData(approval) }),
    ...(error && { error: { code: error.code, message: error.message, step: error.step ?? null } }),
    ...(not_undone && { not_undone }),
    links: { temporal: links.temporal, page: links.page, commands: commandsOf(notice, links) },
  };
}

function approvalData({ what, ...approval }: NonNullable<Notice['approval']>): JsonObject {
  const { id, path, title, status, reasons, approvers, quorum, requested_by, expires_at, due_at, decisions } = approval;
  const isLarge = JSON.stringify(what.undo ? [what.input, what.undo.input] : what.input).length > MAX_INPUT;
  const undo = what.undo && { undo: isLarge ? { ...what.undo, input: null } : what.undo };
  return {
    ...{ id, path, title, status, reasons, approvers, quorum, expires_at, ...(due_at !== undefined && { due_at }) },
    requested_by: { ...requested_by },
    what: { ...what, input: isLarge ? null : what.input, ...undo, ...(isLarge && { input_left_out: true }) },
    decisions: decisions.map(
      ({ decision, by, comment, at }): Json => ({
        decision,
        by: by === 'unnamed' ? by : { ...by },
        comment: comment ?? null,
        at,
      }),
    ),
  };
}

function commandsOf({ event, task_key, schedule, approval }: Notice, { page, isOwnRuntime }: NoticeLinks): string[] {
  if (task_key === null) return [`ability schedule show ${schedule}`];
  const open = isOwnRuntime && page === null ? [`ability open ${task_key}`] : [];
  if (event === 'approval.decided' || event === 'approval.cancelled' || !approval)
    return [`ability why ${task_key}`, ...open];
  const of = `${task_key} --approval ${approval.id}`;
  return [`ability approve ${of}`, `ability deny ${of}`, ...open];
}

function slackText(notice: Notice, links: NoticeLinks): string {
  const { event, task_key, ability, environment, approval, status, error } = notice;
  const { schedule, webhook, scheduled_for, late_seconds, missed } = notice;
  const why = error?.message ?? 'no reason is known';
  const head = {
    'approval.requested': `Approval requested: ${approval?.title}`,
    'approval.cancelled': `No longer needed: ${approval?.title}`,
    'approval.decided': `${approval?.status.replace('_', ' ')}: ${approval?.title}`,
    'approval.reminded': `Still waits for a decision: ${approval?.title}`,
    'approval.escalated': `No one has decided, so ${approval?.approvers.join(', ') || 'anyone'} may: ${approval?.title}`,
    'task.failed': `${ability} ${status?.replace('_', ' ')}: ${why}`,
    'schedule.refused': `The schedule ${schedule} was refused at ${scheduled_for}: ${why}`,
    'schedule.missed':
      status === 'late'
        ? `The schedule ${schedule} began ${late_seconds} s late, at ${scheduled_for}`
        : `The schedule ${schedule} has missed firings, the last at ${scheduled_for}; ${missed} since it was created`,
    'delivery.refused': `A delivery to the webhook ${webhook} was refused after it was accepted: ${why}`,
  }[event];
  const what = approval?.status === 'open' ? approval.what : undefined;
  const input = what ? [`input: ${JSON.stringify(what.input)}`] : [];
  const rollback = describeRollback(notice);
  const undone = rollback === undefined ? [] : [`undone: ${rollback}`];
  const undo = what?.undo ? [`undone, if the task fails, by: ${describeUndo(what.undo)}`] : [];
  const place = `${ability} in ${environment}${task_key === null ? '' : `, ${task_key}`}`;
  const lines = [head, place, ...input, ...undo, ...undone, ...commandsOf(notice, links)];
  const escaped = lines.map((line) => escapeSlack(startOf(oneLine(line), MAX_LINE)));
  const { page, temporal } = links;
  const link = page ? [`<${page}|On the page>`] : temporal ? [`<${temporal}|In the Temporal UI>`] : [];
  return [...escaped, ...link].join('\n');
}
