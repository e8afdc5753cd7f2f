import { deploymentOf, placementsOf, taskQueueOf } from '../../../contracts/names.js';
import { type AbilityError, usageError } from '../../../contracts/problem.js';
import { resolveEnvironment } from '../../../planning/resolve/resolve-environment.js';
import { chooseServer } from '../../../server/temporal/connection-settings.js';
import { didYouMean } from '../../../text/nearest.js';
import type { ServeOptions } from '../../../worker/serve-external.js';
import { readAddress, readBuild } from '../input/flag-values.js';
import { type Context, openRegistry } from '../program/context.js';
import type { RuntimeFlags } from '../program/runtime.js';
import { untilAborted, withInterruption } from './following/interruption.js';

/** `ability worker`: serves tasks of an external Temporal server. Source: docs/guide.md. */
export async function run(context: Context, _: [], flags: RuntimeFlags['worker']): Promise<void> {
  const registry = await openRegistry(context);
  const server = await chooseServer(context.flags, context.env);
  if (!server) {
    throw usageError(
      'A worker serves a Temporal server that must be named; the runtime of a project has its own workers',
      'Pass --address or --profile, or start the runtime with `ability up`.',
    );
  }
  const environments = flags.env === undefined ? Object.keys(registry.project.environments) : [flags.env].flat();
  for (const name of environments) resolveEnvironment(registry, name);
  const metrics = flags.metrics === undefined ? undefined : readAddress('--metrics', flags.metrics);
  const health = flags.health === undefined ? undefined : readAddress('--health', flags.health);
  const build = flags.build === undefined ? undefined : readBuild(flags.build);
  const known = placementsOf(registry.project);
  if (flags.placement !== 'all' && !known.includes(flags.placement)) throw unknownPlacement(flags.placement, known);
  const placements = flags.placement === 'all' ? known : [flags.placement];
  const places = environments.flatMap((environment) => placements.map((placement) => ({ environment, placement })));
  const { root, project } = registry;
  const serving = { root, project: project.project, server, places, env: context.env, metrics, build };
  await withInterruption(context, (signal) => serveUntil(context, serving, health, signal));
}

function unknownPlacement(name: string, known: readonly string[]): AbilityError {
  const suggestion = didYouMean(name, known) ?? `There are: ${known.join(', ')}, and all of them: all.`;
  return usageError(`The project has no placement ${name}`, suggestion);
}

async function serveUntil(
  { terminal }: Context,
  serving: ServeOptions,
  health: string | undefined,
  interrupted: AbortSignal,
): Promise<void> {
  const { server, places, project, metrics, build } = serving;
  const { serve, workersFailed } = await import('../../../worker/serve-external.js');
  const host = await serve(serving);
  let stopHealth = (): void => {};
  terminal.note(
    `Serving ${places.map((place) => taskQueueOf(project, place.environment, place.placement)).join(', ')}`,
  );
  terminal.note(`on Temporal at ${server.address}; press Ctrl-C to stop.`);
  for (const deployment of new Set(places.map(({ environment }) => deploymentOf(project, environment))))
    if (build !== undefined) terminal.note(`As the build ${build} of ${deployment}.`);
  if (metrics !== undefined) terminal.note(`Metrics for Prometheus are at http://${metrics}/metrics.`);
  try {
    if (health !== undefined) {
      const { serveHealth } = await import('../../../worker/serve-health.js');
      stopHealth = await serveHealth(health, () => host.isHealthy());
    }
    await Promise.race([untilAborted(interrupted), host.broken]);
    terminal.note('Stopping; waiting for calls that must not be repeated ...');
  } catch (error) {
    throw workersFailed(server, error);
  } finally {
    await host.stop();
    stopHealth();
  }
}
