import { isIP } from 'node:net';
import {
  type Connection,
  checkAttributes,
  checkClock,
  checkDispatch,
  checkFormerNames,
  checkRetention,
  checkWorkers,
  listSchedules,
} from '../../../../client/index.js';
import type { CheckResult } from '../../../../contracts/check.js';
import { AbilityError, formatLocation, reasonOf } from '../../../../contracts/problem.js';
import type { ScheduleSpec } from '../../../../contracts/schedules.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { abilityIds } from '../../../../definitions/find-ability.js';
import type { Registry } from '../../../../definitions/registry.js';
import { resolvePlan } from '../../../../planning/resolve/resolve-plan.js';
import { missingCredentials } from '../../../../planning/secrets/credentials.js';
import { EnvironmentVariables, SecretSource } from '../../../../planning/secrets/secret-source.js';
import { problemsOf } from '../../../../planning/steps/definition-errors.js';
import { isAddressAllowed, isHostAllowed } from '../../../../rules/calls/allowed-hosts.js';
import { checkBinary, checkDisk, checkKeys, checkNode, checkRuntime } from '../../../../server/checks/check-machine.js';
import { checkStore } from '../../../../server/checks/check-store.js';
import { type ProjectPaths, pathsOf } from '../../../../server/project-paths.js';
import { chooseServer } from '../../../../server/temporal/connection-settings.js';
import { keysFromEnvironment } from '../../../../worker/seal-keys.js';
import { plainText } from '../../output/plain-text.js';
import { asTyped } from '../../output/typed-command.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import type { RuntimeFlags } from '../../program/runtime.js';

const MARKS = {
  ok: { mark: '✓', color: 'green' },
  warning: { mark: '!', color: 'yellow' },
  failed: { mark: '✗', color: 'red' },
} as const;

/** `ability doctor`: checks everything a task needs, from the machine to the workers. Source: docs/errors.md. */
export async function run(context: Context, _: [], { fix = false }: RuntimeFlags['doctor']): Promise<ExitCode> {
  const checks: CheckResult[] = [];
  const report = (check: CheckResult): void => {
    checks.push(check);
    if (!context.flags.json) context.terminal.print(render(check, context));
  };
  report(checkNode());
  const registry = await attempt('project', report, () => openRegistry(context));
  if (registry) {
    const isRemote = (await chooseServer(context.flags, context.env).catch(() => undefined)) !== undefined;
    checkDefinitions(registry, isRemote).forEach(report);
    const { checkExports } = await import('../../../guard/check-exports.js');
    checkExports(registry.root, context.env, registry.project.policy.bypass?.decisions ?? 'deny').forEach(report);
    checkNotices(registry, context.env).forEach(report);
    await checkTemporal(context, registry, fix, report);
  }
  if (context.flags.json) context.terminal.printJson({ checks });
  const failed = checks.filter(({ status }) => status === 'failed').length;
  if (failed > 0) context.terminal.note(`${failed} of ${checks.length} checks failed`);
  return failed > 0 ? EXIT.outOfOrder : EXIT.ok;
}

function checkDefinitions(registry: Registry, isRemote: boolean): CheckResult[] {
  const { problems, project } = registry;
  const count = abilityIds(registry).length;
  const definitions = problems.map(({ message, location, suggestion }): CheckResult => {
    const at = location ? ` (${formatLocation(location)})` : '';
    const advice = suggestion === undefined ? {} : { advice: suggestion };
    return { name: 'definitions', status: 'failed', message: message + at, ...advice };
  });
  const unproved = Object.entries(project.environments)
    .filter(([, { proof }]) => proof === 'required')
    .map(([name]): CheckResult => {
      if (!isRemote) {
        const message = `${name} requires proof: the owner of this runtime decides there, and people with a token that may approve`;
        return { name: 'proof', status: 'ok', message };
      }
      const message = `${name} requires proof of who decides, which only the project's own runtime can check: no approval there can be given on this server`;
      return { name: 'proof', status: 'warning', message, advice: 'Leave out `proof: required`.' };
    });
  const fine: CheckResult = { name: 'definitions', status: 'ok', message: `${count} abilities in ${project.project}` };
  return [...(definitions.length > 0 ? definitions : [fine]), ...unproved];
}

async function checkTemporal(
  context: Context,
  registry: Registry,
  fix: boolean,
  report: (check: CheckResult) => void,
): Promise<void> {
  const paths = pathsOf(registry.root);
  const isRemote = (await chooseServer(context.flags, context.env)) !== undefined;
  if (!isRemote) {
    report(await checkBinary(context.env));
    report(checkRuntime(paths));
  }
  report(checkDisk(paths.system, 'disk'));
  report(await checkStore(context.env.ABILITY_STORE ?? paths.store, paths));
  report(checkSealKeys(paths, context.env, isRemote));
  await attempt('server', report, () =>
    withSession(context, registry, async (connection) => {
      report({ name: 'server', status: 'ok', message: `Temporal at ${connection.address} answers` });
      await checkSession(connection, registry, context.env, fix, report);
    }),
  );
}

