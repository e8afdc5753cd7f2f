import type { Plan, PlanHook, PlanHooks } from '../../contracts/plan.js';
import { markdownCode } from '../../rules/shown-text.js';

/** What the hooks of a task run that are scripts, with its digest, as a section of Markdown; none where there are none. */
export function renderHookScripts({ ability, operations }: Plan): string[] {
  const hooks = [ability, ...Object.values(operations)].flatMap((owner) => allOf(owner.hooks));
  const lines = hooks.flatMap(({ id, handler }) =>
    handler.kind === 'script'
      ? [`- ${markdownCode(id)}: ${markdownCode(handler.script.path)}, SHA-256 ${handler.script.digest}`]
      : [],
  );
  return lines.length === 0 ? [] : [`## Scripts of hooks\n\n${[...new Set(lines)].join('\n')}`];
}

function allOf({ pre_create, pre_call, post_call }: PlanHooks): PlanHook[] {
  return [...pre_create, ...pre_call, ...post_call];
}
