import type { CheckResult } from '../../contracts/check.js';
import { deploymentOf } from '../../contracts/names.js';
import { isNotFound, isUnimplemented } from '../../server/temporal/grpc-error.js';
import type { Connection } from '../connection/connect.js';

/** `DRAINING` and `DRAINED` of Temporal's `VersionDrainageStatus`. */
const [DRAINING, DRAINED] = [1, 2];

/** The builds of the workers of one environment. */
export interface Builds {
  /** Name of the worker deployment. */
  deployment: string;
  /** New tasks begin on it; absent: on workers without `--build`. */
  current: string | undefined;
  /** It gets a share of the new tasks. */
  ramping: string | undefined;
  /** All that the server knows. */
  all: { id: string; state: 'draining' | 'drained' | undefined }[];
}

/** @returns undefined where no worker of the environment has a `--build`. */
export async function readBuilds(
  { temporal, namespace, project }: Connection,
  environment: string,
): Promise<Builds | undefined> {
  const deployment = deploymentOf(project, environment);
  try {
    const answer = await temporal.workflowService.describeWorkerDeployment({ namespace, deploymentName: deployment });
    const { versionSummaries, routingConfig } = answer.workerDeploymentInfo ?? {};
    const all = (versionSummaries ?? []).map(({ deploymentVersion, drainageInfo }) => ({
      id: deploymentVersion?.buildId ?? '',
      state: ({ [DRAINING]: 'draining', [DRAINED]: 'drained' } as const)[Number(drainageInfo?.status ?? 0)],
    }));
    const current = routingConfig?.currentDeploymentVersion?.buildId ?? undefined;
    return { deployment, current, ramping: routingConfig?.rampingDeploymentVersion?.buildId ?? undefined, all };
  } catch (error) {
    if (isNotFound(error) || isUnimplemented(error)) return undefined;
    throw error;
  }
}

/** The command that makes new tasks begin on a build. */
export function useBuild(deployment: string, build = 'ID'): string {
  return `temporal worker deployment set-current-version --deployment-name ${deployment} --build-id ${build}`;
}

/** Which build new tasks of each environment begin on, and which ones may stop. */
export async function checkBuilds(connection: Connection, environments: readonly string[]): Promise<CheckResult[]> {
  const found = await Promise.all(environments.map((environment) => readBuilds(connection, environment)));
  return found.flatMap((builds) => (builds ? [resultOf(builds)] : []));
}

function resultOf({ deployment, current, ramping, all }: Builds): CheckResult {
  const name = 'builds';
  const others = all.flatMap(({ id, state }) => {
    if (state === 'draining') return `; ${id} still has tasks`;
    return state === 'drained' ? `; ${id} has none left, so its workers may stop` : [];
  });
  const share = ramping === undefined ? '' : `, some on ${ramping}`;
  if (current !== undefined)
    return {
      name,
      status: 'ok',
      message: `${deployment}: new tasks begin on the build ${current}${share}${others.join('')}`,
    };
  const ids = all.map(({ id }) => id);
  return {
    name,
    status: 'warning',
    message: `${deployment}: no build is current (${ids.join(', ')}), so only workers without --build take new tasks`,
    advice: useBuild(deployment, ids.length === 1 ? ids[0] : undefined),
  };
}
