import { lowLevel, SCRIPT } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';

const own = (...lines: string[]) => lowLevel('op.two', ...lines);

const document = (id: string, ...lines: string[]) => ({
  [`registry/implementations/${id}.yaml`]: [`id: ${id}`, 'operation_key: op.two', ...lines].join('\n'),
});

const config = (...lines: string[]) => ({
  'registry/config/c.yaml': ['abilities:', '  - id: op.two', ...lines.map((line) => `    ${line}`)].join('\n'),
});

const file = 'registry/low-level/op.two.yaml';

const marked = (line: string) => ({ [file]: `▶${Object.values(own(line))[0]}` });

const KIND = 'kind: script';

const PATH = 'script: { path: scripts/any.mjs }';

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Errors that prevent an ability from being planned. */
export const ERROR_CASES: LintCase[] = [
  {
    code: 'config.invalid',
    name: 'a default that is not allowed',
    files: {
      ...own(),
      ...document('first', KIND, PATH),
      ...document('second', KIND, PATH),
      ...config('default_implementation: ▶first', 'allowed_implementations: [second]'),
    },
  },
  {
    code: 'config.invalid',
    name: 'a credential that nothing defines',
    files: {
      ...own('implementation:', '  kind: api', '  api:', '    headers:', '      X-Token: ▶"{credential:token}"'),
      ...config(
        'environments:',
        ...['dev', 'staging', 'prod'].map((name) => `  ${name}: { endpoints: { default: "https://a.test" } }`),
      ),
    },
  },
  {
    code: 'config.invalid',
    name: 'a default among those that are allowed',
    files: {
      ...own(),
      ...document('first', KIND, PATH),
      ...document('second', KIND, PATH),
      ...config('default_implementation: first', 'allowed_implementations: [first, second]'),
    },
  },
  {
    code: 'config.missing_endpoint',
    name: 'in no environment',
    files: own('implementation: { kind: api, api: ▶{ path: /x } }'),
  },
  {
    code: 'config.missing_endpoint',
    name: 'in an environment that the ability names',
    files: {
      ...own('scope: { environments: [dev, prod] }', 'implementation: { kind: api, api: ▶{ path: /x } }'),
      ...config('environments: { dev: { endpoints: { default: "https://a.test" } } }'),
    },
  },
  {
    code: 'config.missing_endpoint',
    name: 'in all environments that it names',
    files: {
      ...own('scope: { environments: [dev] }', 'implementation: { kind: api, api: { path: /x } }'),
      ...config('environments: { dev: { endpoints: { default: "https://a.test" } } }'),
    },
  },
  {
    code: 'config.missing_program',
    name: 'in a first line',
    files: {
      ...own('implementation: { kind: script, script: { path: ▶scripts/any } }'),
      'scripts/any': '#!/no/such/program\n',
    },
  },
  {
    code: 'config.missing_program',
    name: 'stated',
    files: own('implementation: { kind: script, script: { path: scripts/any.mjs, interpreter: ▶no-such-program } }'),
  },
  {
    code: 'config.missing_program',
    name: 'another program',
    files: {
      ...own('implementation: { kind: script, script: { path: scripts/any.sh, interpreter: sh } }'),
      'scripts/any.sh': '#!/no/such/program\n',
    },
  },
  { code: 'config.no_implementation', name: 'R-000-89: none at all', files: marked('use_cases: [none]') },
  {
    code: 'config.no_implementation',
    name: 'several and no default',
    files: {
      ...marked('use_cases: [none]'),
      ...document('first', KIND, PATH),
      ...document('second', KIND, PATH),
    },
  },
  { code: 'config.no_implementation', name: 'one document', files: { ...own(), ...document('first', KIND, PATH) } },
  {
    code: 'definition.duplicate',
    name: 'C-21: an operation and a workflow of one id',
    files: {
      'registry/high-level/other.yaml':
        '▶id: op.read\ntype: workflow\nversion: 1\nsummary: a\nsteps: [{ id: a, let: {} }]',
    },
  },
  {
    code: 'definition.duplicate',
    name: 'one id in two files',
    files: { 'registry/low-level/zzz.yaml': `▶operation_key: op.read\nsummary: Twice.\neffects: read\n${SCRIPT}` },
  },
  { code: 'definition.duplicate', name: 'two ids', files: own(SCRIPT) },
  {
    code: 'definition.invalid',
    name: 'an unknown key, a habit from elsewhere',
    files: workflow('steps:', '  - id: one', '    ▶uses: op.read'),
  },
  {
    code: 'definition.invalid',
    name: 'two mistakes in two steps',
    files: workflow(
      'steps:',
      '  - { id: one, let: { a: ▶"{{ input.b }}" } }',
      '  - { id: ▶one, let: {} }',
      '  - { id: two, switch: [{ else: ▶[{ id: three, let: {} }] }, { if: "true", steps: [{ id: four, let: {} }] }] }',
    ),
  },
  {
    code: 'definition.invalid',
    name: 'R-000-29: an invalid schema',
    files: own('input_schema: { type: ▶strnig }', SCRIPT),
  },
  {
    code: 'definition.invalid',
    name: 'ids that differ by one letter',
    files: workflow('steps: [{ id: one, let: {} }, { id: One, let: {} }]'),
  },
  {
    code: 'definition.syntax',
    name: 'a bracket that is not closed',
    files: { ...own(SCRIPT), 'registry/config/c.yaml': 'abilities: [\n▶' },
  },
  {
    code: 'definition.syntax',
    name: 'a key twice',
    files: { [file]: `operation_key: op.two\nsummary: a\n▶summary: b\n${SCRIPT}` },
  },
  {
    code: 'definition.syntax',
    name: 'one key in two maps',
    files: own('scope: { environments: [dev] }', 'routing_hints: { notes: a }', SCRIPT),
  },
  {
    code: 'definition.unknown_reference',
    name: 'R-000-89: an implementation',
    files: { ...own(SCRIPT), ...config('default_implementation: ▶gone') },
  },
  { code: 'definition.unknown_reference', name: 'C-06: a hook', files: own('hooks: { pre_call: [▶gone] }', SCRIPT) },
  { code: 'definition.unknown_reference', name: 'a call', files: workflow('steps: [{ id: one, call: ▶op.raed }]') },
  {
    code: 'definition.unknown_reference',
    name: 'an operation of the whitelist',
    files: workflow('operations: [op.read, ▶op.gone]', 'steps: [{ id: one, call: op.read, with: { id: x } }]'),
  },
  {
    code: 'definition.unknown_reference',
    name: 'an environment',
    files: own('scope: { environments: [▶prdo] }', SCRIPT),
  },
  {
    code: 'definition.unknown_reference',
    name: 'all of them are there',
    files: workflow('operations: [op.read]', 'steps: [{ id: one, call: op.read, with: { id: x } }]'),
  },
  {
    code: 'definition.unread',
    name: 'C-07: a hook that never runs',
    files: {
      'registry/hooks/PreAbilityCall.yaml': 'hooks:\n  - ▶id: a\n    handler: { expression: { deny_if: "true" } }\n',
    },
  },
  {
    code: 'definition.unread',
    name: 'one that matches and does not block',
    files: {
      'registry/hooks/PreAbilityCreate.yaml':
        'hooks:\n  - ▶id: a\n    match: { abilities: ["op.*"] }\n    handler: { expression: { deny_if: "true" } }\n',
    },
  },
  {
    code: 'definition.unread',
    name: 'one that blocks',
    files: {
      'registry/hooks/PreAbilityCall.yaml':
        'hooks:\n  - id: a\n    blocking: true\n    match: { abilities: ["op.*"] }\n    handler: { expression: { deny_if: "has(input.never)" } }\n',
    },
  },
  {
    code: 'expression.syntax',
    name: 'an unknown name',
    files: workflow('steps: [{ id: one, let: {}, if: ▶"inptu.a == 1" }]'),
  },
  {
    code: 'expression.syntax',
    name: 'two steps with mistakes, and the output',
    files: workflow(
      'steps:',
      '  - { id: one, let: { a: ▶"${{ two }}" } }',
      '  - { id: other, let: { a: ▶"${{ 1 + }}" } }',
      'output: ▶"${{ one }}"',
    ),
  },
  {
    code: 'expression.syntax',
    name: 'names that are there',
    files: workflow('steps: [{ id: one, let: {}, if: "size(input) == 0" }]', 'output: "${{ steps.one.output }}"'),
  },
  {
    code: 'config.no_model',
    name: 'an agent without a model',
    files: {
      'registry/high-level/thinker.yaml':
        'id: thinker\ntype: agent\nsummary: Thinks.\ninstructions: Think.\nmodel: ▶small\n',
    },
  },
  {
    code: 'config.missing_price',
    name: 'an agent with a limit of cost, whose model has no price',
    files: {
      'ability.yaml': 'format: 1\nproject: two\nenvironments: { dev: {} }\nmodels: { default: { model: small } }\n',
      'registry/high-level/thinker.yaml':
        'id: thinker\ntype: agent\nsummary: Thinks.\ninstructions: Think.\nlimits:\n  max_cost: ▶1\n',
    },
  },
  {
    code: 'config.missing_price',
    name: 'an agent with a limit of cost, which reaches an agent whose model has no price over a workflow',
    files: {
      'ability.yaml':
        'format: 1\nproject: two\nenvironments: { dev: {} }\nmodels: { default: { model: small, price: { input: 1, output: 1 } }, free: { model: free } }\n',
      'registry/high-level/thinker.yaml':
        'id: thinker\ntype: agent\nsummary: Thinks.\ninstructions: Think.\noperations: [through]\nlimits:\n  max_cost: ▶1\n',
      'registry/high-level/through.yaml':
        'id: through\ntype: workflow\nsummary: Calls it.\nsteps: [{ id: one, call: helper }]\n',
      'registry/high-level/helper.yaml': 'id: helper\ntype: agent\nsummary: Helps.\ninstructions: Help.\nmodel: free\n',
    },
  },
  {
    code: 'feature.unsupported',
    name: 'a delegated approval',
    files: workflow('steps:', '  - id: ask', '    approval:', '      title: Go?', '      ▶delegate_to: [bob]'),
  },
  {
    code: 'feature.unsupported',
    name: 'an escalated approval',
    files: workflow('steps:', '  - id: ask', '    approval:', '      title: Go?', '      ▶escalate_to: [bob]'),
  },
  {
    code: 'feature.unsupported',
    name: 'a field of that name',
    files: workflow('steps: [{ id: one, let: { escalate_to: bob } }]'),
  },
  {
    code: 'project.two_registries',
    name: 'C-18: both are there',
    files: {
      'ability.yaml': '▶format: 1\nproject: two\nenvironments: { dev: {} }\n',
      '.system/registry/low-level/x.yaml': '',
    },
  },
  {
    code: 'project.two_registries',
    name: 'one of them is empty',
    files: {
      'ability.yaml': '▶format: 1\nproject: two\nenvironments: { dev: {} }\n',
      '.system/registry/notes.md': 'later',
    },
  },
  {
    code: 'project.two_registries',
    name: 'records of tasks next to it',
    files: { '.system/implement/t-1/tool_call.md': '' },
  },
  {
    code: 'script.missing',
    name: 'R-000-89: a script',
    files: own('implementation: { kind: script, script: { path: ▶scripts/gone.mjs } }'),
  },
  {
    code: 'script.missing',
    name: 'a file beside it',
    files: own('implementation: { kind: script, script: { path: scripts/any.mjs, files: [▶scripts/gone.json] } }'),
  },
  {
    code: 'script.missing',
    name: 'it is there',
    files: own('implementation: { kind: script, script: { path: scripts/../scripts/any.mjs } }'),
  },
  {
    code: 'script.not_executable',
    name: 'no interpreter, no run bit',
    files: {
      ...own('implementation: { kind: script, script: { path: ▶scripts/any.rb } }'),
      'scripts/any.rb': 'puts 1',
    },
  },
  {
    code: 'script.not_executable',
    name: 'no extension',
    files: { ...own('implementation: { kind: script, script: { path: ▶scripts/any } }'), 'scripts/any': 'echo 1' },
  },
  {
    code: 'script.not_executable',
    name: 'a shebang',
    files: {
      ...own('implementation: { kind: script, script: { path: scripts/any } }'),
      'scripts/any': '#!/bin/sh\necho 1',
    },
  },
  {
    code: 'definition.too_large',
    name: 'nested too deep',
    files: { ...own(SCRIPT), 'registry/config/c.yaml': `abilities: ${deep(100).slice(0, 61)}▶${deep(100).slice(61)}` },
  },
  {
    code: 'definition.too_large',
    name: 'more than a MiB',
    files: { ...own(SCRIPT), 'registry/config/c.yaml': `▶# ${'x'.repeat(1024 * 1024)}` },
  },
  {
    code: 'definition.too_large',
    name: 'deep and not too deep',
    files: workflow(`steps: [{ id: one, let: { a: ${deep(40)} } }]`),
  },
];
