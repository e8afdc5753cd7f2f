import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import { operationKinds } from '../../../definitions/operation-kinds.js';
import type { Registry } from '../../../definitions/registry.js';
import { type Context, openRegistry } from '../context.js';
import { renderTable } from '../render-table.js';
import { describeProblem } from '../report.js';

/** One ability in a list. */
interface ListedAbility {
  id: string;
  level: 'high' | 'low';
  type: string;
  version: number | string;
  environments: string[] | null;
  summary: string;
  file: string;
}

/** `ability list`: the abilities of the project, high-level ones first. Reads files only. Source: R-000-06. */
export async function run(context: Context): Promise<ExitCode> {
  const registry = await openRegistry(context);
  const { terminal, flags } = context;
  const abilities = abilitiesOf(registry).filter(({ environments }) => {
    return flags.env === undefined || environments === null || environments.includes(flags.env);
  });
  if (flags.json) terminal.printJson(abilities);
  else if (abilities.length === 0)
    terminal.note('This project has no abilities yet; `ability scaffold low-level KEY --kind script` makes one.');
  else {
    const rows = abilities.map(({ id, type, environments, summary }) => {
      return [id, type, environments?.join(', ') ?? 'all', summary];
    });
    terminal.print(renderTable(['ABILITY', 'TYPE', 'ENVIRONMENTS', 'SUMMARY'], rows));
  }
  for (const problem of registry.problems) terminal.note(describeProblem(problem, terminal.style));
  return EXIT.ok;
}

function abilitiesOf(registry: Registry): ListedAbility[] {
  const { workflows, operations } = registry;
  const high = [...workflows.values()].map(({ value, file }): ListedAbility => {
    const { id, type, version, summary, scope } = value;
    return { id, level: 'high', type, version, environments: scope.environments ?? null, summary, file };
  });
  const kindOf = operationKinds(registry);
  const low = [...operations.values()].map(({ value, file }): ListedAbility => {
    const { operation_key: id, version, summary, scope } = value;
    const type = kindOf(value);
    return { id, level: 'low', type, version, environments: scope.environments ?? null, summary, file };
  });
  const byId = (a: ListedAbility, b: ListedAbility): number => a.id.localeCompare(b.id);
  return [...high.sort(byId), ...low.sort(byId)];
}
