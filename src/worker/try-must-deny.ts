import { type MustDenyReport, reportMustDeny } from '../activities/hooks/claude-code/report-must-deny.js';
import { hookDependenciesOf } from './prove-guards.js';

/** Fires what guards of other tools must deny outside of a worker, as one would: `ability hooks test`. */
export async function tryMustDeny(
  registry: Parameters<typeof reportMustDeny>[0],
  env: NodeJS.ProcessEnv,
  only?: Parameters<typeof reportMustDeny>[2],
): Promise<MustDenyReport[]> {
  const { groups, ...dependencies } = hookDependenciesOf(registry.root, env);
  try {
    return await reportMustDeny(registry, { ...dependencies, groups }, only);
  } finally {
    groups.close();
  }
}
