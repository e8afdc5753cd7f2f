import { lowLevel } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';

const project = (more: string) => ({
  'ability.yaml': `format: 1\nproject: linted\nenvironments: { dev: {}, staging: {}, prod: { protected: true } }\n${more}`,
});

const POLICY = project('policy: { max_timeout: 1m, allowed_hosts: ["*.acme.test"] }\n');

const script = (more: string) =>
  lowLevel('op.slow', `implementation: { kind: script, script: { path: scripts/any.mjs, ${more} } }`);

const service = (...lines: string[]) => ({
  ...lowLevel('op.http', 'implementation: { kind: api, api: { path: /x } }'),
  'registry/config/c.yaml': ['abilities:', '  - id: op.http', ...lines.map((line) => `    ${line}`)].join('\n'),
});

const marked = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replace('api: { path', 'api: ▶{ path')]));

const everywhere = (url: string) =>
  `environments: { dev: { endpoints: { default: "${url}" } }, staging: { endpoints: { default: "${url}" } }, prod: { endpoints: { default: "${url}" } } }`;

/** What the policy of a project does not allow, and who may decide. */
export const POLICY_CASES: LintCase[] = [
  {
    code: 'lint.timeout_over_policy',
    name: 'R-000-89: of a script',
    files: { ...POLICY, ...script('timeout_sec: ▶61') },
  },
  {
    code: 'lint.timeout_over_policy',
    name: 'of a workflow and of its step',
    files: {
      ...POLICY,
      ...workflow('timeout: ▶2m', 'steps: [{ id: one, call: op.read, with: { id: x }, timeout: ▶90s }]'),
    },
  },
  {
    code: 'lint.timeout_over_policy',
    name: 'exactly as long as allowed',
    files: { ...POLICY, ...script('timeout_sec: 60'), ...workflow('timeout: 60s', 'steps: [{ id: one, let: {} }]') },
  },
  {
    code: 'denied.host',
    name: 'R-000-89: an endpoint outside the policy',
    files: { ...POLICY, ...marked(service(everywhere('https://api.example.com'))) },
  },
  {
    code: 'denied.host',
    name: 'an MCP server outside the policy',
    files: {
      ...POLICY,
      ...lowLevel('op.tool', 'implementation: { kind: mcp, mcp: { server: logs, tool: search } }'),
      'registry/config/s.yaml': 'mcp_servers: { logs: { url: ▶"https://logs.example.com/mcp" } }\n',
    },
  },
  {
    code: 'denied.host',
    name: 'a host that a pattern allows',
    files: { ...POLICY, ...service(everywhere('https://api.acme.test')) },
  },
  {
    code: 'lint.access_never_fits',
    name: 'no environment is called so',
    files: project('access: { idp/group: [read], support: { run: { environments: [dev, ▶stagin] } } }\n'),
  },
  {
    code: 'lint.access_never_fits',
    name: 'no ability is called so',
    files: { ...project('access: { support: { approve: { abilities: [op.*, ▶opp.*] } } }\n'), ...script('') },
  },
  {
    code: 'lint.access_never_fits',
    name: 'limits that fit, of a group of a claim',
    files: {
      ...project('access: { idp/group: { run: { environments: ["*g"], abilities: [op.slow] } } }\n'),
      ...script('timeout_sec: 5'),
    },
  },
  {
    code: 'lint.approver_unknown',
    name: 'nearly a group, for an environment',
    files: {
      'ability.yaml':
        'format: 1\nproject: linted\npeople: { release-managers: [alice] }\nenvironments: { dev: {}, prod: { approvers: [▶release-manager] } }\n',
    },
  },
  {
    code: 'lint.approver_unknown',
    name: 'nearly a group, in a step',
    files: {
      ...project('people: { release-managers: [alice] }\n'),
      ...workflow('steps: [{ id: ask, approval: { title: Go?, approvers: [alice, ▶relaese-managers] } }]'),
    },
  },
  {
    code: 'lint.approver_unknown',
    name: 'a person',
    files: {
      ...project('people: { release-managers: [alice, release-manager] }\n'),
      ...workflow('steps: [{ id: ask, approval: { title: Go?, approvers: [bob, release-manager] } }]'),
    },
  },
  {
    code: 'lint.proof_required',
    name: 'in one environment (answers, 12)',
    files: {
      'ability.yaml': 'format: 1\nproject: linted\nenvironments: { dev: {}, prod: { proof: ▶required } }\n',
    },
  },
  {
    code: 'lint.proof_required',
    name: 'in a protected one',
    files: {
      'ability.yaml':
        'format: 1\nproject: linted\nenvironments:\n  dev: {}\n  prod:\n    protected: true\n    proof: ▶required\n',
    },
  },
  {
    code: 'lint.proof_required',
    name: 'a claim',
    files: {
      'ability.yaml':
        'format: 1\nproject: linted\nenvironments: { dev: {}, prod: { protected: true, proof: claimed } }\n',
    },
  },
];
