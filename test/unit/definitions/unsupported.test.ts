import { describe, expect, test } from 'vitest';
import { formatLocation, type Problem } from '../../../src/contracts/problem.js';
import { errorOf } from '../error-of.js';
import { lowLevel, registryOf, SCRIPT, SCRIPT_FILE } from '../temporary-project.js';

function found(file: string, text: string): Problem {
  const registry = registryOf({ ...SCRIPT_FILE, ...lowLevel('op', SCRIPT), [file]: text });
  return registry.problems[0] as Problem;
}

function expectUnsupported(problem: Problem | undefined, names: RegExp): void {
  expect(problem?.code).toBe('feature.unsupported');
  expect(problem?.message).toMatch(names);
  expect(problem?.suggestion).toBeTruthy();
  expect(formatLocation(problem?.location ?? { file: '' })).toMatch(/^registry\/.*:\d+:\d+$/);
}

const WORKFLOW = 'id: w\ntype: workflow\nversion: 1\nsummary: s\n';

describe('in an approval', () => {
  const approval = (key: string) => `approval: { title: Go?, ${key}: [bob] }`;

  test.each(['delegate', 'delegate_to', 'escalate_to', 'escalation', 'editable', 'on_timeout', 'autoApprove'])(
    '%s is refused',
    (key) => {
      const text = `${WORKFLOW}steps: [{ id: a, ${approval(key)} }]\n`;
      expectUnsupported(found('registry/high-level/w.yaml', text), new RegExp(`\`${key}\``));
    },
  );

  test.each([
    ['a branch', `steps: [{ id: a, parallel: { b: { ${approval('delegate')} } } }]`],
    ['a case', `steps: [{ id: a, switch: [{ else: [{ id: b, ${approval('delegate')} }] }] }]`],
    ['a handler', `steps: [{ id: a, call: op }]\non_error: [{ steps: [{ id: b, ${approval('delegate')} }] }]`],
    ['a clean-up', `steps: [{ id: a, call: op }]\nfinally: [{ id: b, ${approval('delegate')} }]`],
  ])('it is detected in %s as well', (_, steps) => {
    expectUnsupported(found('registry/high-level/w.yaml', `${WORKFLOW}${steps}\n`), /`delegate`/);
  });

  test('parameters of that name are allowed', () => {
    const text = `${WORKFLOW}steps: [{ id: a, call: op, with: { approval: { delegate: bob } } }]\n`;
    expect(found('registry/high-level/w.yaml', text)).toBeUndefined();
  });

  test('an environment cannot delegate either', () => {
    const text = 'format: 1\nproject: p\nenvironments: { dev: { delegates: [bob] } }\n';
    const error = errorOf(() => registryOf({ 'ability.yaml': text }));
    expect(error).toMatchObject({
      code: 'feature.unsupported',
      location: { file: 'ability.yaml', line: 3, column: 24 },
    });
  });
});

test.each(['tenants', 'tenant', 'permissions', 'roles', 'queue', 'broker'])(
  'R-002-61, C-16: a project cannot request what is out of scope: `%s` is refused',
  (key) => {
    const text = `format: 1\nproject: p\nenvironments: { dev: {} }\n${key}: {}\n`;
    expect(errorOf(() => registryOf({ 'ability.yaml': text }))).toMatchObject({
      code: expect.stringMatching(/^(definition\.invalid|feature\.unsupported)$/),
      location: { file: 'ability.yaml', line: 4 },
    });
  },
);

test('a certificate of an MCP server is refused', () => {
  const text = 'mcp_servers: { web: { url: "https://web.test", tls: {} } }\n';
  expectUnsupported(found('registry/config/c.yaml', text), /`tls`/);
});

describe('in an implementation', () => {
  const apis = {
    bearer: '{ auth: { bearer: "{credential:token}" } }',
    oauth2: '{ auth: { oauth2: {} } }',
    paging: '{ paging: { next: cursor } }',
    pagination: '{ pagination: {} }',
    circuit_breaker: '{ circuit_breaker: { after: 5 } }',
    tls: '{ tls: { cert: a.pem } }',
    client_certificate: '{ client_certificate: a.pem }',
  };

  test.each(Object.entries(apis))('%s is refused', (name, api) => {
    const text = `operation_key: x\nsummary: s\nimplementation: { kind: api, api: ${api} }\n`;
    expectUnsupported(found('registry/low-level/x.yaml', text), new RegExp(name));
  });

  test('it is detected in a document and in a configuration as well', () => {
    const document = 'id: i\noperation_key: op\nkind: api\napi: { paging: {} }\n';
    expectUnsupported(found('registry/implementations/i.yaml', document), /`paging`/);
    const config = 'abilities: [{ id: op, impl: { kind: api, api: { paging: {} } } }]\n';
    expectUnsupported(found('registry/config/c.yaml', config), /`paging`/);
  });
});
