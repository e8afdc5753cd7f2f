import { request } from 'undici';
import type { JsonObject } from '../../contracts/json.js';
import type { PlanSlack } from '../../contracts/notices.js';
import { AbilityError } from '../../contracts/problem.js';
import type { SecretSource } from '../../planning/secrets/secret-source.js';
import { portOf } from '../../rules/calls/allowed-hosts.js';
import { retryAtOf } from '../../rules/calls/retry-after.js';
import { oneLine, startOf } from '../../rules/shown-text.js';
import { attempt } from '../../text/attempt.js';
import { refuseForbiddenUrl, watchedAgent } from '../connections/guarded-connections.js';

/** Time limit of a request. */
const ANSWER_MS = 10_000;

/**
 * Calls a method of Slack's Web API. @returns its answer. @throws AbilityError `unavailable.connection`, where Slack is asked
 * too often with `retry_at` in its details; `config.missing_credential`; CallFailure `denied.host`. Source:
 * https://docs.slack.dev/apis/web-api.
 */
export async function callSlack(
  { api, bot_token, allowed_hosts }: Pick<PlanSlack, 'api' | 'bot_token' | 'allowed_hosts'>,
  source: SecretSource,
  method: string,
  body: JsonObject,
): Promise<JsonObject> {
  const url = new URL(`${api}/${method}`);
  const allowed = allowed_hosts ?? [`${url.hostname}:${portOf(url)}`];
  refuseForbiddenUrl(url, allowed);
  const {
    statusCode,
    headers,
    body: answer,
  } = await request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      authorization: `Bearer ${source.resolve(bot_token, 'token of the bot in Slack')}`,
    },
    body: JSON.stringify(body),
    dispatcher: watchedAgent(allowed, () => {}),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const text = await answer.text();
  const { ok, error, ...rest } = attempt(() => JSON.parse(text) as JsonObject, {} as JsonObject);
  if (statusCode === 200 && ok === true) return rest;
  const why = typeof error === 'string' ? `: ${startOf(oneLine(error), 100)}` : '';
  throw new AbilityError({
    code: 'unavailable.connection',
    message: `Slack answered ${statusCode} to ${method}${why}`,
    ...(statusCode === 429 && { details: retryAtOf(headers, Date.now()) }),
    ...(why && { suggestion: `https://docs.slack.dev/reference/methods/${method} says what this error means.` }),
  });
}
