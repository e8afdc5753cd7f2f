import { lowLevel, SCRIPT } from '../../temporary-project.js';
import type { LintCase } from '../lint-case.js';

const FREEZE = `handler: { expression: { deny_if: "now().getFullYear('Asia/Tokyo') >= 2027 && now().getFullYear('Europe/Berlin') == 2027" } }`;
const GUARD = 'handler: { expression: { deny_if: "environment.protected" } }';

const guards = (...hooks: string[]) => ({
  'registry/hooks/PreAbilityCall.yaml': ['hooks:', ...hooks.map((hook) => `  - ${hook}`)].join('\n'),
});

const bound = (binding: string) => lowLevel('op.guarded', `hooks: ${binding}`, SCRIPT);

const config = (...lines: string[]) => ({
  'registry/config/abilities.yaml': ['abilities:', '  - id: op.guarded', ...lines.map((line) => `    ${line}`)].join(
    '\n',
  ),
});

/** Hooks that do not apply where they seem to. */
export const HOOK_CASES: LintCase[] = [
  {
    code: 'lint.hook_uncovered',
    name: 'a guard of another tool is bound, and shown the ability in another environment only',
    files: {
      ...bound('{ pre_call: [guard] }'),
      ...guards(
        '{ id: guard, handler: { script: { path: scripts/any.mjs }, format: claude-code }, abstain: deny, as: ▶[ { match: { environments: [prod] }, tool_name: Bash, tool_input: { command: x } } ] }',
      ),
    },
  },
  {
    code: 'lint.hook_uncovered',
    name: 'a guard of another tool matches what it is shown, and no more',
    files: {
      ...lowLevel('op.guarded', SCRIPT),
      ...lowLevel('op.other', 'summary: Another one.', SCRIPT),
      ...guards(
        '{ id: guard, match: { abilities: [op.guarded] }, blocking: true, handler: { script: { path: scripts/any.mjs }, format: claude-code }, abstain: deny, as: [ { match: { abilities: [op.guarded] }, tool_name: Bash, tool_input: { command: x } } ] }',
      ),
    },
  },
  {
    code: 'lint.hook_uncovered',
    name: 'a guard of another tool is global, and shown one ability of two',
    files: {
      ...lowLevel('op.guarded', SCRIPT),
      ...lowLevel('op.other', 'summary: Another one.', SCRIPT),
      ...guards(
        '{ id: guard, match: {}, blocking: true, handler: { script: { path: scripts/any.mjs }, format: claude-code }, abstain: deny, as: ▶[ { match: { abilities: [op.guarded] }, tool_name: Bash, tool_input: { command: x } } ] }',
      ),
    },
  },
  {
    code: 'lint.hook_example',
    name: 'a moment inside the window is allowed',
    files: guards(
      `{ id: guard, match: {}, blocking: true, ${FREEZE}, examples: [ ▶{ now: 2026-12-31T22:59:00Z, decision: deny } ] }`,
    ),
  },
  {
    code: 'lint.hook_example',
    name: 'a value that the condition reads is missing',
    files: guards(
      '{ id: guard, match: {}, blocking: true, handler: { expression: { deny_if: "input.n > 1" } }, examples: [ ▶{ decision: allow } ] }',
    ),
  },
  {
    code: 'lint.hook_example',
    name: 'a minute later, by the clock of the zone',
    files: guards(
      `{ id: guard, match: {}, blocking: true, ${FREEZE}, examples: [ { now: 2027-01-01T00:00:00+01:00, decision: deny } ] }`,
    ),
  },
  {
    code: 'lint.hook_disabled',
    name: 'bound by the operation',
    files: { ...guards(`{ id: guard, enabled: false, ${GUARD} }`), ...bound('{ pre_call: [▶guard] }') },
  },
  {
    code: 'lint.hook_disabled',
    name: 'bound by the configuration',
    files: {
      ...guards(`{ id: guard, enabled: false, ${GUARD} }`),
      ...lowLevel('op.guarded', SCRIPT),
      ...config('hooks:', '  pre_call:', '    - ▶guard'),
    },
  },
  {
    code: 'lint.hook_disabled',
    name: 'one that is not bound is switched off on purpose',
    files: guards(`{ id: guard, enabled: false, ${GUARD} }`),
  },
  {
    code: 'lint.claimed_caller',
    name: 'R-000-82: on the command line it is a claim',
    files: guards(`{ id: guard, blocking: true, match: { callers: ▶[agent] }, ${GUARD} }`),
  },
  {
    code: 'lint.claimed_caller',
    name: 'R-000-82: an agent may as well claim to be CI',
    files: guards(`{ id: guard, blocking: true, match: { callers: ▶[agent, person] }, ${GUARD} }`),
  },
  {
    code: 'lint.claimed_caller',
    name: 'R-000-82: one that also fires for persons cannot be avoided this way',
    files: guards(`{ id: guard, blocking: true, match: { callers: [agent, person, ci] }, ${GUARD} }`),
  },
  {
    code: 'lint.guard_without_example',
    name: 'a guard of all abilities',
    files: guards(`{ id: ▶guard, blocking: true, match: {}, ${GUARD} }`),
  },
  {
    code: 'lint.guard_without_example',
    name: 'a guard of some abilities',
    files: guards(`{ id: ▶guard, blocking: true, match: { abilities: ["op.*"] }, ${GUARD} }`),
  },
  {
    code: 'lint.guard_without_example',
    name: 'one with an example of what it refuses',
    files: guards(
      `{ id: guard, blocking: true, match: {}, ${GUARD}, examples: [{ context: { environment: { name: dev, protected: true } }, expect: deny }] }`,
    ),
  },
  {
    code: 'lint.hook_narrowed',
    name: 'C-44: bound by an operation',
    files: { ...guards(`{ id: ▶guard, blocking: true, ${GUARD} }`), ...bound('{ pre_call: [guard] }') },
  },
  {
    code: 'lint.hook_narrowed',
    name: 'C-44: bound by the configuration of one environment',
    files: {
      ...guards(`{ id: ▶guard, blocking: true, ${GUARD} }`),
      ...lowLevel('op.guarded', SCRIPT),
      ...config('environments:', '  dev:', '    hooks: { pre_call: [guard] }'),
    },
  },
  {
    code: 'lint.hook_narrowed',
    name: 'C-44: each has a `match`, or is only bound',
    files: {
      ...guards(
        `{ id: guard, blocking: true, match: {}, ${GUARD} }`,
        `{ id: named, blocking: true, match: { abilities: [op.guarded] }, ${GUARD} }`,
        `{ id: plain, ${GUARD} }`,
        `{ id: everywhere, blocking: true, ${GUARD} }`,
      ),
      ...bound('{ pre_call: [guard, named, plain] }'),
    },
  },
  {
    code: 'lint.hooks_dropped',
    name: 'in one environment',
    files: {
      ...guards(`{ id: guard, ${GUARD} }`),
      ...bound('{ pre_call: [guard] }'),
      ...config('environments:', '  dev:', '    hooks: { replace: ▶true }'),
    },
  },
  {
    code: 'lint.hooks_dropped',
    name: 'everywhere, for another hook',
    files: {
      ...guards(`{ id: guard, ${GUARD} }`, `{ id: other, ${GUARD} }`),
      ...bound('{ pre_call: [guard] }'),
      ...config('hooks:', '  pre_call: [other]', '  replace: ▶true'),
    },
  },
  {
    code: 'lint.hooks_dropped',
    name: 'a replaced list that keeps them',
    files: {
      ...guards(`{ id: guard, ${GUARD} }`, `{ id: other, ${GUARD} }`),
      ...bound('{ pre_call: [guard] }'),
      ...config('hooks: { pre_call: [other, guard], replace: true }'),
    },
  },
];
