import { lowLevel, SCRIPT } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';
import { CALL, cases, hook, profile, project, request, script, tool } from './slipped-files.js';

const miss = (code: string, name: string, ...files: LintCase['files'][]): LintCase => {
  return { code, name, files: Object.assign({}, ...files) as LintCase['files'] };
};

const input = (schema: string) => lowLevel('op.two', `input_schema: ${schema}`, SCRIPT);

const steps = (...list: string[]) => workflow(`steps: [${list.join(', ')}]`);

const second = (more: string) => ({
  'registry/high-level/second.yaml': `id: second\ntype: workflow\nversion: 1\nsummary: A.\n${more}\nsteps: [${CALL('one')}]`,
});

/** Definitions that look like one of the slips, but are intended. */
export const SLIPPED_MISSES: LintCase[] = [
  miss('lint.match_never_fits', 'for abilities to come', hook('abilities: ["db.*"], effects: [destructive]')),
  miss('lint.match_never_fits', 'a built-in tag that nothing has yet', hook('tags: [high-cost]')),
  miss(
    'lint.match_never_fits',
    'design, 4: a guard for an environment outside the scope',
    hook('environments: [prod]'),
    lowLevel('op.two', 'scope: { environments: [dev] }', 'hooks: { pre_call: [guard] }', SCRIPT),
  ),
  miss('lint.environment_unprotected', 'explicitly unprotected', project('{ dev: {}, prod: { protected: false } }')),
  miss('lint.environment_unprotected', 'before production', project('{ dev: {}, preprod: {}, product: {} }')),
  miss('lint.approve_gap', 'the most severe effect alone', project('{ dev: { approve: [destructive] } }')),
  miss(
    'lint.group_in_group',
    'a person called like a group',
    project('{ dev: {} }', 'people: { all: [ops], ops: [ops] }'),
  ),
  miss('lint.effect_too_mild', 'a search', request('{ method: POST, path: /search }')),
  miss('lint.effect_too_mild', 'a search for deleted rows', tool('tool: list_delete_requests'), {
    ...lowLevel('db.find.deleted', SCRIPT),
  }),
  miss('lint.tag_idle', 'other tags', script('', ', tags: [fast, nightly, breakfast]')),
  miss('lint.inline_secret', 'options and words that are not secrets', {
    ...script('args: [--token-file, tokens/first.txt, --password, "{payload}"]'),
    ...profile('set: { PWD: /srv/app, TOKEN_URL: "https://a.test/?token={x}" }'),
  }),
  miss(
    'lint.inline_secret',
    'a schema that asks for a secret',
    input(
      '{ type: object, properties: { password: { type: string, default: "" }, token: { type: string, examples: [abc] } } }',
    ),
  ),
  miss('lint.inline_secret', 'by its name', {
    ...lowLevel(
      'op.http',
      'implementation: { kind: api, api: { path: /x, headers: { Authorization: "Bearer {credential:token}" } } }',
      'scope: { environments: [dev] }',
    ),
    'registry/config/c.yaml':
      'abilities: [{ id: op.http, environments: { dev: { endpoints: { default: "https://a.test" }, credentials: { token: "env:TOKEN" } } } }]',
  }),
  miss(
    'lint.host_pattern',
    'names, ports and endings without an owner',
    project(
      '{ dev: {} }',
      'policy: { allowed_hosts: ["*.acme.com", "127.0.0.1:*", "[::1]:80", "*.test", "*.svc.local", "100.64.0.0/10:443", "[fd00::/8]:*", "*.acme.test:8443"] }',
    ),
  ),
  miss('lint.host_pattern', 'none', project('{ dev: {} }', 'policy: { allowed_hosts: [] }')),
  miss(
    'lint.schema_impossible',
    'one of several types, what is refused on purpose, and one value',
    input(
      '{ type: object, required: [a], properties: { a: { type: [string, "null"], enum: [x, null] }, b: { minimum: 1, maximum: 1 }, c: { not: { type: string } }, d: false }, additionalProperties: false }',
    ),
  ),
  miss(
    'lint.schema_impossible',
    'names by a pattern',
    input('{ type: object, required: [x-a], patternProperties: { "^x-": {} }, additionalProperties: false }'),
  ),
  miss(
    'lint.schema_keyword_idle',
    'of one of its types, and formats of OpenAPI',
    input(
      '{ type: object, properties: { a: { type: [integer, string], minimum: 1 }, b: { type: integer, format: int64 }, c: { type: string, format: colour } } }',
    ),
  ),
  miss(
    'lint.limit_too_small',
    'conditions, cases and loops',
    workflow(
      'limits: { max_calls: 1 }',
      'steps:',
      `  - ${CALL('one')}`,
      '  - { id: two, call: op.read, with: { id: x }, if: input.a }',
      `  - { id: three, switch: [{ if: input.b, steps: [${CALL('four')}] }] }`,
      '  - { id: all, foreach: input.list, as: n, steps: [{ id: five, call: op.read, with: { id: x } }] }',
    ),
  ),
  miss(
    'lint.timeout_over_outer',
    'waiting for people is no working time, and cleaning up is later',
    workflow(
      'timeout: 1m',
      'steps:',
      '  - { id: ask, approval: { title: Go?, timeout: 7d } }',
      '  - { id: one, call: op.read, with: { id: x }, timeout: 60s }',
      '  - id: all',
      '    timeout: 10s',
      '    steps: [{ id: two, approval: { title: And this? } }]',
      '    finally: [{ id: three, call: op.read, with: { id: x }, timeout: 30s }]',
    ),
  ),
  miss(
    'lint.timeout_zero',
    'waits of zero seconds',
    steps('{ id: one, wait: 0s }', '{ id: two, wait: { signal: go, timeout: 0s } }'),
  ),
  miss(
    'lint.undo_idle',
    'the same with other parameters',
    lowLevel('flag.set', 'effects: write_idempotent', SCRIPT),
    steps('{ id: one, call: flag.set, with: { on: true }, undo: { call: flag.set, with: { on: false } } }'),
  ),
  miss('lint.loop_empty', 'one item', steps(`{ id: all, foreach: [1], as: n, steps: [${CALL('one')}] }`)),
  miss(
    'lint.until_constant',
    'a step, the clock, and never',
    steps(
      `{ id: a, repeat: { until: steps.one.output.status == input.wanted }, steps: [${CALL('one')}] }`,
      '{ id: b, wait: { until: "now() > timestamp(input.from)" } }',
      '{ id: c, wait: { until: "timestamp(input.from) + duration(\'1h\')" } }',
      '{ id: d, wait: { until: input.from } }',
    ),
  ),
  miss(
    'lint.never_reached',
    'the more exact one first',
    steps(
      '{ id: one, call: op.read, with: { id: x }, on_error: [{ errors: [timeout.call], output: 1 }, { errors: [timeout], output: 2 }, { output: 3 }] }',
      `{ id: two, switch: [{ if: input.a, steps: [${CALL('three')}] }, { if: "!input.a", steps: [${CALL('four')}] }] }`,
    ),
  ),
  miss(
    'lint.text_not_evaluated',
    'files, prices, code and words that only look like it',
    workflow(
      'input_schema: { type: object, required: [name], properties: { name: { type: string } } }',
      'steps: [{ id: one, let: { a: input.txt, b: steps.md, c: "Costs $5", d: "{a: 1}", e: environment.yaml, f: "$5", g: "input.name is the name", h: "${{ input.name }}" } }]',
    ),
  ),
  miss('lint.ids_alike', 'one more letter', lowLevel('op.reads', SCRIPT), lowLevel('op.read.all', SCRIPT)),
  miss('lint.scope_empty', 'left out', lowLevel('op.two', 'scope: { modules: [] }', SCRIPT)),
  miss(
    'lint.hidden_character',
    'other scripts, an emoji of several, a mark at the beginning',
    lowLevel('op.two', 'notes: "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 \u{1F468}\u200D\u{1F469}"', SCRIPT),
  ),
  miss(
    'lint.lookalike_letter',
    'words of one alphabet beside those of another',
    lowLevel(
      'op.two',
      'summary: "SMS-\u0441\u043E\u043E\u0431\u0449\u0435\u043D\u0438\u0435, URL\u044B, 5 k\u03A9, \u0394t"',
      SCRIPT,
    ),
  ),
  miss('lint.file_not_read', 'notes', {
    'registry/low-level/README.md': 'Notes.',
    'registry/low-level/op.yaml.bak': 'old',
  }),
  miss('lint.variable_twice', 'in two profiles', {
    'registry/config/p.yaml': 'env_profiles: { p: { set: { A: "1" } }, q: { secrets: { A: "env:A" } } }',
  }),
  miss(
    'lint.concurrency_disagrees',
    'the same, and another key',
    workflow('concurrency: { key: deploy, limit: 1 }', `steps: [${CALL('one')}]`),
    second('concurrency: { key: deploy, on_busy: wait }'),
  ),
  miss(
    'lint.schema_default',
    'defaults that fit, with references, several types, or no type',
    input(
      '{ properties: { a: { $ref: "#/$defs/a", default: y }, b: { type: [string, "null"], default: null }, c: { default: 1 }, d: { type: integer, minimum: 1, default: 1 } }, $defs: { a: { enum: [y, z] } } }',
    ),
  ),
  miss(
    'lint.retry_family',
    'codes, other families, and the family with all of its codes',
    steps(
      '{ id: one, call: op.read, with: { id: x }, retry: { errors: [script.exit, timeout, http.5xx] } }',
      '{ id: two, call: op.read, with: { id: x }, retry: { errors: [mcp, mcp.output_invalid] } }',
    ),
  ),
  miss(
    'lint.unused_template',
    'used in a handler',
    workflow(
      `templates: { t: { input: [id], steps: [{ id: a, call: op.read, with: { id: "\${{ input.id }}" } }] } }`,
      `steps: [{ id: one, call: op.read, with: { id: x }, on_error: [{ steps: [{ id: two, template: t, with: { id: y } }] }] }]`,
    ),
  ),
  miss(
    'expression.unknown_step',
    'a step of a template, inside it',
    workflow(
      `templates: { t: { steps: [${CALL('inner')}], output: "\${{ steps.inner.output.status }}" } }`,
      'steps: [{ id: one, template: t }]',
      'output: "${{ steps.one.output }}"',
    ),
  ),
  miss(
    'definition.unknown_reference',
    'valid cases',
    cases('defaults: { mocks: { op.read: { output: { status: success } } } }'),
  ),
];
