import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { PlanImplementation } from '../../../../src/contracts/plan.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { resolvePlan } from '../../../../src/planning/resolve/resolve-plan.js';
import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, resolved, temporaryProject } from '../../temporary-project.js';

afterEach(() => vi.unstubAllEnvs());

const project = (policy = ''): ProjectFiles => ({
  'ability.yaml': `format: 1\nproject: p\nenvironments: { dev: {}, staging: {} }\n${policy}`,
});
const config = (...lines: string[]): ProjectFiles => ({ 'registry/config/c.yaml': lines.join('\n') });
const settings = (yaml: string): ProjectFiles =>
  config('abilities:', '  - id: op', `    environments: { dev: { ${yaml} } }`);

function implementation(files: ProjectFiles, environment = 'dev'): PlanImplementation {
  return resolved({ ...project(), ...files }, 'op', environment).plan.operations.op
    ?.implementation as PlanImplementation;
}

describe('api', () => {
  const api = (body = '{ path: /x }', more = ''): ProjectFiles =>
    lowLevel('op', `implementation: { kind: api, api: ${body} ${more} }`);
  const endpoint = (address: string): ProjectFiles => settings(`endpoints: { default: "${address}" }`);

  test('R-000-51, R-000-53: the address is that of the environment', () => {
    const files = {
      ...api(),
      ...config(
        'abilities:',
        '  - id: op',
        '    environments:',
        '      dev: { endpoints: { default: "http://dev.test" } }',
        '      staging: { endpoints: { default: "https://staging.test/base" } }',
      ),
    };
    expect(implementation(files, 'dev')).toMatchObject({ api: { base_url: 'http://dev.test' } });
    expect(implementation(files, 'staging')).toMatchObject({ api: { base_url: 'https://staging.test/base' } });
  });

  test('R-000-50: http.call.billing_service as in the source: address, token, three paths, two rates', () => {
    const body =
      '{ method: POST, path: "/{action}", headers: { authorization: "Bearer {credential:token}" }, rate_limit: { per_minute: 60, per_day: 5000 } }';
    const contract =
      'input_schema: { type: object, required: [action], properties: { action: { enum: [charge, refund, invoice] } } }';
    const files = {
      ...lowLevel('op', contract, `implementation: { kind: api, api: ${body} }`),
      ...settings(
        'endpoints: { default: "https://billing.dev.internal/api" }, credentials: { token: "env:BILLING_API_TOKEN" }',
      ),
    };
    vi.stubEnv('BILLING_API_TOKEN', 'not-in-the-plan');
    const planned = implementation(files);
    expect(planned).toMatchObject({
      kind: 'api',
      api: {
        base_url: 'https://billing.dev.internal/api',
        path: '/{action}',
        credentials: { token: 'env:BILLING_API_TOKEN' },
        rate_limit: { per_minute: 60, per_day: 5000 },
      },
    });
    expect(JSON.stringify(planned)).not.toContain('not-in-the-plan');
  });

  test('an endpoint is selected by its name', () => {
    const named = settings('endpoints: { default: "http://a.test", search: "http://b.test" }');
    expect(implementation({ ...api('{ endpoint: search }'), ...named })).toMatchObject({
      api: { base_url: 'http://b.test' },
    });
  });

  test('a missing endpoint is refused with where to define it', () => {
    const error = errorOf(() => implementation({ ...api('{ endpoint: missing }'), ...endpoint('http://a.test') }));
    expect(error.code).toBe('config.missing_endpoint');
    expect(error.suggestion).toContain('environments.dev.endpoints.missing');
  });

  test('an environment without settings has no endpoint', () => {
    expect(errorOf(() => implementation({ ...api(), ...endpoint('http://a.test') }, 'staging')).code).toBe(
      'config.missing_endpoint',
    );
  });

  describe('an address from a variable', () => {
    const files = { ...api(), ...endpoint('env:SERVICE_URL') };

    test('is resolved when the plan is made, and is part of the plan', () => {
      vi.stubEnv('SERVICE_URL', 'http://process.test');
      expect(implementation(files)).toMatchObject({ api: { base_url: 'http://process.test' } });
    });

    test('may be set in .env.<environment>', () => {
      expect(implementation({ ...files, '.env.dev': 'SERVICE_URL=http://file.test\n' })).toMatchObject({
        api: { base_url: 'http://file.test' },
      });
    });

    test('that is not set is config.missing_credential, which names it and where to set it', () => {
      const error = errorOf(() => implementation(files));
      expect(error.code).toBe('config.missing_credential');
      expect(error.message).toMatch(/SERVICE_URL \(dev\)/);
      expect(error.suggestion).toMatch(/\.env\.dev.*ability down/);
    });

    test.each(['no address', 'ftp://x.test', 'x.test:80'])('that holds %j is refused', (address) => {
      vi.stubEnv('SERVICE_URL', address);
      expect(errorOf(() => implementation(files)).code).toBe('config.missing_credential');
    });
  });

  describe('the hosts it may reach', () => {
    test('are those of the policy', () => {
      const files = { ...project('policy: { allowed_hosts: ["*.test"] }'), ...api(), ...endpoint('http://a.test') };
      expect(implementation(files)).toMatchObject({ api: { allowed_hosts: ['*.test'] } });
    });

    test('are only the host of the endpoint if there is no policy', () => {
      expect(implementation({ ...api(), ...endpoint('https://a.test') })).toMatchObject({
        api: { allowed_hosts: ['a.test:443'] },
      });
    });

    test('must include the endpoint, or there is no plan', () => {
      const files = {
        ...project('policy: { allowed_hosts: ["*.acme.test"] }'),
        ...api(),
        ...endpoint('http://evil.test'),
      };
      const error = errorOf(() => implementation(files));
      expect(error.code).toBe('denied.host');
      expect(error.suggestion).toMatch(/allowed_hosts/);
    });
  });

  test('a credential stays a reference', () => {
    const files = {
      ...api('{ headers: { authorization: "Bearer {credential:token}" } }'),
      ...settings('endpoints: { default: "http://a.test" }, credentials: { token: "env:TOKEN" }'),
      '.env': 'TOKEN=hunter2\n',
    };
    const plan = implementation(files);
    expect(plan).toMatchObject({ api: { credentials: { token: 'env:TOKEN' } } });
    expect(JSON.stringify(plan)).not.toContain('hunter2');
  });

  test('a header with an undefined credential is refused with its location', () => {
    const files = {
      ...api('{ headers: { authorization: "Bearer {credential:tokn}" } }'),
      ...endpoint('http://a.test'),
    };
    const error = errorOf(() => implementation(files));
    expect(error.code).toBe('config.invalid');
    expect(error.message).toMatch(/authorization.*tokn/);
    expect(error.location).toMatchObject({ file: 'registry/low-level/op.yaml', line: 4 });
  });

  test.each([
    ['{ auth: { basic: { user: x, password: "{credential:pass}" } } }', /auth\.basic\.password.*pass/, 73],
    ['{ auth: { query: { key: "{credential:kay}" } } }', /auth\.query\.key.*kay/, 59],
  ])('%s with an undefined credential is refused with its location', (body, message, column) => {
    const error = errorOf(() => implementation({ ...api(body), ...endpoint('http://a.test') }));
    expect(error).toMatchObject({ code: 'config.invalid', message: expect.stringMatching(message) });
    expect(error.location).toEqual({ file: 'registry/low-level/op.yaml', line: 4, column });
  });

  test('an invalid expression is refused with its location', () => {
    const files = { ...api('{ method: PUT, body: { value: "${{ input. }}" } }'), ...endpoint('http://a.test') };
    expect(errorOf(() => implementation(files))).toMatchObject({
      code: 'expression.syntax',
      location: { file: 'registry/low-level/op.yaml', line: 4 },
    });
  });

  test.each([
    ['query', '{ query: { a: 1, q: "${{ inptu.q }}" } }', 55],
    ['a header', '{ headers: { x-trace: "${{ inptu.q }}" } }', 57],
    ['the body', '{ method: PUT, body: { value: { a: ["${{ inptu.q }}"] } } }', 71],
  ])('an unknown name in %s is refused with its location', (_, body, column) => {
    const error = errorOf(() => implementation({ ...api(body), ...endpoint('http://a.test') }));
    expect(error.code).toBe('expression.syntax');
    expect(error.message).toContain('`inptu` is not defined');
    expect(error.suggestion).toBe('Did you mean input? Available names: input, environment.');
    expect(error.location).toEqual({ file: 'registry/low-level/op.yaml', line: 4, column });
  });

  test('input and environment are available', () => {
    const body = '{ query: { q: "${{ input.q }}" }, headers: { x: "${{ environment.vars.x }}" } }';
    expect(implementation({ ...api(body), ...endpoint('http://a.test') }).kind).toBe('api');
  });
});

