import { renderTable } from '../../output/render-table.js';
import type { AgentToolFlags } from '../../program/agent-tools.js';
import { type Context, openAbility, openRegistry, printAnswer } from '../../program/context.js';

/** `ability hooks list [ID]`: what would run around an ability and why, or all hooks. Reads files only. */
export async function run(context: Context, [id]: [string?], { caller }: AgentToolFlags['listHooks']): Promise<void> {
  const { explainHooks, hookLevelsOf, listHooks } = await import('../../../../planning/hooks/explain-hooks.js');
  if (id === undefined) {
    const all = listHooks(await openRegistry(context));
    const rows = all.map((hook) => [hook.phase, hook.id, hook.handler, hook.blocking ? 'yes' : 'no', hook.fires]);
    return printAnswer(context, all, () => renderTable(['PHASE', 'HOOK', 'HANDLER', 'BLOCKING', 'FIRES'], rows));
  }
  const { registry, environment, variables } = await openAbility(context, id);
  const { resolvePlan } = await import('../../../../planning/resolve/resolve-plan.js');
  const { plan } = resolvePlan(registry, id, environment, variables);
  const hooks = explainHooks(registry, { ...hookLevelsOf(registry, plan), caller });
  const rows = hooks.map(({ phase, order, id: hook, handler, why }) => [
    phase,
    String(order ?? '-'),
    hook,
    handler,
    why,
  ]);
  printAnswer(context, { ability: id, environment, caller: caller ?? null, hooks }, () =>
    renderTable(['PHASE', 'ORDER', 'HOOK', 'HANDLER', 'WHY'], rows),
  );
}
