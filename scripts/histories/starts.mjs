// Ways in which a task begins: what preflight refuses or takes longer for, starts without a client of ours, and guards that
// are shown as activities.
import { operation, workflow } from './definitions.mjs';

const HOOKS = {
  'registry/hooks/PreAbilityCreate.yaml': `
hooks:
  - { id: never, blocking: true, handler: { expression: { deny_if: "has(input.refuse)", reason: Not this. } } }
  - { id: slow, blocking: true, match: { abilities: [util.slow] }, handler: { script: { path: hooks/allow.mjs } } }
`,
  'registry/hooks/PreAbilityCall.yaml':
    'hooks: [{ id: rule, blocking: true, handler: { expression: { warn_if: "true", reason: Look twice. } } }]\n',
  'registry/hooks/PostAbilityCall.yaml': 'hooks: [{ id: counts, handler: { builtin: usage } }]\n',
  'hooks/allow.mjs': 'console.log(JSON.stringify({ guard_decision: "allow" }));\n',
};

const files = (policy) => ({
  'ability.yaml': `format: 1\nproject: histories\nenvironments: { dev: {} }\n${policy}`,
  ...HOOKS,
  ...operation('util.echo', 'return input;'),
  ...operation('util.slow', 'return input;'),
  ...workflow('far', 'placement: cloud\nsteps: [{ id: a, call: util.echo, with: { n: 1 } }]'),
});

/** The files of a project with its usual guards, and of one that shows each guard as an activity. */
export const START_FILES = files('');
export const SHOWN_FILES = files('policy: { hooks: activities }\n');

export const STARTS = {
  refused: { ability: 'util.echo', input: { refuse: true } },
  'refused-outside': { ability: 'gone', input: {}, outside: true },
  outside: { ability: 'util.echo', input: { n: 1 }, outside: true },
  'script-before-creation': { ability: 'util.slow', input: {} },
  moved: { ability: 'far', input: {}, outside: true },
};

export const SHOWN = { 'shown-guards': { ability: 'util.echo', input: { n: 1 } } };
