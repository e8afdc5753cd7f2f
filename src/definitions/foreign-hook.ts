import { FOREIGN_EVENTS } from '../contracts/foreign-hooks.js';
import type { Phase } from '../contracts/hooks.js';
import type { Problem } from '../contracts/problem.js';
import type { HookDefinition } from './formats/hooks.js';
import type { Loaded } from './registry.js';
import { keysOfTool } from './tool-mapping/tool-shapes.js';
import { partsOfHandler } from './written-handler.js';

const FOREIGN_KEYS = ['as', 'must_deny', 'abstain'] as const;

/** Whether a hook is a script or an ability that speaks the protocol of another tool. */
export function isForeign({ handler }: Pick<HookDefinition, 'handler'>): boolean {
  return partsOfHandler(handler).format !== undefined;
}

/**
 * The error in a hook written for another tool, if any. Its silence usually allows, so before calls it needs
 * `must_deny` or `abstain`.
 */
export function faultOfForeignHook({ value, locate }: Loaded<HookDefinition>, phase: Phase): Problem | undefined {
  const invalid = (message: string, path: PropertyKey[], suggestion: string): Problem => {
    return { code: 'definition.invalid', message, location: locate(path), suggestion };
  };
  const { handler, id } = value;
  if (!isForeign(value)) {
    const key = FOREIGN_KEYS.find((name) => value[name] !== undefined);
    const path = key === undefined ? foreignPartOf(handler) : [key];
    if (!path) return undefined;
    const message = `\`${String(path.at(-1))}\` of the hook ${id} belongs to a script or an ability with a \`format\``;
    return invalid(message, path, 'Write `format: claude-code` beside `script` or `ability`, or leave this key out.');
  }
  if (phase === 'SessionStart') {
    const suggestion = 'Write its handler as a script without `format`, or as an expression.';
    const message = `The hook ${id} decides whether a session starts, which no other tool's protocol can`;
    return invalid(message, [], suggestion);
  }
  if (phase === 'PreAbilityCreate') {
    const suggestion = 'Move it to PreAbilityCall.yaml.';
    return invalid(`The hook ${id} checks the input of calls, which is not known yet in this phase`, [], suggestion);
  }
  if ('ability' in handler && value.must_deny !== undefined) {
    const message = `The handler of the hook ${id} is an ability, which is not called to prove \`must_deny\``;
    const suggestion =
      'Write `examples` for `ability hooks test`, and set what silence means: `abstain: deny` or `allow`.';
    return invalid(message, ['must_deny'], suggestion);
  }
  const { event } = partsOfHandler(handler);
  if (event !== undefined && FOREIGN_EVENTS[event] !== phase) {
    const suggestion = `Move it to ${FOREIGN_EVENTS[event]}.yaml, or name another event.`;
    const message = `The event ${event} of the hook ${id} is not an event of ${phase}`;
    return invalid(message, ['handler', 'event'], suggestion);
  }
  if (phase === 'PromptSubmit' || phase === 'SessionStop') {
    const advice = 'Leave it out: an event of a session is about no ability.';
    const needless = FOREIGN_KEYS.find((name) => value[name] !== undefined);
    return needless && invalid(`The hook ${id} of ${phase} has no use for \`${needless}\``, [needless], advice);
  }
  if (phase === 'PreAbilityCall' || phase === 'PostAbilityCall') {
    if (!value.as) {
      const suggestion = 'Write `as`, a list of `{ match, tool_name, tool_input }`.';
      const message = `The hook ${id} does not state as which tool it sees an ability`;
      return invalid(message, ['handler', 'format'], suggestion);
    }
    for (const [index, { tool_name, tool_input }] of value.as.entries()) {
      const fault = typeof tool_input === 'string' ? undefined : faultOfKeys(tool_name, Object.keys(tool_input));
      if (fault) return invalid(`The hook ${id}: ${fault.text}`, ['as', index, 'tool_input'], fault.advice);
    }
  }
  if (phase === 'PreAbilityCall' && value.must_deny === undefined && value.abstain === undefined) {
    const suggestion =
      'ability' in handler
        ? 'Set what its silence means: `abstain: deny` or `allow`.'
        : 'List calls that it must deny under `must_deny`, or set what its silence means: `abstain: deny` or `allow`.';
    return invalid(`The hook ${id} does not state what it must deny, and its silence would mean allow`, [], suggestion);
  }
  if (phase === 'PreAbilityCall') return undefined;
  const key = (['must_deny', 'abstain'] as const).find((name) => value[name] !== undefined);
  const advice = 'Leave it out, or move the hook to PreAbilityCall.yaml.';
  return key && invalid(`The hook ${id} of ${phase} decides nothing, so it has no \`${key}\``, [key], advice);
}

/** Path of a key in the handler that makes sense only with a `format`; undefined: none. */
function foreignPartOf(handler: HookDefinition['handler']): PropertyKey[] | undefined {
  const { event, script } = partsOfHandler(handler);
  if (event !== undefined) return ['handler', 'event'];
  return script && 'plugin_root' in script ? ['handler', 'script', 'plugin_root'] : undefined;
}

function faultOfKeys(tool: string, keys: string[]): { text: string; advice: string } | undefined {
  const shape = keysOfTool(tool);
  if (!shape) return undefined;
  const missing = shape.required.filter((key) => !keys.includes(key));
  const unknown = keys.filter((key) => !shape.known.includes(key));
  if (missing.length + unknown.length === 0) return undefined;
  const text =
    missing.length > 0 ? `${tool} needs ${missing.join(', ')}` : `${tool} does not accept ${unknown.join(', ')}`;
  return { text, advice: `${tool} accepts ${shape.known.join(', ')}.` };
}