async function checkSession(
  connection: Connection,
  registry: Registry,
  env: NodeJS.ProcessEnv,
  fix: boolean,
  report: (check: CheckResult) => void,
): Promise<void> {
  await attempt('attributes', report, async () => report(await checkAttributes(connection, fix)));
  await attempt('clock', report, async () => report(await checkClock(connection)));
  await attempt('retention', report, async () => report(await checkRetention(connection)));
  await attempt('workers', report, async () =>
    report(await checkWorkers(connection, Object.keys(registry.project.environments))),
  );
  await attempt('renamed', report, async () => {
    const renamed = await checkFormerNames(connection);
    if (renamed) report(renamed);
  });
  await attempt('schedules', report, async () => {
    for (const { spec } of await listSchedules(connection)) checkScheduled(registry, spec, env).forEach(report);
  });
  await attempt('dispatch', report, async () => report(await checkDispatch(connection)));
}

/** A check that cannot run counts as failed. */
async function attempt<T>(
  name: string,
  report: (check: CheckResult) => void,
  action: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    const at = error instanceof AbilityError && error.location ? ` (${formatLocation(error.location)})` : '';
    const message = reasonOf(error) + at;
    const advice = error instanceof AbilityError && error.suggestion ? { advice: error.suggestion } : {};
    report({ name, status: 'failed', message, ...advice });
    return undefined;
  }
}

const FURTHER = ' '.repeat(17);

function render({ name, status, message, advice }: CheckResult, context: Context): string {
  const { terminal } = context;
  const { mark, color } = MARKS[status];
  const line = `${terminal.style(color, mark)} ${name.padEnd(12)} ${plainText(message, FURTHER)}`;
  return advice === undefined || status === 'ok'
    ? line
    : `${line}\n  ${''.padEnd(12)} ${asTyped(plainText(advice, FURTHER), context)}`;
}

/**
 * Whether notices can be sent, as far as this machine knows: workers may have another environment. Sends nothing
 * and looks up no name. A notice that is not sent fails no task, so no task reports it.
 */
export function checkNotices({ project, root }: Registry, env: NodeJS.ProcessEnv): CheckResult[] {
  const absent: string[] = [];
  const unfit: string[] = [];
  const forbidden: string[] = [];
  for (const { webhook, secret, environments = Object.keys(project.environments) } of project.notify) {
    for (const name of environments) {
      const source = new SecretSource(root, name, env);
      const missing = [webhook, secret ?? []].flat().filter((reference) => !source.has(reference));
      absent.push(...missing.map((reference) => `${reference} (${name})`));
      if (missing.includes(webhook)) continue;
      const address = source.resolve(webhook, 'address of a notice');
      const url = URL.canParse(address) ? new URL(address) : undefined;
      if (!url || !/^https?:$/.test(url.protocol)) unfit.push(`${webhook} (${name})`);
      else if (!isAllowed(url, project.policy.allowed_hosts)) forbidden.push(`${webhook} (${name}), at ${url.host}`);
    }
  }
  return [
    ...warn(absent, 'not set here:', 'Set it in .env, or where the workers run.'),
    ...warn(unfit, 'no http address is in', 'Set the whole address there, including https://.'),
    ...warn(
      forbidden,
      'policy.allowed_hosts does not allow',
      'Add the host to `policy.allowed_hosts` in ability.yaml, with its port where that is neither 80 nor 443.',
    ),
  ];
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

function warn(found: readonly string[], what: string, advice: string): CheckResult[] {
  if (found.length === 0) return [];
  const message = `notices cannot be sent: ${what} ${[...new Set(found)].join(', ')}`;
  return [{ name: 'notify', status: 'warning', message, advice }];
}

const name = 'keys';

/** On a shared server only `ABILITY_SEAL_KEYS` counts. Missing keys are a warning: clients need none. */
export function checkSealKeys(paths: ProjectPaths, env: NodeJS.ProcessEnv, isShared: boolean): CheckResult {
  const { ABILITY_SEAL_KEYS: given } = env;
  if (!given) return isShared ? MISSING : checkKeys(paths);
  try {
    const ids = [...keysFromEnvironment(given).keys.keys()];
    const others = ids.length > 1 ? `, ${ids.slice(1).join(', ')} only ${ids.length > 2 ? 'verify' : 'verifies'}` : '';
    return { name, status: 'ok', message: `ABILITY_SEAL_KEYS is set: ${ids[0]} signs${others}` };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return { name, status: 'failed', message: error.message, advice: error.suggestion ?? 'Correct ABILITY_SEAL_KEYS.' };
  }
}

const MISSING: CheckResult = {
  name,
  status: 'warning',
  message: 'ABILITY_SEAL_KEYS is not set: a worker of this shared server does not start without it',
  advice: 'Set the same keys for all workers; `ability keys create` makes one. A machine that only calls needs none.',
};
