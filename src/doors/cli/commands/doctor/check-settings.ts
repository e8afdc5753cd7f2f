import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { CheckResult } from '../../../../contracts/check.js';
import { AbilityError } from '../../../../contracts/problem.js';
import type { ScheduleSpec } from '../../../../contracts/schedules.js';
import type { Registry } from '../../../../definitions/registry.js';
import { isExecutable } from '../../../../disk/paths.js';
import { resolvePlan } from '../../../../planning/resolve/resolve-plan.js';
import { missingCredentials } from '../../../../planning/secrets/credentials.js';
import { EnvironmentVariables, SecretSource } from '../../../../planning/secrets/secret-source.js';
import { problemsOf } from '../../../../planning/steps/check-names.js';
import { isAddressAllowed, isHostAllowed } from '../../../../rules/calls/allowed-hosts.js';
import { findOnPath } from '../../../../server/binary/find-program.js';
import { checkKeys } from '../../../../server/checks/check-machine.js';
import { type KeyVariable, PAYLOAD_KEYS, readKeys, SEAL_KEYS } from '../../../../server/keys/key-list.js';
import type { ProjectPaths } from '../../../../server/project-paths.js';
import { unlessRefused } from '../../../../text/attempt.js';

/**
 * Whether notices, and the lines of an audit log, can be sent, as far as this machine knows: workers may have another
 * environment. Sends nothing and looks up no name. What is not sent fails no task, so no task reports it.
 */
export function checkNotices(registry: Registry, env: NodeJS.ProcessEnv): CheckResult[] {
  const { project, root } = registry;
  const { slack, policy, audit, default_environment: usual } = project;
  const every = Object.keys(project.environments);
  const absent: string[] = [];
  for (const name of (slack && (slack.environments ?? every)) ?? []) {
    const source = new SecretSource(root, name, env);
    const missing = [slack?.signing_secret, slack?.bot_token].filter(
      (one) => one !== undefined && source.has(one) === false,
    );
    absent.push(...missing.map((reference) => `${reference} (${name})`));
  }
  const api = slack && new URL(slack.api);
  const forbidden = api && !isAllowed(api, policy.allowed_hosts) ? [`slack.api, at ${api.host}`] : [];
  const notices = checkTargets(registry, env, project.notify, { absent, unfit: [], forbidden });
  const lines = typeof audit !== 'object' ? [] : [{ webhook: audit.to, secret: audit.secret }];
  const environments = [usual ?? every[0] ?? ''];
  return [
    ...warn('notify', 'notices', notices),
    ...warn(
      'audit',
      'lines of the audit log',
      checkTargets(
        registry,
        env,
        lines.map((to) => ({ ...to, environments })),
      ),
    ),
  ];
}

type Target = Pick<Registry['project']['notify'][number], 'webhook' | 'secret' | 'environments'>;
type Faults = Record<'absent' | 'unfit' | 'forbidden', string[]>;

function checkTargets(
  { project, root }: Registry,
  env: NodeJS.ProcessEnv,
  targets: readonly Target[],
  { absent, unfit, forbidden }: Faults = { absent: [], unfit: [], forbidden: [] },
): Faults {
  for (const { webhook, secret, environments = Object.keys(project.environments) } of targets) {
    for (const name of environments) {
      const source = new SecretSource(root, name, env);
      const missing = [webhook, secret ?? []].flat().filter((reference) => source.has(reference) === false);
      absent.push(...missing.map((reference) => `${reference} (${name})`));
      if (!source.has(webhook)) continue;
      const address = source.resolve(webhook, 'address of a notice');
      const url = URL.canParse(address) ? new URL(address) : undefined;
      if (!url || !/^https?:$/.test(url.protocol)) unfit.push(`${webhook} (${name})`);
      else if (!isAllowed(url, project.policy.allowed_hosts)) forbidden.push(`${webhook} (${name}), at ${url.host}`);
    }
  }
  return { absent, unfit, forbidden };
}

