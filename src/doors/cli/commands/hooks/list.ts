import { findAbility } from '../../../answers/find-ability.js';
import { renderTable } from '../../output/render-table.js';
import type { AgentToolFlags } from '../../program/agent-tools.js';
import { type Context, environmentOf, openRegistry, variablesOf } from '../../program/context.js';

/** `ability hooks list [ID]`: what would run around an ability and why, or all hooks. Reads files only. */
export async function run(
  context: Context,
  [id]: [string | undefined],
  { caller }: AgentToolFlags['listHooks'],
): Promise<void> {
  const registry = await openRegistry(context);
  const { terminal, flags } = context;
  const { explainHooks, listHooks } = await import('../../../../planning/hooks/explain-hooks.js');
  if (id === undefined) {
    const hooks = listHooks(registry);
    if (flags.json) terminal.printJson(hooks);
    else {
      const rows = hooks.map((hook) => [hook.phase, hook.id, hook.handler, hook.blocking ? 'yes' : 'no', hook.fires]);
      terminal.print(renderTable(['PHASE', 'HOOK', 'HANDLER', 'BLOCKING', 'FIRES'], rows));
    }
    return;
  }
  await findAbility(registry, id);
  const environment = await environmentOf(context, registry);
  const { resolvePlan } = await import('../../../../planning/resolve/resolve-plan.js');
  const { hookLevelsOf } = await import('../../../../planning/hooks/explain-hooks.js');
  const { plan } = resolvePlan(registry, id, environment, await variablesOf(context, registry, environment));
  const hooks = explainHooks(registry, { ...hookLevelsOf(registry, plan), caller });
  if (flags.json) terminal.printJson({ ability: id, environment, caller: caller ?? null, hooks });
  else {
    const rows = hooks.map(({ phase, order, id: hook, handler, why }) => {
      return [phase, order === null ? '-' : String(order), hook, handler, why];
    });
    terminal.print(renderTable(['PHASE', 'ORDER', 'HOOK', 'HANDLER', 'WHY'], rows));
  }
}
