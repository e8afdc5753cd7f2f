import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeLifecycle } from '../../../contracts/lifecycle.js';
import type { Problem } from '../../../contracts/problem.js';
import { loadedAbilities } from '../../../definitions/find-ability.js';
import { findProjectRoot, PACKS_VARIABLE } from '../../../definitions/find-project.js';
import type { Registry } from '../../../definitions/registry.js';
import type { ListedAbility } from '../../answers/list-abilities.js';
import { listCapabilities, listPacks } from '../../answers/list-specialists.js';
import { describeProblem, typedBy } from '../output/describe-problem.js';
import { renderCapabilities, renderPacks } from '../output/render-specialists.js';
import { renderTable } from '../output/render-table.js';
import { asTyped } from '../output/typed-command.js';
import { type Context, openRegistry } from '../program/context.js';
import type { DefinitionFlags } from '../program/definitions.js';

/** `ability list`: the abilities of the project, high-level ones first. Reads files only. Source: R-000-06. */
export async function run(
  context: Context,
  _: [],
  { usage, packs, capabilities }: DefinitionFlags['list'],
): Promise<void> {
  if (usage) return listUsage(context, await openRegistry(context));
  if (packs || capabilities) {
    const registry = await openRegistry(context);
    await listRecruits(context, registry, packs ? 'packs' : 'capabilities');
    return noteProblems(context, registry);
  }
  const { terminal, flags } = context;
  const { abilities, problems } = await keptList(context);
  if (flags.json) terminal.printJson(abilities);
  else if (abilities.length === 0)
    terminal.note(
      asTyped('This project has no abilities yet; `ability scaffold low-level KEY --kind script` makes one.', context),
    );
  else {
    // Leaves out an empty column.
    const isStatusShown = abilities.some((ability) => wordsOn(ability) !== '');
    const rows = abilities.map((ability) => {
      const { id, type, placement, environments, summary } = ability;
      const status = isStatusShown ? [wordsOn(ability)] : [];
      return [id, type, placement, environments?.join(', ') ?? 'all', ...status, summary];
    });
    const status = isStatusShown ? ['STATUS'] : [];
    terminal.print(renderTable(['ABILITY', 'TYPE', 'PLACEMENT', 'ENVIRONMENTS', ...status, 'SUMMARY'], rows));
  }
  noteProblems(context, { problems });
}

interface Listed {
  abilities: ListedAbility[];
  problems: Problem[];
}

/** Stored under the definitions' bytes, so that they are read and checked only after a change. */
async function keptList(context: Context): Promise<Listed> {
  const { flags, cwd, env, within } = context;
  const read = async (): Promise<Listed> => {
    const registry = await openRegistry(context);
    const requested = flags.env ?? env.ABILITY_ENV;
    if (requested)
      (await import('../../../planning/resolve/resolve-environment.js')).resolveEnvironment(registry, requested);
    const { listAbilities } = await import('../../answers/list-abilities.js');
    return { abilities: listAbilities(registry, flags.env, env.ABILITY_ENV), problems: registry.problems };
  };
  const root = findProjectRoot(cwd, flags.project);
  // A pack file elsewhere is no part of the bytes; and a list makes no folder in a project that has not run anything.
  if (within || env[PACKS_VARIABLE] || !existsSync(join(root, '.system'))) return read();
  const { keptAnswer } = await import('../../answers/keep-answer.js');
  // The address of this module changes with the build.
  const about = [import.meta.url, flags.env ?? '', env.ABILITY_ENV ?? ''];
  return keptAnswer({ root, file: 'list.json', about }, read);
}

function noteProblems(context: Context, { problems }: Pick<Registry, 'problems'>): void {
  const { terminal } = context;
  for (const problem of problems) terminal.note(describeProblem(typedBy(context, problem), terminal.style));
}

/** What the built-in hook `usage` recorded for each ability; an unseen one has no calls. */
async function listUsage({ terminal, flags }: Context, registry: Registry): Promise<void> {
  const { UsageLog } = await import('../../../server/logs/usage-log.js');
  const { pathsOf } = await import('../../../server/project-paths.js');
  const seen = new Map(new UsageLog(pathsOf(registry.root).system).read().map((one) => [one.ability_id, one]));
  const ids = [...new Set([...loadedAbilities(registry).map(([id]) => id), ...seen.keys()])].sort();
  const rows = ids.map((id) => seen.get(id) ?? { ability_id: id, calls: 0, failures: 0, last_used: null });
  if (flags.json) terminal.printJson(rows);
  else {
    const cells = rows.map(({ ability_id, calls, failures, last_used }) => {
      return [ability_id, String(calls), String(failures), last_used ?? 'never'];
    });
    terminal.print(renderTable(['ABILITY', 'CALLS', 'FAILURES', 'LAST USED'], cells));
  }
}

/** Notes on an ability's status; empty if it is stable and runnable. */
function wordsOn(ability: ListedAbility): string {
  return [describeLifecycle(ability), ability.runnable ? undefined : ability.type === 'agent' ? 'no model' : 'no steps']
    .filter(Boolean)
    .join(', ');
}

/** `ability list --packs` and `--capabilities`, also built-in. @throws AbilityError `environment.not_found`. */
export async function listRecruits(
  { terminal, flags, env }: Context,
  registry: Registry,
  what: 'packs' | 'capabilities',
): Promise<void> {
  const requested = flags.env ?? env.ABILITY_ENV;
  const { resolveEnvironment } = await import('../../../planning/resolve/resolve-environment.js');
  const environments = requested
    ? [resolveEnvironment(registry, requested).name]
    : Object.keys(registry.project.environments);
  if (what === 'packs') {
    const packs = listPacks(registry, environments);
    if (flags.json) terminal.printJson(packs);
    else terminal.print(renderPacks(packs));
  } else {
    const capabilities = listCapabilities(registry, environments);
    if (flags.json) terminal.printJson(capabilities);
    else terminal.print(renderCapabilities(capabilities));
  }
}
