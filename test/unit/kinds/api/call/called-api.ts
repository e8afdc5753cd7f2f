import type { CallInput } from '../../../../../src/activities/call/call-input.js';
import { CallLog } from '../../../../../src/activities/call/call-log.js';
import type { JsonObject } from '../../../../../src/contracts/json.js';
import { callApi } from '../../../../../src/kinds/api/call/call-api.js';
import { RateLimiter } from '../../../../../src/kinds/api/call/rate-limit.js';
import { SecretSource } from '../../../../../src/planning/secrets/secret-source.js';
import { callFiles } from '../../../../fixtures/memory-files.js';
import type { RecordingService } from '../../../../fixtures/servers/recording-service.js';
import { plannedApi, SECRETS } from './planned-request.js';

/**
 * Calls a service through an `api` section. @param more other parts of the call, such as its limits.
 * @param allowed_hosts hosts of the policy.
 */
export function callService(
  service: Pick<RecordingService, 'port' | 'origin'>,
  api: JsonObject,
  more: Partial<CallInput> = {},
  allowed_hosts = [`127.0.0.1:${service.port}`],
) {
  const planned = plannedApi({ method: 'GET', ...api });
  const implementation = { ...planned, api: { ...planned.api, base_url: service.origin, allowed_hosts } };
  const { signal } = new AbortController();
  const call: CallInput = {
    input: {},
    taskKey: 't-1',
    ability: 'a.b',
    path: 'a',
    idempotencyKey: 't-1/a',
    environment: { name: 'dev', protected: false, vars: {} },
    timeoutMs: 20_000,
    outputBytes: 1_000_000,
    inputSchema: {},
    outputSchema: null,
    signal,
    stop: signal,
    secrets: new SecretSource('/nowhere', 'dev', SECRETS),
    begin: async () => {},
    log: new CallLog(undefined, '', 1),
    files: callFiles(),
    outputFiles: undefined,
    ...more,
  };
  return callApi(implementation, call, { limiter: new RateLimiter() });
}
