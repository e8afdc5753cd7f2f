import { CallLog } from '../../../../../src/activities/call/call-log.js';
import type { JsonObject } from '../../../../../src/contracts/json.js';
import type { ApiImplementation } from '../../../../../src/contracts/plan.js';
import { loadRegistry } from '../../../../../src/definitions/load-registry.js';
import { type ApiRequest, buildRequest } from '../../../../../src/kinds/api/call/build-request.js';
import { resolvePlan } from '../../../../../src/planning/resolve/resolve-plan.js';
import { SecretSource } from '../../../../../src/planning/secrets/secret-source.js';
import { callFiles } from '../../../../fixtures/memory-files.js';
import { apiAbility } from '../../../../fixtures/servers/definitions.js';
import { temporaryProject } from '../../../temporary-project.js';

const CREDENTIALS = { key: 'env:KEY', user: 'env:USER_NAME', password: 'env:PASSWORD' };

/** The values of the credentials in these tests. */
export const SECRETS = { KEY: "k/e+y ='1'", USER_NAME: 'ada-the-user', PASSWORD: 'päss word' };

/** An `api` section as it is in the plan. */
export function plannedApi(api: JsonObject): ApiImplementation {
  const settings = { credentials: CREDENTIALS };
  const { root } = temporaryProject(apiAbility('op', 'http://x.test', api, { settings }));
  const implementation = resolvePlan(loadRegistry(root), 'op', 'dev').plan.operations.op?.implementation;
  if (implementation?.kind !== 'api') throw new Error('it was not planned');
  return implementation;
}

/** The request that an `api` section of a definition makes from an input, with the log that must mask secrets. */
export function requestOf(api: JsonObject, input: JsonObject = {}): ApiRequest & { log: CallLog } {
  return requestFrom(plannedApi(api), input);
}

/** The same for an `api` section that is already planned. */
export function requestFrom(planned: ApiImplementation, input: JsonObject): ApiRequest & { log: CallLog } {
  const log = new CallLog(undefined, 'run', 1);
  const { signal } = new AbortController();
  const request = buildRequest(planned, {
    input,
    taskKey: 't',
    ability: 'a.b',
    path: 'run',
    idempotencyKey: 't/run',
    begin: async () => {},
    environment: { name: 'dev', protected: false, vars: { region: 'eu' } },
    timeoutMs: 1000,
    outputBytes: 1000,
    inputSchema: {},
    outputSchema: null,
    signal,
    stop: signal,
    secrets: new SecretSource('/nowhere', 'dev', SECRETS),
    log,
    files: callFiles(),
    outputFiles: undefined,
  });
  return { ...request, log };
}

/** Path and query of a request, as sent. */
export function addressOf({ url }: ApiRequest): string {
  return `${url.pathname}${url.search}`;
}
