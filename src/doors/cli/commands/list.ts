import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeLifecycle } from '../../../contracts/lifecycle.js';
import type { Problem } from '../../../contracts/problem.js';
import { findProjectRoot, PACKS_VARIABLE } from '../../../definitions/find-project.js';
import type { Registry } from '../../../definitions/registry.js';
import type { ListedAbility } from '../../../operations/list-abilities.js';
import type { ListedCapability, ListedPack } from '../../../operations/list-specialists.js';
import { asTyped } from '../../../shown/typed-command.js';
import { defined } from '../../../text/defined.js';
import { describeProblem, typedBy } from '../output/describe-problem.js';
import { renderTable } from '../output/render-table.js';
import { type Context, environmentGiven, openRegistry, printAnswer, printList } from '../program/context.js';
import type { DefinitionFlags } from '../program/definitions.js';
import { withDefinitions, withProject } from '../program/project-client.js';

/** `ability list`: the abilities of the project, high-level ones first. Reads files only. Source: R-000-06. */
export async function run(context: Context, _: [], flags: DefinitionFlags['list']): Promise<void> {
  if (flags.usage) return listUsage(context);
  if (flags.pages) {
    const answer = await withDefinitions(context, (project) => project.call('listPages', {}));
    return printAnswer(context, answer, () =>
      answer.pages.map(({ path, text }) => `${path}\n\n${text.trimEnd()}`).join('\n\n'),
    );
  }
  if (flags.packs || flags.capabilities) return listRecruits(context, flags.packs ? 'packs' : 'capabilities');
  const { abilities, problems } = context.door ? await listThere(context) : await keptList(context);
  const none = 'This project has no abilities yet; `ability scaffold low-level KEY --kind script` makes one.';
  printList(context, abilities, asTyped(none, context), () => renderAbilities(abilities));
  noteProblems(context, { problems });
}

function renderAbilities(abilities: readonly ListedAbility[]): string {
  // Leaves out an empty column.
  const isStatusShown = abilities.some((ability) => wordsOn(ability) !== '');
  const rows = abilities.map((ability) => {
    const { id, type, placement, environments, summary } = ability;
    const status = isStatusShown ? [wordsOn(ability)] : [];
    return [id, type, placement, environments?.join(', ') ?? 'all', ...status, summary];
  });
  const status = isStatusShown ? ['STATUS'] : [];
  return renderTable(['ABILITY', 'TYPE', 'PLACEMENT', 'ENVIRONMENTS', ...status, 'SUMMARY'], rows);
}

interface Listed {
  abilities: ListedAbility[];
  problems: Problem[];
}

/** Broken definitions are for those who are in the project. */
async function listThere(context: Context): Promise<Listed> {
  const environment = environmentGiven(context);
  const abilities = await withProject(context, (project) => project.call('listAbilities', defined({ environment })));
  return { abilities, problems: [] };
}

/** Stored under the definitions' bytes, so that they are read and checked only after a change. */
async function keptList(context: Context): Promise<Listed> {
  const { flags, cwd, env } = context;
  const read = async (): Promise<Listed> => {
    const registry = await openRegistry(context);
    const requested = flags.env ?? env.ABILITY_ENV;
    if (requested)
      (await import('../../../planning/resolve/resolve-environment.js')).resolveEnvironment(registry, requested);
    const { abilitiesOf } = await import('../../../operations/list-abilities.js');
    return { abilities: abilitiesOf(registry, flags.env, env.ABILITY_ENV), problems: registry.problems };
  };
  const root = findProjectRoot(cwd, flags.project);
  // A pack file elsewhere is no part of the bytes; and a list makes no folder in a project that has not run anything.
  if (env[PACKS_VARIABLE] || !existsSync(join(root, '.system'))) return read();
  const { keptAnswer } = await import('../../../operations/keep-answer.js');
  // The address of this module changes with the build.
  const about = [import.meta.url, flags.env ?? '', env.ABILITY_ENV ?? ''];
  return keptAnswer({ root, file: 'list.json', about }, read);
}

function noteProblems(context: Context, { problems }: Pick<Registry, 'problems'>): void {
  const { terminal } = context;
  for (const problem of problems) terminal.note(describeProblem(typedBy(context, problem), terminal.style));
}

/** What the built-in hook `usage` recorded for each ability; an unseen one has no calls. */
async function listUsage(context: Context): Promise<void> {
  const { usage } = await withDefinitions(context, (project) => project.call('listUsage', {}));
  const cells = usage.map(({ ability_id, calls, failures, last_used }) => {
    return [ability_id, String(calls), String(failures), last_used ?? 'never'];
  });
  printAnswer(context, usage, () => renderTable(['ABILITY', 'CALLS', 'FAILURES', 'LAST USED'], cells));
}

/** Notes on an ability's status; empty if it is stable and runnable. */
function wordsOn(ability: ListedAbility): string {
  return [describeLifecycle(ability), ability.runnable ? undefined : ability.type === 'agent' ? 'no model' : 'no steps']
    .filter(Boolean)
    .join(', ');
}

/** `ability list --packs` and `--capabilities`, also built-in. @throws AbilityError `environment.not_found`. */
async function listRecruits(context: Context, what: 'packs' | 'capabilities'): Promise<void> {
  const input = defined({ environment: environmentGiven(context) });
  const found = (await withDefinitions(context, (project) => project.call('listRecruits', input))) as {
    packs: ListedPack[];
    capabilities: ListedCapability[];
  };
  printAnswer(context, found[what], () =>
    what === 'packs' ? found.packs.map(renderPack).join('\n\n') : renderCapabilities(found.capabilities),
  );
  if (!context.door) noteProblems(context, await openRegistry(context));
}

function renderPack(pack: ListedPack): string {
  const { id, description, workflow, workflow_defined: isDefined, builder, from } = pack;
  return [
    `${id}  ${from}`,
    `  ${description}`,
    `  capabilities: ${listOf(pack.capabilities.map((name) => withDropped(name, pack)))}`,
    `  keywords: ${listOf(pack.keywords)}`,
    `  workflow: ${workflow}${isDefined ? '' : ' (not defined in this project)'}`,
    ...(builder === null ? [] : [`  builder: ${builder} (never executed)`]),
  ].join('\n');
}

function withDropped(name: string, { dropped }: ListedPack): string {
  const where = dropped.find(({ capability }) => capability === name)?.environments;
  return where ? `${name} (not in ${where.join(', ')})` : name;
}

function renderCapabilities(capabilities: readonly ListedCapability[]): string {
  const rows = capabilities.map(({ id, packs, from, needs, dropped_in: without, keywords, description }) => {
    const needed = needs === null ? '' : without.length > 0 ? `${needs}, not in ${without.join(', ')}` : needs;
    return [id, listOf(packs), from, needed, listOf(keywords), description];
  });
  return renderTable(['CAPABILITY', 'PACKS', 'FROM', 'NEEDS', 'KEYWORDS', 'DESCRIPTION'], rows);
}

function listOf(words: readonly string[]): string {
  return words.length > 0 ? words.join(', ') : 'none';
}
