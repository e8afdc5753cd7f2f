import { lowLevel, SCRIPT } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';
import { CALL, cases, hook, profile, project, request, script, tool } from './slipped-files.js';

const slip = (code: string, name: string, ...files: LintCase['files'][]): LintCase => {
  return { code, name, files: Object.assign({}, ...files) as LintCase['files'] };
};

const input = (schema: string) => lowLevel('op.two', `input_schema: ${schema}`, SCRIPT);

const steps = (...list: string[]) => workflow(`steps: [${list.join(', ')}]`);

const KEY = `ghp_${'a1B2c3'.repeat(6)}`;

/**
 * Definitions of an author who tries to slip broken ones past lint. Source: issue "Definitions people can trust".
 */
export const SLIPPED_CASES: LintCase[] = [
  // Guards that do not apply.
  slip('lint.match_never_fits', 'a regular expression', hook('abilities: [▶"^op\\\\..*"]')),
  slip('lint.match_never_fits', 'an unknown module', hook('modules: [▶billing]')),
  slip('lint.match_never_fits', 'nearly a tag', hook('tags: [▶high_cost]')),
  slip(
    'lint.match_never_fits',
    'bound to what its filter leaves out',
    hook('effects: [destructive]'),
    lowLevel('op.two', 'hooks: { pre_call: [▶guard] }', SCRIPT),
  ),
  slip('lint.environment_unprotected', 'left out', project('{ dev: {}, prod: ▶{ quorum: 2 } }')),
  slip('lint.environment_unprotected', 'with a suffix', project('{ dev: {}, live-eu: ▶{} }')),
  slip('lint.approve_gap', 'the more severe effect', project('{ dev: { approve: ▶[write_additive] } }')),
  slip(
    'lint.approve_gap',
    'one in between',
    project('{ dev: {}, prod: { protected: true, approve: ▶[write_idempotent, destructive] } }'),
  ),
  slip('lint.group_in_group', 'a group of groups', project('{ dev: {} }', 'people: { all: [▶ops], ops: [bob] }')),
  slip(
    'lint.group_in_group',
    'beside people',
    project('{ dev: {} }', 'people: { all: [alice, ▶ops], ops: [bob], none: [] }'),
  ),
  // Effects that are too mild.
  slip('lint.effect_too_mild', 'a DELETE', request('{ method: ▶DELETE, path: /x }')),
  slip('lint.effect_too_mild', 'a script called delete', {
    ...lowLevel('op.two', 'implementation: { kind: script, script: { path: ▶scripts/delete-users.mjs } }'),
    'scripts/delete-users.mjs': '//',
  }),
  slip('lint.effect_too_mild', 'a tool', tool('tool: ▶drop_table')),
  slip('lint.effect_too_mild', 'its own name', lowLevel('db.purge.rows', SCRIPT.replace('script,', '▶script,'))),
  slip('lint.tag_idle', 'fast, and not repeatable', {
    ...lowLevel(
      'op.two',
      'effects: destructive',
      'implementation: { kind: script, script: { path: scripts/any.mjs }, tags: [▶fast] }',
    ),
  }),
  slip('lint.tag_idle', 'two slips', script('', ', tags: [▶depricated, ▶High-Cost]')),
  // Secrets in unusual places.
  slip('lint.inline_secret', 'after an option', script('args: [--user, bob, --password, ▶hunter2hunter2]')),
  slip('lint.inline_secret', 'in a template of arguments', script('args_template: ▶"--api-key=0123456789abcdef"')),
  slip('lint.inline_secret', 'in a comment', lowLevel('op.two', `# was ▶${KEY}`, SCRIPT)),
  slip('lint.inline_secret', 'as a key', project(`{ dev: { vars: { ▶${KEY}: old } } }`)),
  slip(
    'lint.inline_secret',
    'the default of a schema',
    input('{ type: object, properties: { password: { type: string, default: ▶hunter2hunter2 } } }'),
  ),
  slip(
    'lint.inline_secret',
    'an example of a schema',
    input(`{ type: object, properties: { a: { type: string, description: Such as ▶${KEY} } } }`),
  ),
  slip('lint.inline_secret', 'a cookie', request('{ path: /x, headers: { Cookie: ▶"session=0123456789abcdef" } }')),
  slip(
    'lint.inline_secret',
    'a scheme of its own',
    request('{ path: /x, headers: { Authorization: ▶"token 0123456789abcdef" } }'),
  ),
  slip('lint.inline_secret', 'in the query of a server', {
    'registry/config/s.yaml': 'mcp_servers: { s: { url: ▶"https://mcp.test/?token=0123456789abcdef" } }',
  }),
  slip(
    'lint.inline_secret',
    'a private key in base64',
    project(`{ dev: { vars: { k: ▶LS0tLS1CRUdJTi${'A'.repeat(30)} } } }`),
  ),
  slip('lint.inline_secret', 'with a dollar', profile('set: { DB_PASSWORD: ▶"$uper-Secret1" }')),
  slip('lint.inline_secret', 'other names', profile('set: { AWS_SECRET_ACCESS_KEY: ▶wJalrXUtn, DB_PWD: ▶hunter22 }')),
  // Policies.
  slip('lint.host_pattern', 'all', project('{ dev: {} }', 'policy: { allowed_hosts: [▶"*:*", ▶"**"] }')),
  slip('lint.host_pattern', 'an ending', project('{ dev: {} }', 'policy: { allowed_hosts: [▶"*.com:*"] }')),
  slip(
    'lint.host_pattern',
    'a URL',
    project('{ dev: {} }', 'policy: { allowed_hosts: [▶"https://a.test", ▶a.test/v1] }'),
  ),
  slip('lint.host_pattern', 'all, at a port', project('{ dev: {} }', 'policy: { allowed_hosts: [▶"*:8443"] }')),
  slip(
    'lint.host_pattern',
    'all addresses',
    project('{ dev: {} }', 'policy: { allowed_hosts: [▶"0.0.0.0/0:*", ▶"[::/0]:*"] }'),
  ),
  slip(
    'lint.host_pattern',
    'an address in a form that is never compared',
    project(
      '{ dev: {} }',
      'policy: { allowed_hosts: [▶"::1", ▶"fd00::/8", ▶"127.1:80", ▶"2130706433", ▶"0x7f.0.0.1", ▶"10.0.0.0/33", ▶"a.test:99999"] }',
    ),
  ),
  // Schemas.
  slip(
    'lint.schema_impossible',
    'required and not allowed',
    input('{ type: object, required: [▶a], properties: { b: {} }, additionalProperties: false }'),
  ),
  slip(
    'lint.schema_impossible',
    'values of another type',
    input('{ type: object, properties: { a: { type: integer, enum: ▶["1", "2"] }, b: { type: string, const: ▶1 } } }'),
  ),
  slip(
    'lint.schema_impossible',
    'an empty range',
    input('{ type: object, properties: { a: { minimum: 9, maximum: ▶1 }, b: { exclusiveMinimum: 1, maximum: ▶1 } } }'),
  ),
  slip('lint.schema_impossible', 'an input that is a list', input('{ type: ▶array, items: { type: string } }')),
  slip('lint.schema_impossible', 'everything refused', input('{ type: object, not: ▶{} }')),
  slip(
    'lint.schema_keyword_idle',
    'of another type',
    input('{ type: object, properties: { a: { type: string, ▶minimum: 5 }, b: { type: integer, ▶maxLength: 5 } } }'),
  ),
  slip(
    'lint.schema_keyword_idle',
    'a format that nothing checks',
    input('{ type: object, properties: { a: { type: string, format: ▶e-mail } } }'),
  ),
  // Limits.
  slip(
    'lint.limit_too_small',
    'one after the other',
    workflow('limits: { max_calls: ▶1 }', `steps: [${CALL('one')}, ${CALL('two')}]`),
  ),
  slip(
    'lint.limit_too_small',
    'in a loop',
    workflow(
      'limits: { max_calls: ▶5 }',
      `steps: [{ id: all, foreach: [1, 2, 3, 4, 5, 6], as: n, steps: [${CALL('one')}] }]`,
    ),
  ),
  slip(
    'lint.timeout_over_outer',
    'of the task',
    workflow('timeout: 1m', 'steps: [{ id: one, call: op.read, with: { id: x }, timeout: ▶10m }]'),
  ),
  slip(
    'lint.timeout_over_outer',
    'of a group',
    steps('{ id: all, timeout: 1h, steps: [{ id: ask, approval: { title: Go?, timeout: ▶24h } }] }'),
  ),
  slip(
    'lint.timeout_over_outer',
    'of the clean-up, in `finally`',
    workflow(
      'limits: { cleanup: 1m }',
      `steps: [${CALL('one')}]`,
      'finally: [{ id: two, call: op.read, with: { id: x }, timeout: ▶10m }]',
    ),
  ),
  slip(
    'lint.timeout_over_outer',
    'of the clean-up, in the implementation of an undo',
    workflow(
      'limits: { cleanup: 1m }',
      'steps: [{ id: one, call: op.read, with: { id: x }, undo: { call: ▶op.two } }]',
    ),
    lowLevel(
      'op.two',
      'effects: write_additive',
      'implementation: { kind: script, script: { path: scripts/any.mjs, timeout_sec: 1200 } }',
    ),
  ),
  slip('lint.timeout_zero', 'of a call', steps('{ id: one, call: op.read, with: { id: x }, timeout: ▶0s }')),
  slip('lint.timeout_zero', 'of an approval', steps('{ id: one, approval: { title: Go?, timeout: ▶0m } }')),
  // Steps that do nothing.
  slip(
    'lint.undo_idle',
    'the same call',
    lowLevel('op.two', 'effects: write_additive', SCRIPT),
    steps('{ id: one, call: op.two, undo: { call: ▶op.two } }'),
  ),
  slip(
    'lint.undo_idle',
    'a read',
    steps('{ id: one, call: op.read, with: { id: x }, undo: { call: ▶op.read, with: { id: y } } }'),
  ),
  slip('lint.loop_empty', 'a list', steps(`{ id: all, foreach: ▶[], as: n, steps: [${CALL('one')}] }`)),
  slip('lint.loop_empty', 'an expression', steps(`{ id: all, foreach: ▶"[ ]", as: n, steps: [${CALL('one')}] }`)),
  slip(
    'lint.until_constant',
    'of a loop',
    steps(`{ id: all, repeat: { until: ▶input.go == true }, steps: [${CALL('one')}] }`),
  ),
  slip('lint.until_constant', 'of a wait', steps('{ id: one, wait: { until: ▶environment.protected } }')),
  slip(
    'lint.never_reached',
    'after a handler of all errors',
    steps('{ id: one, call: op.read, with: { id: x }, on_error: [{ output: 1 }, ▶{ errors: [timeout], output: 2 }] }'),
  ),
  slip(
    'lint.never_reached',
    'the same condition twice',
    steps(
      `{ id: one, switch: [{ if: input.a, steps: [${CALL('two')}] }, { if: ▶input.a, steps: [${CALL('three')}] }] }`,
    ),
  ),
  // Habits from other tools.
  slip(
    'lint.text_not_evaluated',
    'bare, as in a condition',
    steps(CALL('one'), '{ id: two, call: op.read, with: { id: ▶steps.one.output.status } }'),
  ),
  slip('lint.text_not_evaluated', 'other braces', steps('{ id: one, approval: { title: ▶"Release {input.build}" } }')),
  slip('lint.text_not_evaluated', 'Argo and Azure', steps('{ id: one, let: { a: ▶"$(inputs.a)", b: ▶"${input.b}" } }')),
  slip('lint.text_not_evaluated', 'variables', steps('{ id: one, let: { a: ▶"$BUILD_ID", b: ▶"env:DB_PASSWORD" } }')),
  slip('lint.text_not_evaluated', 'in the arguments of a script', script('args: [▶"$BUILD_ID"]')),
  slip('lint.text_not_evaluated', 'in a profile', profile('set: { HOME_DIR: ▶"$HOME" }')),
  // Names and files.
  slip('lint.ids_alike', 'a dash', lowLevel('op.two_a', SCRIPT), {
    'registry/low-level/z.yaml': `operation_key: ▶op.two-a\nsummary: A.\neffects: read\n${SCRIPT}`,
  }),
  slip('lint.ids_alike', 'a workflow', workflow('id: ▶op_read', `steps: [${CALL('one')}]`)),
  slip('lint.scope_empty', 'of an operation', lowLevel('op.two', 'scope: { environments: ▶[] }', SCRIPT)),
  slip('lint.scope_empty', 'of a workflow', workflow('scope: { environments: ▶[] }', `steps: [${CALL('one')}]`)),
  slip('lint.hidden_character', 'a space without width', lowLevel('op.two', 'notes: "pro▶\u200Bd"', SCRIPT)),
  slip('lint.hidden_character', 'reversed text in a comment', lowLevel('op.two', '# ▶\u202E txet', SCRIPT)),
  slip('lint.lookalike_letter', 'in a module', lowLevel('op.two', 'scope: { modules: [▶p\u0430yments] }', SCRIPT)),
  slip(
    'lint.lookalike_letter',
    'in a summary',
    lowLevel('op.two', 'summary: Reads ▶\u0420r\u043Ed or ▶pr\u043Ed.', SCRIPT),
  ),
  slip('lint.file_not_read', 'capital letters', { 'registry/low-level/op.two.YAML': '▶operation_key: op.two' }),
  slip('lint.file_not_read', 'JSON', { 'registry/config/deep/c.json': '▶{}' }),
  slip('lint.variable_twice', 'set and a secret', profile('set: { A: "1" }, secrets: { ▶A: "env:A" }')),
  slip('lint.variable_twice', 'passed and set', profile('pass: [PATH], set: { ▶PATH: /bin }')),
  slip('lint.concurrency_disagrees', 'the limit', workflow('concurrency: { key: deploy }', `steps: [${CALL('one')}]`), {
    'registry/high-level/second.yaml': `id: second\ntype: workflow\nversion: 1\nsummary: A.\nconcurrency: { key: ▶deploy, limit: 5 }\nsteps: [${CALL('one')}]`,
  }),
  slip(
    'lint.concurrency_disagrees',
    'the action if it is busy',
    workflow('concurrency: { key: deploy }', `steps: [${CALL('one')}]`),
    {
      'registry/high-level/second.yaml': `id: second\ntype: workflow\nversion: 1\nsummary: A.\nconcurrency: { key: ▶deploy, on_busy: refuse }\nsteps: [${CALL('one')}]`,
    },
  ),
  slip('lint.schema_default', 'of another type', input('{ properties: { a: { type: integer, default: ▶"3" } } }')),
  slip('lint.schema_default', 'beyond a limit', input('{ properties: { a: { items: { minimum: 2, default: ▶1 } } } }')),
  slip(
    'lint.schema_default',
    'of a definition that is named',
    input('{ properties: { a: { $ref: "#/$defs/a", default: ▶x } }, $defs: { a: { enum: [y, z] } } }'),
  ),
  slip(
    'lint.retry_family',
    'at a call',
    steps('{ id: one, call: op.read, with: { id: x }, retry: { errors: [timeout, ▶script] } }'),
  ),
  slip('lint.retry_family', 'at a group', steps(`{ id: g, steps: [${CALL('one')}], retry: { errors: [▶api] } }`)),
  slip(
    'lint.unused_template',
    'one of two',
    workflow(
      `templates: { used: { steps: [${CALL('a')}] }, ▶idle: { steps: [${CALL('b')}] } }`,
      'steps: [{ id: one, template: used }]',
    ),
  ),
  slip(
    'lint.unused_template',
    'the only one',
    workflow(`templates: { ▶idle: { steps: [${CALL('b')}] } }`, `steps: [${CALL('one')}]`),
  ),
  slip(
    'expression.unknown_step',
    'a misspelt one',
    steps(CALL('one'), '{ id: two, wait: { until: ▶steps.oen.output.a == 1 } }'),
  ),
  slip(
    'expression.unknown_step',
    'one of a template, from outside',
    workflow(
      `templates: { t: { steps: [${CALL('inner')}] } }`,
      'steps: [{ id: one, template: t }]',
      'output: ▶"${{ steps.inner.output }}"',
    ),
  ),
  // Test cases.
  slip('definition.unknown_reference', 'cases of an ability that is gone', cases('ability: ▶op.gone')),
  slip('definition.unknown_reference', 'an unknown mock', cases('defaults: { mocks: { ▶op.raed: { output: {} } } }')),
  slip('definition.invalid', 'a key of a case', cases('▶tests: []')),
  slip('definition.duplicate', 'two cases of one name', cases('cases: [{ name: a }, { name: ▶a }]')),
];
