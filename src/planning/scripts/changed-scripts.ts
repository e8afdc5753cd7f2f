import type { Plan, PlanHooks, PlanScript } from '../../contracts/plan.js';
import { scriptsOfHandler } from '../hooks/hook-parts.js';
import { ProjectFiles } from './script-files.js';

/** Scripts, and files they read or import, that are missing or changed here. @returns sorted relative paths. */
export function changedScripts(root: string, plan: Plan): string[] {
  const files = new ProjectFiles(root);
  const changed = scriptsOf(plan)
    .flatMap(({ path, digest, files: others = [] }) => [{ path, digest }, ...others])
    .filter(({ path, digest }) => {
      const here = files.read(path);
      return typeof here === 'string' || here.digest !== digest;
    });
  return [...new Set(changed.map(({ path }) => path))].sort();
}

function scriptsOf({ ability, operations, workflows = {} }: Plan): PlanScript[] {
  const calls = Object.values(operations);
  const implementations = calls.flatMap(({ implementation: own }) => (own.kind === 'script' ? [own.script] : []));
  const abilities = [ability, ...Object.values(workflows).map((workflow) => workflow.ability)];
  return [...implementations, ...[...abilities, ...calls].flatMap(({ hooks }) => scriptsOfHooks(hooks))];
}

function scriptsOfHooks({ pre_create, pre_call, post_call }: PlanHooks): PlanScript[] {
  return [...pre_create, ...pre_call, ...post_call].flatMap(({ handler }) => scriptsOfHandler(handler));
}
