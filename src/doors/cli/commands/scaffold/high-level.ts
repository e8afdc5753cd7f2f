import { SCOPE_FIELDS } from '../../../../authoring/choices.js';
import { planHighLevel } from '../../../../authoring/scaffold/plan-high-level.js';
import { readFields, splitList } from '../../../../authoring/scaffold/read-fields.js';
import { checkNewAbility } from '../../../../authoring/scaffold/scaffold.js';
import { usageError } from '../../../../contracts/problem.js';
import type { ExitCode } from '../../../../contracts/states.js';
import { abilityIds, loadedAbility } from '../../../../definitions/find-ability.js';
import { askSummary, askText } from '../../input/ask.js';
import type { AuthoringFlags } from '../../program/authoring.js';
import { type Context, openRegistry } from '../../program/context.js';
import { finishScaffold } from './finish-scaffold.js';
import { scaffoldOrFromDefinition } from './from-definition.js';

/** `ability scaffold high-level ID`: a workflow with calls and a case that mocks them, or that of `--from`. */
export function run(context: Context, [id = '']: [string?], flags: AuthoringFlags['highLevel']): Promise<ExitCode> {
  const request = { kind: 'high-level', name: id, argument: 'ID', flags, companion: 'config' } as const;
  return scaffoldOrFromDefinition(context, request, async () => {
    const scope = readFields(flags.scope, '--scope', SCOPE_FIELDS);
    const registry = await openRegistry(context);
    checkNewAbility(registry, id);
    const known = abilityIds(registry).slice(0, 8).join(', ');
    const message = `What does it call, in order? (with commas; there are ${known || 'none yet'})`;
    const calls = splitList(await askText(context, flags.calls, { flag: '--calls', message }));
    if (calls.length === 0) {
      throw usageError('--calls names no ability', 'Pass --calls A,B; `ability list` shows what there is.');
    }
    const summary = await askSummary(context, flags.summary);
    return finishScaffold(context, {
      scopes: (registry) => [
        scope.environments,
        ...calls.map((call) => loadedAbility(registry, call)?.value.scope.environments),
      ],
      plan: (site) => planHighLevel(site, { id, calls, scope, summary }),
    });
  });
}
