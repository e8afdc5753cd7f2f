import { isAbsolute, join, normalize, resolve } from 'node:path';
import type { PlanConfinement, PlanProcessLimits, PlanSandbox } from '../../contracts/plan-operation.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Confinement } from '../../definitions/formats/sandbox.js';
import type { Registry } from '../../definitions/registry.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import { isInside } from '../../disk/paths.js';
import { parseDuration } from '../../rules/duration.js';
import { parseBytes } from '../../text/byte-size.js';
import { defined } from '../../text/defined.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import { invalidAt } from '../steps/check-names.js';

type WrittenSandbox = NonNullable<Confinement['sandbox']>;
type WrittenLimits = NonNullable<Confinement['limits']>;

/** Folders of the kernel: a box has its own. */
const KERNEL = ['/proc', '/sys', '/dev'];

/**
 * The box and the limits of a child process: its own within those of the policy, else the policy's.
 * @throws AbilityError `definition.invalid` for what exceeds the policy or opens the box, `sandbox.unavailable`
 * where this machine lacks the programs.
 */
export function resolveConfinement(
  { root, project: { policy } }: Pick<Registry, 'root' | 'project'>,
  own: Confinement,
  spot: Spot,
  machine: Pick<EnvironmentVariables, 'inherited' | 'hasProgram'>,
): PlanConfinement {
  const written = own.sandbox ?? policy.sandbox;
  const sandbox = written && planSandbox(root, written, policy.allowed_hosts, within(spot, 'sandbox'));
  if (own.sandbox && sandbox && policy.sandbox) refuseWider(root, sandbox, own.sandbox, policy.sandbox, spot);
  const limits = planLimits(own.limits ?? {}, policy.limits ?? {});
  if (limits?.processes !== undefined && !sandbox) {
    const advice = 'Add `sandbox: {}`, or leave `processes` out.';
    throw invalidAt(within(spot, 'limits', 'processes'), 'Only the processes of a box can be counted', advice);
  }
  const missing = missingProgram(machine, sandbox ? OF_BOX : limits ? OF_LIMITS : []);
  if (missing !== undefined) {
    throw new AbilityError({
      code: 'sandbox.unavailable',
      message: `A sandbox or a limit cannot be kept on this machine, which has no program ${missing}`,
      location: locationOf(spot),
      suggestion: 'Install bubblewrap and util-linux; both exist only on Linux. Nothing runs without its box.',
    });
  }
  return defined({ sandbox, limits });
}

const OF_LIMITS = ['prlimit', 'setpriv'];
const OF_BOX = ['bwrap', 'env', ...OF_LIMITS];

/** The first program that a box needs and this machine lacks. */
export function missingProgram(
  machine: Pick<EnvironmentVariables, 'inherited' | 'hasProgram'>,
  programs: readonly string[] = OF_BOX,
): string | undefined {
  const folders = (machine.inherited('PATH') ?? '').split(':');
  return programs.find((name) => !machine.hasProgram(folders.map((folder) => resolve('/', folder, name))));
}

function planSandbox(
  root: string,
  { network, read, write }: WrittenSandbox,
  hosts: readonly string[] | undefined,
  spot: Spot,
): PlanSandbox {
  const checked = (paths: readonly string[], key: string): string[] =>
    paths.map((path, index) => {
      const why = faultOfPath(root, resolve(root, path), isAbsolute(path));
      if (why !== undefined) throw invalidAt(within(spot, key, index), `${path} ${why}`, 'Name narrower folders.');
      return normalize(path);
    });
  const paths = { read: checked(read, 'read'), write: checked(write, 'write') };
  if (network === 'none') return { ...paths, allowed_hosts: [] };
  if (hosts?.length) return { ...paths, allowed_hosts: [...hosts] };
  const advice = 'List them under `policy.allowed_hosts` in ability.yaml.';
  throw invalidAt(within(spot, 'network'), '`network: hosts` needs hosts, and the policy allows none', advice);
}

/** Why a box may not have a path, such as `leads out of the project`. @param at with or without links resolved. */
export function faultOfPath(root: string, at: string, mayBeOutside: boolean): string | undefined {
  const system = join(root, '.system');
  if (isInside(at, system) || isInside(system, at)) return 'has `.system`, which no box may see';
  if (at === '/' || KERNEL.some((folder) => isInside(folder, at))) return 'is a folder of the kernel';
  if (!mayBeOutside && !isInside(root, at)) return 'leads out of the project';
  return undefined;
}

function refuseWider(root: string, plan: PlanSandbox, own: WrittenSandbox, policy: WrittenSandbox, spot: Spot): void {
  const refuse = (message: string, ...path: (string | number)[]): never => {
    throw invalidAt(within(spot, 'sandbox', ...path), message, 'Narrow it, or widen `policy.sandbox` in ability.yaml.');
  };
  if (own.network === 'hosts' && policy.network === 'none') refuse('`policy.sandbox` allows no network', 'network');
  const allowed = { read: [...policy.read, ...policy.write], write: policy.write };
  for (const key of ['read', 'write'] as const) {
    for (const [index, path] of plan[key].entries()) {
      const fits = allowed[key].some((folder) => isInside(resolve(root, folder), resolve(root, path)));
      if (!fits) refuse(`\`policy.sandbox\` does not let a box ${key} ${path}`, key, index);
    }
  }
}

function planLimits(own: WrittenLimits, policy: WrittenLimits): PlanProcessLimits | undefined {
  const least = <T>(one: T | undefined, other: T | undefined, read: (written: T) => number): number | undefined => {
    const set = [one, other].filter((each) => each !== undefined).map(read);
    return set.length === 0 ? undefined : Math.min(...set);
  };
  const limits = defined({
    memory: least(own.memory, policy.memory, (text) => parseBytes(text) ?? 0),
    cpu: least(own.cpu, policy.cpu, (text) => Math.max(1, Math.ceil(parseDuration(text) / 1000))),
    processes: least(own.processes, policy.processes, Number),
    user: policy.user ?? own.user,
  });
  return Object.keys(limits).length > 0 ? limits : undefined;
}