describe('mcp', () => {
  const SERVERS = [
    'mcp_servers:',
    '  logs: { command: node, args: [server.mjs], env_profile: logs }',
    '  web: { url: "http://web.test" }',
    'env_profiles: { logs: { pass: [PATH] } }',
  ];
  const mcp = (body: string): ProjectFiles => ({
    ...lowLevel('op', `implementation: { kind: mcp, mcp: ${body} }`),
    ...config(...SERVERS),
  });

  test.each([
    ['#!/bin/bash -e\n', 0o644, '/bin/bash', ['-e', 'servers/logs.mjs', 'a']],
    [
      '#!/usr/bin/env -S node --no-warnings\n',
      0o755,
      '/usr/bin/env',
      ['-S node --no-warnings', 'servers/logs.mjs', 'a'],
    ],
    ['import "x";\n', 0o755, 'node', ['servers/logs.mjs', 'a']],
  ])('a server that is a file of the project runs by its first line: %j', (text, mode, command, args) => {
    const project = temporaryProject({
      ...lowLevel('op', 'implementation: { kind: mcp, mcp: { server: logs, tool: t } }'),
      ...config('mcp_servers: { logs: { command: servers/logs.mjs, args: [a] } }'),
      'servers/logs.mjs': text,
    });
    chmodSync(join(project.root, 'servers/logs.mjs'), mode);
    const { plan } = resolvePlan(loadRegistry(project.root), 'op', 'dev');
    expect(plan.operations.op?.implementation).toMatchObject({ mcp: { server: { command, args } } });
  });

  test.each([
    ['no-such-program', 'x', 'config.missing_program'],
    ['servers/logs', '#!/no/such/program\n', 'config.missing_program'],
    ['servers/logs', '#!/bin/bash\r\n', 'script.not_executable'],
  ])('the server %s, %j, that cannot run here is refused at its command', (command, text, code) => {
    const files = { ...mcp('{ server: logs, tool: t }'), 'servers/logs': text };
    const servers = config(`mcp_servers: { logs: { command: ${command} } }`);
    const error = errorOf(() => implementation({ ...files, ...servers }));
    expect(error).toMatchObject({ code, location: { file: Object.keys(servers)[0], line: 1 } });
  });

  test('a server that is a command gets only its profile', () => {
    expect(implementation(mcp('{ server: logs, tool: search }'))).toMatchObject({
      kind: 'mcp',
      mcp: {
        tool: 'search',
        output: 'as_is',
        server: { name: 'logs', transport: 'stdio', command: 'node', args: ['server.mjs'], env: { pass: ['PATH'] } },
      },
    });
  });

  test('a server may be an address', () => {
    expect(implementation(mcp('{ server: web, tool: search }'))).toMatchObject({
      mcp: { server: { name: 'web', transport: 'http', url: 'http://web.test', allowed_hosts: ['web.test:80'] } },
    });
  });

  test('R-000-53: server and tool of the environment win, key by key', () => {
    const files = {
      ...mcp('{ server: logs, tool: search }'),
      ...config(
        'abilities:',
        '  - { id: op, environments: { dev: { mcp_server: web }, staging: { mcp_tool: find } } }',
        ...SERVERS,
      ),
    };
    expect(implementation(files, 'dev')).toMatchObject({ mcp: { server: { name: 'web' }, tool: 'search' } });
    expect(implementation(files, 'staging')).toMatchObject({ mcp: { server: { name: 'logs' }, tool: 'find' } });
  });

  test('the pin of a tool does not hold for another one of an environment', () => {
    const pin = 'a'.repeat(64);
    const files = {
      ...mcp(`{ server: logs, tool: search, pinned: "sha256:${pin}" }`),
      ...config('abilities:', '  - { id: op, environments: { staging: { mcp_tool: find } } }', ...SERVERS),
    };
    expect(implementation(files, 'dev')).toMatchObject({ mcp: { tool: 'search', pinned: pin } });
    expect(implementation(files, 'staging')).toMatchObject({ mcp: expect.not.objectContaining({ pinned: pin }) });
  });

  test.each([
    ['{ tool: search }', /no MCP server/],
    ['{ server: logs }', /no MCP tool/],
  ])('%s is not enough', (body, message) => {
    const error = errorOf(() => implementation(mcp(body)));
    expect(error.code).toBe('config.no_implementation');
    expect(error.message).toMatch(message);
  });

  test('an unknown server is refused with the nearest name', () => {
    const error = errorOf(() => implementation(mcp('{ server: lgs, tool: search }')));
    expect(error.code).toBe('definition.unknown_reference');
    expect(error.suggestion).toBe('Did you mean logs?');
  });

  test('a header with a credential that the server does not define is refused with its location', () => {
    const server = [
      'mcp_servers:',
      '  web: { url: "http://web.test", headers: { authorization: "{credential:tokn}" } }',
    ];
    const files = {
      ...lowLevel('op', 'implementation: { kind: mcp, mcp: { server: web, tool: t } }'),
      ...config(...server),
    };
    const error = errorOf(() => implementation(files));
    expect(error.code).toBe('config.invalid');
    expect(error.location).toMatchObject({ file: 'registry/config/c.yaml', line: 2 });
    expect(error.suggestion).toContain('mcp_servers.web.credentials.tokn');
  });

  test('an address that the policy does not allow is denied.host', () => {
    const files = { ...mcp('{ server: web, tool: t }'), ...project('policy: { allowed_hosts: ["*.acme.test"] }') };
    expect(errorOf(() => implementation(files)).code).toBe('denied.host');
  });
});

