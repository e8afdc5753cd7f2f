import { formatLocation, type Problem } from '../contracts/problem.js';
import { didYouMean } from '../text/nearest.js';
import type { HookDefinition, WrittenHook } from './formats/hooks.js';
import { type Loaded, type Registry, unreadable } from './registry.js';

/**
 * A hook with its handler, from its definition or from `config/hooks_impl.yaml`, which was read before.
 * Source: R-002-11, R-002-12. @returns an error for no handler or two: such a hook must not count as absent.
 */
export function handledHook(registry: Registry, hook: Loaded<WrittenHook>): Loaded<HookDefinition> | Problem {
  const { value } = hook;
  const apart = registry.hookImpls.get(value.id);
  if (value.handler === undefined) {
    return apart ? joined(hook, apart) : noHandler(registry, hook);
  }
  const broken = registry.broken.get(`hook_impl:${value.id}`);
  if (broken) return broken;
  if (apart) {
    const places = `${formatLocation(hook.locate(['handler']))} and ${formatLocation(apart.locate([]))}`;
    return {
      code: 'definition.duplicate',
      message: `The hook ${value.id} has two handlers, in ${places}; neither is used`,
      location: apart.locate([]),
      suggestion: 'Delete one of them.',
    };
  }
  return { ...hook, value: { ...value, handler: value.handler } };
}

/** Reports findings about the handler at its own place. */
function joined(hook: Loaded<WrittenHook>, apart: NonNullable<ReturnType<Registry['hookImpls']['get']>>) {
  const { impl } = apart.value;
  const isScript = 'script' in impl;
  const handler = isScript
    ? { script: impl.script }
    : { ability: { key: impl.ability_id, with: undefined, timeout_sec: undefined } };
  const locate: Loaded<HookDefinition>['locate'] = (path, part) =>
    path[0] === 'handler'
      ? apart.locate(['impl', ...(isScript ? path.slice(1) : path.slice(1, 2).map(() => 'ability_id'))], part)
      : hook.locate(path, part);
  return { ...hook, locate, value: { ...hook.value, handler } };
}

function noHandler(registry: Registry, { value, locate }: Loaded<WrittenHook>): Problem {
  const broken = registry.broken.get(`hook_impl:${value.id}`) ?? unreadable(registry, 'hooks-impl', 'config');
  if (broken) return broken;
  return {
    code: 'definition.invalid',
    message: `The hook ${value.id} has no handler`,
    location: locate([]),
    suggestion:
      didYouMean(value.id, [...registry.hookImpls.keys()]) ??
      'Write a `handler`, or an entry for it in registry/config/hooks_impl.yaml.',
  };
}
