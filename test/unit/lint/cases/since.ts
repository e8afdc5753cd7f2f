import { lowLevel, SCRIPT } from '../../temporary-project.js';
import type { LintCase } from '../lint-case.js';

const two = (...lines: string[]) => lowLevel('op.two', ...lines, SCRIPT);

const GUARDS = {
  'registry/hooks/PreAbilityCall.yaml': [
    'hooks:',
    '  - { id: guard, handler: { expression: { deny_if: "environment.protected" } } }',
    '  - { id: everywhere, blocking: true, match: { abilities: ["*"] }, handler: { expression: { deny_if: "environment.protected" } } }',
  ].join('\n'),
};

const hooksFile = (start: string) => ({
  'registry/hooks/PreAbilityCall.yaml': `hooks: [${start}handler: { expression: { deny_if: "environment.protected" } } }]`,
});
const UNMATCHED = hooksFile('{ id: guard, blocking: true, ');

const input = (properties: string, more = '') => `input_schema: { type: object, properties: { ${properties} }${more} }`;

const output = (properties: string, more = '') =>
  `output_schema: { type: object, properties: { ${properties} }${more} }`;

const flow = (id: string, ...called: string[]) => ({
  [`registry/high-level/${id}.yaml`]: [
    `id: ${id}`,
    'type: workflow',
    'version: 1',
    'summary: a',
    'steps:',
    ...called.map((call, index) => `  - { id: s${index}, call: ${call}, with: {} }`),
  ].join('\n'),
});

/** The guard of `op.two`, which is the only ability in its file, before and after a change. */
function changedGuard(
  name: string,
  before: string,
  after: string,
  mark: 'hook' | 'ability' | 'none' = 'hook',
): LintCase {
  const ability = `${mark === 'ability' ? '▶' : ''}${Object.values(two('effects: destructive'))[0]}`;
  const file = (hook: string) => ({ 'registry/hooks/PreAbilityCall.yaml': `hooks: [{ id: guard, ${hook} }]` });
  return {
    code: 'lint.break_guard',
    name,
    before: { ...file(before.replaceAll('▶', '')), ...two('effects: destructive') },
    files: { ...file(after), 'registry/low-level/op.two.yaml': ability },
  };
}
const DENIES = 'handler: { expression: { deny_if: "environment.protected" } }';
const on = (match: string, handler = DENIES): string =>
  `blocking: true, match: { abilities: [op.two]${match} }, ${handler}`;
const rule = (expression: string, mark = ''): string => on('', `handler: ${mark}{ expression: { ${expression} } }`);
const silent = (abstain: string): string =>
  on(
    '',
    `handler: { format: claude-code, script: { path: scripts/x.mjs } }, abstain: ${abstain}, as: [{ match: {}, tool_name: Bash, tool_input: { command: a } }]`,
  );

