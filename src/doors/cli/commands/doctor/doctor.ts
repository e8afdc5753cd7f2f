import {
  type Connection,
  checkAttributes,
  checkBuilds,
  checkClock,
  checkDispatch,
  checkFormerNames,
  checkRetention,
  checkWorkers,
  listSchedules,
} from '../../../../client/index.js';
import type { CheckResult } from '../../../../contracts/check.js';
import { AbilityError, formatLocation, type Problem, reasonOf } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { loadedAbilities } from '../../../../definitions/find-ability.js';
import type { Registry } from '../../../../definitions/registry.js';
import { checkBinary, checkDisk, checkNode, checkRuntime } from '../../../../server/checks/check-machine.js';
import { checkStore } from '../../../../server/checks/check-store.js';
import { pathsOf } from '../../../../server/project-paths.js';
import { chooseServer } from '../../../../server/temporal/connection-settings.js';
import { asTyped } from '../../../../shown/typed-command.js';
import { plainText } from '../../output/plain-text.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import type { RuntimeFlags } from '../../program/runtime.js';
import { checkNotices, checkPayloadKeys, checkProviders, checkScheduled, checkSealKeys } from './check-settings.js';

const MARKS = {
  ok: { mark: '✓', color: 'green' },
  warning: { mark: '!', color: 'yellow' },
  failed: { mark: '✗', color: 'red' },
} as const;

type Report = (check: CheckResult) => void;

/** `ability doctor`: checks everything a task needs, from the machine to the workers. Source: docs/errors.md. */
export async function run(context: Context, _: [], { fix = false }: RuntimeFlags['doctor']): Promise<ExitCode> {
  const checks: CheckResult[] = [];
  const report: Report = (check) => {
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
    [...checkNotices(registry, context.env), ...checkProviders(registry, context.env)].forEach(report);
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
  const definitions = problems.map((problem) => failedFor('definitions', problem));
  const proved = Object.entries(project.environments).filter(([, { proof }]) => proof === 'required');
  const unproved = proved.map(([name]): CheckResult => {
    const here = `${name} requires proof: the owner of this runtime decides there, and people with a token that may approve`;
    if (!isRemote) return { name: 'proof', status: 'ok', message: here };
    const doors = Object.keys(project.doors).join(', ');
    if (doors !== '')
      return { name: 'proof', status: 'ok', message: `${name} requires proof: people decide through ${doors}` };
    const message = `${name} requires proof of who decides, and ability.yaml names no door whose proof could be checked on this server: no approval there can be given`;
    return { name: 'proof', status: 'warning', message, advice: 'Add `doors`: `ability keys create --for-door`.' };
  });
  const fine: CheckResult = { name: 'definitions', status: 'ok', message: `${count} abilities in ${project.project}` };
  return [...(definitions.length > 0 ? definitions : [fine]), ...unproved];
}

async function checkTemporal(context: Context, registry: Registry, fix: boolean, report: Report): Promise<void> {
  const paths = pathsOf(registry.root);
  const isRemote = (await chooseServer(context.flags, context.env)) !== undefined;
  if (!isRemote) {
    report(await checkBinary(context.env));
    report(checkRuntime(paths));
  }
  report(checkDisk(paths.system, 'disk'));
  report(await checkStore(context.env.ABILITY_STORE ?? paths.store, context.env, paths));
  report(checkSealKeys(paths, context.env, isRemote));
  for (const result of checkPayloadKeys(context.env)) report(result);
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
  report: Report,
): Promise<void> {
  const checks: Record<string, () => Promise<CheckResult | CheckResult[]>> = {
    attributes: () => checkAttributes(connection, fix),
    clock: () => checkClock(connection),
    retention: () => checkRetention(connection),
    workers: () => checkWorkers(connection, Object.keys(registry.project.environments)),
    builds: () => checkBuilds(connection, Object.keys(registry.project.environments)),
    renamed: async () => (await checkFormerNames(connection)) ?? [],
    schedules: async () => (await listSchedules(connection)).flatMap(({ spec }) => checkScheduled(registry, spec, env)),
    dispatch: () => checkDispatch(connection),
  };
  for (const [name, check] of Object.entries(checks)) {
    await attempt(name, report, async () => [await check()].flat().forEach(report));
  }
}

/** A check that cannot run counts as failed. */
async function attempt<T>(name: string, report: Report, action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    const problem = error instanceof AbilityError ? error : undefined;
    report(failedFor(name, { message: reasonOf(error), ...problem?.toProblem() }));
    return undefined;
  }
}

function failedFor(
  name: string,
  { message, location, suggestion }: Pick<Problem, 'message'> & Partial<Problem>,
): CheckResult {
  const at = location ? ` (${formatLocation(location)})` : '';
  return { name, status: 'failed', message: message + at, ...(suggestion && { advice: suggestion }) };
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
