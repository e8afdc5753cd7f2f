import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { agent, lowLevel, SCRIPT } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';

const PROJECT: ProjectFiles = {
  'ability.yaml': [
    'format: 1',
    'project: linted',
    'environments: { dev: {}, staging: {}, prod: { protected: true } }',
    'models: { default: { model: any } }',
    'policy: { max_timeout: 60s }',
  ].join('\n'),
};

const call = (id: string, more = ''): string => `{ id: ask, call: ${id}, with: { request: x }${more} }`;
const asks = (...lines: string[]): ProjectFiles => workflow(...lines, `steps: [${call('▶helper')}]`);
const hook = (id: string, ...more: string[]): ProjectFiles => ({
  'registry/hooks/PreAbilityCall.yaml': `hooks: [{ id: ${id}, ${[...more, 'handler: { expression: { deny_if: "environment.protected" } }'].join(', ')} }]`,
});

const OLD = lowLevel('op.old', 'status: deprecated', SCRIPT);
const PAYS = lowLevel('op.pay', 'effects: write_additive', SCRIPT);
const STAGING = lowLevel('op.staging', 'scope: { environments: [staging] }', SCRIPT);
const race = (branch: string): string =>
  `steps: [{ id: r, race: { a: { ${branch}, with: { request: x } }, b: { wait: 1h } } }]`;

type Row = [code: string, name: string, files: ProjectFiles, before?: ProjectFiles];

const ROWS: Row[] = [
  ['ability_deprecated', 'a call of an agent', { ...agent('status: deprecated'), ...asks() }],
  ['ability_deprecated', 'what an agent may call', { ...OLD, ...agent('operations: [op.read, ▶op.old]') }],
  [
    'ability_deprecated',
    'what a deprecated agent may call',
    { ...OLD, ...agent('status: deprecated', 'operations: [op.old]') },
  ],
  ['ability_experimental', 'a call of an agent', { ...agent('status: experimental'), ...asks() }],
  [
    'hook_narrowed',
    'C-44: bound by an agent',
    { ...hook('▶guard', 'blocking: true'), ...agent('hooks: { pre_call: [guard] }') },
  ],
  [
    'match_never_fits',
    'a module of an agent',
    { ...hook('guard', 'blocking: true', 'match: { modules: [users] }'), ...agent('scope: { modules: [users] }') },
  ],
  [
    'match_never_fits',
    'bound by an agent, which is no script',
    { ...hook('guard', 'match: { kinds: [script] }'), ...agent('hooks: { pre_call: [▶guard] }') },
  ],
  ['missing_parameter', 'of an agent', { ...agent(), ...workflow('steps: [{ id: ask, call: ▶helper }]') }],
  [
    'unknown_field',
    'of the output of an agent',
    {
      ...agent('output_schema: { type: object, additionalProperties: false, properties: { cause: { type: string } } }'),
      ...workflow(`steps: [${call('helper')}, { id: two, let: { it: ▶"\${{ steps.ask.output.cuase }}" } }]`),
    },
  ],
  [
    'scope_contradiction',
    'an agent for dev may call what is only for staging',
    { ...STAGING, ...agent('scope: { environments: [dev, staging] }', 'operations: [op.read, ▶op.staging]') },
  ],
  [
    'scope_contradiction',
    'a workflow for dev calls an agent that is only for staging',
    { ...agent('scope: { environments: [staging] }'), ...asks('scope: { environments: [dev] }') },
  ],
  [
    'scope_contradiction',
    'settings where the agent is not available',
    {
      ...agent('scope: { environments: [staging] }'),
      'registry/config/c.yaml': 'abilities: [{ id: helper, environments: { ▶prod: { prompts: { a: b } } } }]',
    },
  ],
  [
    'call_cut',
    'an agent is called in a race',
    { ...PAYS, ...agent('operations: [op.pay]'), ...workflow(race('call: ▶helper')) },
  ],
  [
    'call_cut',
    'an agent that only reads is called in a race',
    { ...agent('operations: [op.read]'), ...workflow(race('call: helper')) },
  ],
  ['timeout_over_policy', 'of an agent', agent('timeout: ▶2m')],
  ['timeout_zero', 'of an agent', agent('timeout: ▶0s')],
  ['schema_keyword', 'of an agent', agent('input_schema: { type: object, ▶propertys: {} }')],
  [
    'schema_default',
    'of an agent',
    agent('input_schema: { type: object, properties: { n: { type: integer, default: ▶x } } }'),
  ],
  ['schema_impossible', 'of an agent', agent('input_schema: { type: ▶string }')],
  ['break_removed', 'an agent', {}, { 'registry/high-level/helper.yaml': `▶${Object.values(agent())[0]}` }],
  ['break_input_required', 'of an agent', agent('input_schema: { type: object, required: ▶[id] }'), agent()],
  ['break_effect', 'what an agent may call', agent('operations: [op.read, ▶op.pay]'), agent('operations: [op.read]')],
  ['break_scope', 'of an agent', agent('scope: { environments: ▶[dev] }'), agent()],
  [
    'break_guard',
    'an agent that no longer binds its guard',
    { ...hook('guard'), ...agent('▶hooks: { pre_create: [] }') },
    { ...hook('guard'), ...agent('hooks: { pre_call: [guard] }') },
  ],
];

/** What holds for agents as for other abilities. */
export const AGENT_CASES: LintCase[] = [
  ...ROWS.map(([code, name, files, before]): LintCase => {
    const all = (own: ProjectFiles): ProjectFiles => ({ ...PROJECT, ...PAYS, ...own });
    return { code: `lint.${code}`, name, files: all(files), ...(before && { before: all(before) }) };
  }),
  {
    code: 'definition.unread',
    name: 'C-07: one that only an agent binds',
    files: { ...PROJECT, ...hook('guard'), ...agent('hooks: { pre_call: [guard] }') },
  },
];
