import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import { describeStanding, type Lifecycle, type Standing } from '../../../contracts/lifecycle.js';
import type { Placement } from '../../../contracts/placement.js';
import { operationKinds } from '../../../definitions/operation-kinds.js';
import type { Registry } from '../../../definitions/registry.js';
import { type Context, openRegistry } from '../context.js';
import { renderTable } from '../render-table.js';
import { describeProblem, typedBy } from '../report.js';
import { asTyped } from '../typed-command.js';

/** One ability in a list. */
interface ListedAbility {
  id: string;
  level: 'high' | 'low';
  type: string;
  version: number | string;
  environments: string[] | null;
  /** In the environment asked for, else in the project's own choice. */
  placement: Placement;
  /** Absent: nothing is said, and it is stable. */
  status?: Lifecycle;
  replaced_by?: string;
  /** False for a workflow without steps. */
  runnable: boolean;
  summary: string;
  file: string;
}

/** `ability list`: the abilities of the project, high-level ones first. Reads files only. Source: R-000-06. */
export async function run(context: Context, _: string[], { usage }: { usage?: boolean }): Promise<ExitCode> {
  const registry = await openRegistry(context);
  if (usage) return listUsage(context, registry);
  const { terminal, flags } = context;
  const { inferPlacement } = await import('../../../planning/infer-placement.js');
  const environment = flags.env ?? context.env.ABILITY_ENV ?? registry.project.default_environment;
  const place: Place = (id) => inferPlacement(registry, id, environment).placement;
  const abilities = abilitiesOf(registry, place).filter(({ environments }) => {
    return flags.env === undefined || environments === null || environments.includes(flags.env);
  });
  if (flags.json) terminal.printJson(abilities);
  else if (abilities.length === 0)
    terminal.note(
      asTyped('This project has no abilities yet; `ability scaffold low-level KEY --kind script` makes one.', context),
    );
  else {
    // A column that says nothing of anything is left out.
    const isStatusShown = abilities.some((ability) => wordsOn(ability) !== '');
    const rows = abilities.map((ability) => {
      const { id, type, placement, environments, summary } = ability;
      const status = isStatusShown ? [wordsOn(ability)] : [];
      return [id, type, placement, environments?.join(', ') ?? 'all', ...status, summary];
    });
    const status = isStatusShown ? ['STATUS'] : [];
    terminal.print(renderTable(['ABILITY', 'TYPE', 'PLACEMENT', 'ENVIRONMENTS', ...status, 'SUMMARY'], rows));
  }
  for (const problem of registry.problems) terminal.note(describeProblem(typedBy(context, problem), terminal.style));
  return EXIT.ok;
}

/** What the built-in hook `usage` has written of each ability; one that it has not seen has no calls. */
async function listUsage({ terminal, flags }: Context, registry: Registry): Promise<ExitCode> {
  const { UsageLog } = await import('../../../server/usage-log.js');
  const { pathsOf } = await import('../../../server/project-paths.js');
  const seen = new Map(new UsageLog(pathsOf(registry.root).system).read().map((one) => [one.ability_id, one]));
  const ids = [...new Set([...registry.workflows.keys(), ...registry.operations.keys(), ...seen.keys()])].sort();
  const rows = ids.map((id) => seen.get(id) ?? { ability_id: id, calls: 0, failures: 0, last_used: null });
  if (flags.json) terminal.printJson(rows);
  else {
    const cells = rows.map(({ ability_id, calls, failures, last_used }) => {
      return [ability_id, String(calls), String(failures), last_used ?? 'never'];
    });
    terminal.print(renderTable(['ABILITY', 'CALLS', 'FAILURES', 'LAST USED'], cells));
  }
  return EXIT.ok;
}

/** How an ability stands; nothing where it is stable and can be run. */
function wordsOn(ability: ListedAbility): string {
  return [describeStanding(ability), ability.runnable ? undefined : 'no steps'].filter(Boolean).join(', ');
}

type Place = (id: string) => Placement;

function standingOf({ status, replaced_by }: Standing): Pick<ListedAbility, 'status' | 'replaced_by'> {
  return { ...(status && { status }), ...(replaced_by !== undefined && { replaced_by }) };
}

function abilitiesOf(registry: Registry, place: Place): ListedAbility[] {
  const { workflows, operations } = registry;
  const high = [...workflows.values()].map(({ value, file }): ListedAbility => {
    const { id, type, version, summary, scope, steps } = value;
    const environments = scope.environments ?? null;
    const runnable = steps.length > 0;
    const entry = {
      id,
      level: 'high',
      type,
      version,
      environments,
      placement: place(id),
      ...standingOf(value),
    } as const;
    return { ...entry, runnable, summary, file };
  });
  const kindOf = operationKinds(registry);
  const low = [...operations.values()].map(({ value, file }): ListedAbility => {
    const { operation_key: id, version, summary, scope } = value;
    const type = kindOf(value);
    const environments = scope.environments ?? null;
    const entry = {
      id,
      level: 'low',
      type,
      version,
      environments,
      placement: place(id),
      ...standingOf(value),
    } as const;
    return { ...entry, runnable: true, summary, file };
  });
  const byId = (a: ListedAbility, b: ListedAbility): number => a.id.localeCompare(b.id);
  return [...high.sort(byId), ...low.sort(byId)];
}