/** Whether the programs of providers of secrets are here. Runs none of them: each may ask a person. */
export function checkProviders({ project, root }: Registry, { PATH = '' }: NodeJS.ProcessEnv): CheckResult[] {
  return Object.entries(project.secrets).flatMap(
    ([
      provider,
      {
        command: [file = ''],
      },
    ]): CheckResult[] => {
      const found = file.includes('/') ? isExecutable(resolve(root, file)) : findOnPath(file, PATH) !== undefined;
      if (found) return [];
      const message = `${file}, the program of the provider ${provider}, is not here`;
      const advice = 'Install it where the workers run, on the PATH that they have.';
      return [{ name: 'secrets', status: 'warning', message, advice }];
    },
  );
}

/** Whether what is scheduled could start now, with its credentials, as far as this machine knows. */
export function checkScheduled(
  registry: Registry,
  { id, ability, environment }: Pick<ScheduleSpec, 'id' | 'ability' | 'environment'>,
  env: NodeJS.ProcessEnv,
): CheckResult[] {
  const variables = new EnvironmentVariables(registry.root, environment, env);
  const source = new SecretSource(registry.root, environment, env);
  const [problem] = problemsOf(() => {
    const [missing] = missingCredentials(resolvePlan(registry, ability, environment, variables).plan, source);
    if (missing) throw new AbilityError(missing);
  });
  if (!problem) return [];
  const message = `${id} would be refused in ${environment}: ${problem.message}`;
  const advice = problem.suggestion ?? 'Set it in .env, or where the workers run.';
  return [{ name: 'schedules', status: 'warning', message, advice }];
}

/** Decides as a sending worker does before it resolves a host name. */
function isAllowed(url: URL, allowed: readonly string[] | undefined): boolean {
  if (allowed === undefined) return true;
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  return isHostAllowed(url, allowed) && (isIP(literal) === 0 || isAddressAllowed(literal, url, allowed));
}

function warn(name: string, what: string, { absent, unfit, forbidden }: Faults): CheckResult[] {
  const faults: [string[], string, string][] = [
    [absent, 'not set here:', 'Set it in .env, or where the workers run.'],
    [unfit, 'no http address is in', 'Set the whole address there, including https://.'],
    [
      forbidden,
      'policy.allowed_hosts does not allow',
      'Add the host to `policy.allowed_hosts` in ability.yaml, with its port where that is neither 80 nor 443.',
    ],
  ];
  return faults.flatMap(([found, why, advice]): CheckResult[] => {
    if (found.length === 0) return [];
    const message = `${what} cannot be sent: ${why} ${[...new Set(found)].join(', ')}`;
    return [{ name, status: 'warning', message, advice }];
  });
}

const name = 'keys';

/** On a shared server only `ABILITY_SEAL_KEYS` counts. Missing keys are a warning: clients need none. */
export function checkSealKeys(paths: ProjectPaths, env: NodeJS.ProcessEnv, isShared: boolean): CheckResult {
  const { ABILITY_SEAL_KEYS: given } = env;
  if (!given) return isShared ? MISSING : checkKeys(paths);
  return keysInUse(SEAL_KEYS, given, ['signs', 'verify', 'verifies']);
}

/** Nothing where payloads are not encrypted. */
export function checkPayloadKeys({ ABILITY_PAYLOAD_KEYS: given }: NodeJS.ProcessEnv): CheckResult[] {
  return given ? [keysInUse(PAYLOAD_KEYS, given, ['encrypts', 'decrypt', 'decrypts'])] : [];
}

/** @param words what the first does, and what the others or the other do. */
function keysInUse(variable: KeyVariable, text: string, [does, several, one]: [string, string, string]): CheckResult {
  return unlessRefused<CheckResult, CheckResult>(
    () => {
      const [first, ...more] = readKeys(text, variable).keys();
      const rest = more.length > 0 ? `, ${more.join(', ')} only ${more.length > 1 ? several : one}` : '';
      return { name, status: 'ok', message: `${variable.name} is set: ${first} ${does}${rest}` };
    },
    ({ message, suggestion: advice = `Correct ${variable.name}.` }) => ({ name, status: 'failed', message, advice }),
  );
}

const MISSING: CheckResult = {
  name,
  status: 'warning',
  message: 'ABILITY_SEAL_KEYS is not set: a worker of this shared server does not start without it',
  advice: 'Set the same keys for all workers; `ability keys create` makes one. A machine that only calls needs none.',
};