describe('any kind', () => {
  const script = (more: string): ProjectFiles => ({
    'scripts/any.mjs': '// nothing',
    ...lowLevel('op', `implementation: { kind: script, script: { path: scripts/any.mjs }, ${more} }`),
  });

  test('may define when an answer is a failure', () => {
    expect(implementation(script('fail_if: \'output.text.startsWith("Error")\'')).fail_if).toBe(
      'output.text.startsWith("Error")',
    );
  });

  test('is refused if that is not an expression', () => {
    expect(errorOf(() => implementation(script('fail_if: "output = 1"')))).toMatchObject({
      code: 'expression.syntax',
      location: { file: 'registry/low-level/op.yaml', line: 4 },
    });
  });

  test.each([
    ['ouput.x == 1', 'expression.syntax', /`ouput` is not defined/, /Did you mean output/],
    [
      'steps.a.output == 1',
      'expression.syntax',
      /`steps` is not defined/,
      /Available names: output, input, environment/,
    ],
    ['${{ output.x == 1 }}', 'definition.invalid', /bare CEL/, /Write `output\.x == 1`/],
  ])('is refused if that cannot be evaluated: %s', (condition, code, message, suggestion) => {
    const error = errorOf(() => implementation(script(`fail_if: "${condition}"`)));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.suggestion).toMatch(suggestion);
    expect(error.location).toMatchObject({ file: 'registry/low-level/op.yaml', line: 4 });
  });

  test('may read output, input and environment', () => {
    const condition = 'output.id != input.id && environment.name == "dev"';
    expect(implementation(script(`fail_if: '${condition}'`)).fail_if).toBe(condition);
  });

  test('R-000-53: gets the prompts of the environment', () => {
    const files = { ...script('tags: []'), ...settings('prompts: { style: Be brief. }') };
    expect(implementation(files).prompts).toEqual({ style: 'Be brief.' });
    expect(implementation(files, 'staging').prompts).toEqual({});
  });
});
