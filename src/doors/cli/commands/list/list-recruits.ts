import { EXIT, type ExitCode } from '../../../../contracts/exit-codes.js';
import type { Registry } from '../../../../definitions/registry.js';
import { listCapabilities, listPacks } from '../../../answers/list-specialists.js';
import { renderCapabilities, renderPacks } from '../../output/render-specialists.js';
import type { Context } from '../../program/context.js';

/**
 * `ability list --packs` and `--capabilities`: what requests recruit, the built-in ones among it.
 *
 * @throws AbilityError `environment.not_found` for an environment that is asked for and not there.
 */
export async function listRecruits(
  { terminal, flags, env }: Context,
  registry: Registry,
  what: 'packs' | 'capabilities',
): Promise<ExitCode> {
  const asked = flags.env ?? env.ABILITY_ENV;
  const environments = asked ? [await known(registry, asked)] : Object.keys(registry.project.environments);
  if (what === 'packs') {
    const packs = listPacks(registry, environments);
    if (flags.json) terminal.printJson(packs);
    else terminal.print(renderPacks(packs));
  } else {
    const capabilities = listCapabilities(registry, environments);
    if (flags.json) terminal.printJson(capabilities);
    else terminal.print(renderCapabilities(capabilities));
  }
  return EXIT.ok;
}

async function known(registry: Registry, name: string): Promise<string> {
  const { resolveEnvironment } = await import('../../../../planning/resolve/resolve-environment.js');
  return resolveEnvironment(registry, name).name;
}
