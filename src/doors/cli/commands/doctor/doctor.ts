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
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { loadedAbilities } from '../../../../definitions/find-ability.js';
import type { Registry } from '../../../../definitions/registry.js';
import { checkBinary, checkDisk, checkNode, checkRuntime } from '../../../../server/checks/check-machine.js';
import { checkStore } from '../../../../server/checks/check-store.js';
import { pathsOf } from '../../../../server/project-paths.js';
import { chooseServer } from '../../../../server/temporal/connection-settings.js';
import { plainText } from '../../output/plain-text.js';
import { asTyped } from '../../output/typed-command.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import type { RuntimeFlags } from '../../program/runtime.js';
import { checkNotices, checkScheduled, checkSealKeys } from './check-settings.js';

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
  const count = loadedAbilities(registry).length;
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