/** Contracts that broke since a revision, and changes that break no caller. */
export const SINCE_CASES: LintCase[] = [
  {
    code: 'lint.break_removed',
    name: 'an operation',
    before: { 'registry/low-level/op.two.yaml': `▶${Object.values(two())[0]}` },
    files: {},
  },
  {
    code: 'lint.break_removed',
    name: 'a workflow',
    before: {
      'registry/high-level/flow.yaml': '▶id: flow\ntype: workflow\nversion: 1\nsummary: a\nsteps: [{ id: a, let: {} }]',
    },
    files: {},
  },
  {
    code: 'lint.break_removed',
    name: 'moved to another file',
    before: two(),
    files: { 'registry/low-level/other-name.yaml': Object.values(two())[0] ?? '' },
  },
  {
    code: 'lint.break_effect',
    name: 'from read to write',
    before: two('effects: read'),
    files: two('effects: ▶write_additive'),
  },
  {
    code: 'lint.break_effect',
    name: 'left out',
    before: two('effects: external_read'),
    files: { 'registry/low-level/op.two.yaml': `▶operation_key: op.two\nsummary: a\n${SCRIPT}` },
  },
  {
    code: 'lint.break_effect',
    name: 'of a workflow, by what it calls through another one',
    before: {
      ...two('effects: destructive'),
      ...flow('inner', 'op.read'),
      ...flow('outer', 'inner'),
    },
    files: { ...two('effects: destructive'), ...flow('inner', '▶op.two'), ...flow('outer', '▶inner') },
  },
  {
    code: 'lint.break_effect',
    name: 'of a workflow that calls something else of the same effect',
    before: { ...two('effects: read'), ...flow('inner', 'op.two') },
    files: { ...two('effects: read'), ...flow('inner', 'op.two', 'op.two') },
  },
  { code: 'lint.break_effect', name: 'milder', before: two('effects: destructive'), files: two('effects: read') },
  {
    code: 'lint.break_input_narrowed',
    name: 'a limit',
    before: two(input('a: { type: string, maxLength: 9 }, b: { type: integer }')),
    files: two(input('a: { type: string, maxLength: ▶5 }, b: { type: integer, minimum: ▶1 }')),
  },
  {
    code: 'lint.break_input_narrowed',
    name: 'closed for other fields',
    before: two(input('a: { type: string }')),
    files: two(input('a: { type: string }', ', additionalProperties: ▶false')),
  },
  {
    code: 'lint.break_input_narrowed',
    name: 'a wider limit',
    before: two(input('a: { type: string, maxLength: 5, minLength: 1 }')),
    files: two(input('a: { type: string, maxLength: 9 }')),
  },
  {
    code: 'lint.break_output_widened',
    name: 'a limit',
    before: two(output('a: { type: integer, maximum: 5 }')),
    files: two(output('a: { type: integer, maximum: ▶9 }')),
  },
  {
    code: 'lint.break_output_removed',
    name: 'a property with a name that every object has',
    before: two(output('a: { type: string }, toString: { type: string }')),
    files: two('output_schema: { type: object, properties: ▶{ a: { type: string } } }'),
  },
  {
    code: 'lint.break_input_required',
    name: 'a new one',
    before: two(input('a: { type: string }')),
    files: two(input('a: { type: string }, b: { type: string }', ', required: ▶[b]')),
  },
  {
    code: 'lint.break_input_required',
    name: 'an optional one, deep inside',
    before: two(input('a: { type: object, properties: { b: { type: string } } }')),
    files: two(input('a: { type: object, properties: { b: { type: string } }, required: ▶[b] }')),
  },
  {
    code: 'lint.break_input_required',
    name: 'one with a default, and a new version',
    before: {
      ...two(input('a: { type: string }')),
      ...lowLevel('op.three', 'version: 1', input('a: { type: string }'), SCRIPT),
    },
    files: {
      ...two(input('a: { type: string }, b: { type: string, default: x }', ', required: [b]')),
      ...lowLevel('op.three', 'version: 2', input('a: { type: string }', ', required: [a]'), SCRIPT),
    },
  },
  {
    code: 'lint.break_input_narrowed',
    name: 'a type',
    before: two(input('a: { type: [string, integer] }')),
    files: two(input('a: { type: ▶string }')),
  },
  {
    code: 'lint.break_input_narrowed',
    name: 'a value and a property',
    before: two(input('a: { enum: [x, y] }, b: { type: string }')),
    files: two('input_schema: { type: object, additionalProperties: ▶false, properties: ▶{ a: { enum: ▶[x] } } }'),
  },
  {
    code: 'lint.break_input_narrowed',
    name: 'more values, and an integer that may be any number',
    before: two(input('a: { enum: [x] }, b: { type: integer }')),
    files: two(input('a: { enum: [x, y] }, b: { type: number }')),
  },
  {
    code: 'lint.break_output_removed',
    name: 'a property',
    before: two(output('a: { type: string }, b: { type: string }')),
    files: two('output_schema: { type: object, properties: ▶{ a: { type: string } } }'),
  },
  {
    code: 'lint.break_output_removed',
    name: 'a promise',
    before: two(output('a: { type: string }', ', required: [a]')),
    files: two(output('a: { type: string }', ', required: ▶[]')),
  },
  {
    code: 'lint.break_output_removed',
    name: 'one more property',
    before: two(output('a: { type: string }')),
    files: two(output('a: { type: string }, b: { type: string }', ', required: [a]')),
  },
  {
    code: 'lint.break_output_widened',
    name: 'a type',
    before: two(output('a: { type: string }')),
    files: two(output('a: { type: ▶[string, "null"] }')),
  },
  {
    code: 'lint.break_output_widened',
    name: 'a value',
    before: two(output('a: { enum: [x] }')),
    files: two(output('a: { enum: ▶[x, y] }')),
  },
  {
    code: 'lint.break_output_widened',
    name: 'one value fewer',
    before: two(output('a: { enum: [x, y] }')),
    files: two(output('a: { enum: [x] }')),
  },
  {
    code: 'lint.break_scope',
    name: 'one environment fewer',
    before: two('scope: { environments: [dev, staging] }'),
    files: two('scope: { environments: ▶[dev] }'),
  },
  {
    code: 'lint.break_scope',
    name: 'no longer everywhere',
    before: two(),
    files: two('scope: { environments: ▶[dev, staging] }'),
  },
  {
    code: 'lint.break_scope',
    name: 'one more environment',
    before: two('scope: { environments: [dev] }'),
    files: two('scope: { environments: [dev, staging] }'),
  },
  {
    code: 'lint.break_guard',
    name: 'no longer bound',
    before: {
      ...GUARDS,
      ...two('hooks: { pre_call: [guard] }'),
      ...lowLevel('op.three', 'hooks: { pre_call: [guard] }', SCRIPT),
    },
    files: {
      ...GUARDS,
      ...two('▶hooks: { pre_call: [everywhere] }'),
      ...lowLevel('op.three', 'hooks: { pre_call: [guard] }', SCRIPT),
    },
  },
  {
    code: 'lint.break_guard',
    name: 'switched off',
    before: { ...GUARDS, 'registry/low-level/op.two.yaml': Object.values(two())[0] ?? '' },
    files: {
      'registry/low-level/op.two.yaml': `▶${Object.values(two())[0]}`,
      'registry/low-level/op.read.yaml': `▶${Object.values(lowLevel('op.read', 'version: 1', SCRIPT))[0]}`,
      'registry/hooks/PreAbilityCall.yaml': GUARDS['registry/hooks/PreAbilityCall.yaml'].replace(
        'abilities: ["*"]',
        'abilities: ["none.*"]',
      ),
      ...lowLevel('op.three', 'hooks: { pre_call: [guard] }', SCRIPT),
    },
  },
  {
    code: 'lint.break_guard',
    name: 'bound by the configuration instead',
    before: { ...GUARDS, ...two('hooks: { pre_call: [guard] }') },
    files: {
      ...GUARDS,
      ...two(),
      'registry/config/c.yaml': 'abilities: [{ id: op.two, hooks: { pre_call: [guard] } }]\n',
    },
  },
  {
    code: 'lint.break_guard',
    name: 'C-44: a guard of all that another ability binds',
    before: { ...UNMATCHED, ...two(), ...lowLevel('op.three', SCRIPT) },
    files: {
      ...UNMATCHED,
      'registry/low-level/op.two.yaml': `▶${Object.values(two())[0]}`,
      'registry/low-level/op.read.yaml': `▶${Object.values(lowLevel('op.read', 'version: 1', SCRIPT))[0]}`,
      ...lowLevel('op.three', 'hooks: { pre_call: [guard] }', SCRIPT),
    },
  },
  {
    code: 'lint.break_guard',
    name: 'C-44: a guard of all that another ability binds, and that stays everywhere',
    before: { ...UNMATCHED, ...two(), ...lowLevel('op.three', SCRIPT) },
    files: {
      ...hooksFile('{ id: guard, blocking: true, match: {}, '),
      ...two(),
      ...lowLevel('op.three', 'hooks: { pre_call: [guard] }', SCRIPT),
    },
  },
  changedGuard('for fewer callers', on(''), on(', callers: ▶[agent]')),
  changedGuard('without one of its callers', on(', callers: [agent, ci]'), on(', callers: ▶[agent]')),
  changedGuard('for other callers', on(', callers: [agent]'), on(', callers: ▶[ci]')),
  changedGuard('for more callers', on(', callers: [session]'), on(', callers: [person, session]'), 'none'),
  changedGuard('for all callers, in other words', on(''), on(', callers: [child, ci, session, agent, person]'), 'none'),
  changedGuard('for another kind', on(''), on(', kinds: [mcp]'), 'ability'),
  changedGuard('for other effects', on(''), on(', effects: [read]'), 'ability'),
  changedGuard('for other environments', on(''), on(', environments: [staging]'), 'ability'),
  changedGuard('for other tags', on(''), on(', tags: [sql]'), 'ability'),
  changedGuard('for other modules', on(''), on(', modules: [db]'), 'ability'),
  changedGuard('for other abilities', on(''), on('').replace('op.two', 'op.none'), 'ability'),
  changedGuard('not enabled', on(''), `enabled: false, ${on('')}`, 'ability'),
  changedGuard('that denied and asks', rule('deny_if: input.a'), rule('confirm_if: input.a', '▶')),
  changedGuard(
    'that denied and lets people raise its limit',
    rule('deny_if: session.counts.total > 3'),
    rule('deny_if: session.counts.total > 3 + session.raised, on_limit: ask', '▶'),
  ),
  changedGuard('that denied and warns', rule('deny_if: input.a'), rule('warn_if: input.a', '▶')),
  changedGuard('that no longer asks', rule('deny_if: input.a, confirm_if: input.b'), rule('deny_if: input.a', '▶')),
  changedGuard('that only counts', on(''), on('', 'handler: ▶{ builtin: usage }')),
  changedGuard('that asked and denies', rule('confirm_if: input.a'), rule('deny_if: input.a'), 'none'),
  changedGuard('silent, no longer a deny', silent('deny'), silent('▶allow')),
  changedGuard(
    'that asked and denies, both merged',
    rule('deny_if: input.a, confirm_if: input.b'),
    rule('deny_if: input.a || input.b'),
    'none',
  ),
  changedGuard('not blocking', on(''), on('').replace('blocking: true, ', ''), 'ability'),
  {
    code: 'lint.break_guard',
    name: 'of a workflow, by the effect of what it calls',
    before: {
      'registry/hooks/PreAbilityCall.yaml': `hooks: [{ id: guard, blocking: true, match: { kinds: [workflow], effects: [destructive] }, ${DENIES} }]`,
      ...two('effects: destructive'),
      ...flow('outer', 'op.two'),
    },
    files: {
      'registry/hooks/PreAbilityCall.yaml': `hooks: [{ id: guard, blocking: true, match: { kinds: [workflow], effects: [write_additive] }, ${DENIES} }]`,
      ...two('effects: destructive'),
      'registry/high-level/outer.yaml': `▶${Object.values(flow('outer', 'op.two'))[0]}`,
    },
  },
];
