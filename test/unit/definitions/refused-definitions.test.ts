import { describe, expect, test } from 'vitest';
import { formatLocation, type Problem } from '../../../src/contracts/problem.js';
import { loadRegistry } from '../../../src/definitions/load-registry.js';
import { errorOf } from '../error-of.js';
import { registryOf, temporaryProject } from '../temporary-project.js';

/** The first problem of one file. */
function faultOf(file: string, text: string): { code: string; at: string; text: string } {
  const [problem] = registryOf({ [file]: text }).problems as [Problem];
  const at = formatLocation(problem.location ?? { file: 'nowhere' });
  return { code: problem.code, at: at.replace(file, ''), text: `${problem.message} | ${problem.suggestion ?? ''}` };
}

const INVALID = 'definition.invalid';

describe('a server', () => {
  const fault = (command: string) =>
    faultOf('registry/config/servers.yaml', `mcp_servers:\n  logs: { command: ${command} }\n`);

  test.each(['node servers/logs.mjs', 'npx -y some-server'])(
    'whose command is a whole line, %s, is refused',
    (line) => {
      expect(fault(line)).toMatchObject({
        code: INVALID,
        at: ':2:20',
        text: expect.stringMatching(/as a list: `args: /),
      });
    },
  );

  test.each(['node', './my server/run', '/opt/My Server/run'])(
    'whose command is one program, %s, is not',
    (program) => {
      const { problems } = registryOf({ 'registry/config/s.yaml': `mcp_servers: { logs: { command: ${program} } }\n` });
      expect(problems).toEqual([]);
    },
  );
});

describe('an operation', () => {
  const fault = (yaml: string) => faultOf('registry/low-level/x.yaml', `operation_key: op\nsummary: s\n${yaml}\n`);

  test.each([
    ['with an effect that does not exist', 'effects: write', ':3:10', /read, external_read, write_idempotent/],
    ['with a mistyped key', 'efects: read', ':3:1', /Did you mean effects/],
    ['without a kind of implementation', 'implementation: { script: { path: x } }', ':3:17', /`kind`/],
    ['of a kind besides script, mcp and api', 'implementation: { kind: shell }', ':3:25', /script, mcp or api/],
    ['with the section of another kind', 'implementation: { kind: mcp, script: { path: x } }', ':3:30', /`script`/],
    [
      'with a script without a path',
      'implementation: { kind: script, script: {} }',
      ':3:41',
      /`path` is missing.*Write `path: \.\.` here/,
    ],
    ['with a mistyped path', 'implementation: { kind: script, script: { paht: x } }', ':3:43', /Did you mean path/],
    [
      'with a time-out that is a text',
      'implementation: { kind: api, api: { timeout_sec: 5s } }',
      ':3:50',
      /A number .*such as 5\./,
    ],
    ['with a time-out of zero', 'implementation: { kind: api, api: { timeout_sec: 0 } }', ':3:50', />0/],
    ['with a method in small letters', 'implementation: { kind: api, api: { method: get } }', ':3:45', /Write GET\./],
    ['with its address in it', 'implementation: { kind: api, api: { url: "http://x" } }', ':3:37', /registry\/config/],
    [
      'with a method that does not exist',
      'implementation: { kind: api, api: { method: FETCH } }',
      ':3:45',
      /GET, HEAD, POST/,
    ],
    ['with a mistyped list of hooks', 'hooks: { precall: [g] }', ':3:10', /Did you mean pre_call/],
    ['with hooks that are not a list', 'hooks: { pre_call: g }', ':3:20', /A list belongs here.*Write \[g\]\./],
    ['with a schema that is a text', 'input_schema: object', ':3:15', /A map belongs here/],
    ['with an empty version', 'version: ""', ':3:10', /./],
    ['with a mistyped hint', 'routing_hints: { keyword: [x] }', ':3:18', /Did you mean keywords/],
  ])('%s is refused', (_, yaml, at, message) => {
    const found = fault(yaml);
    expect(found.text).toMatch(message);
    expect([found.code, found.at]).toEqual([INVALID, at]);
  });

  test('with a text that contains a colon is refused, with the right way to write it', () => {
    const found = fault('notes: The weather: of a city');
    expect(found.text).toMatch(/Quote a text that contains `: `/);
    expect([found.code, found.at]).toEqual(['definition.syntax', ':3:8']);
  });

  test.each([
    [
      'a credential in the query',
      'query: { key: "{credential:key}" }',
      ':3:51',
      /Only `headers` and `auth` may contain/,
    ],
    [
      'a credential in the body',
      'body: { value: { a: ["x {credential:key}"] } }',
      ':3:52',
      /Only `headers` and `auth`/,
    ],
    ['a credential in the path', 'path: "/x/{credential:key}"', ':3:43', /in `headers`/],
    ['a query in the path', 'path: "/x?a=1"', ':3:43', /under `query`/],
    ['a query of RFC 6570 in the path', 'path: "/x{?a}"', ':3:43', /under `query`/],
    ['a fragment in the path', 'path: "/x#a"', ':3:43', /cannot contain `#`/],
    ['an expression in the path', 'path: "/x/${{ input.a }}"', ':3:43', /write \{name\}/],
    ['a placeholder of another form', 'path: "/x{/a}"', ':3:43', /\{name\}, or as \{\+name\}/],
  ])('with %s is refused, since it would be sent literally', (_, api, at, message) => {
    const found = fault(`implementation: { kind: api, api: { ${api} } }`);
    expect(found.text).toMatch(message);
    expect([found.code, found.at]).toEqual([INVALID, at]);
  });

  test('headers may contain a credential, and a path parts of the input', () => {
    const api = '{ path: "/users/{user_id}/{+rest}", headers: { a: "{credential:a}" } }';
    const text = `operation_key: op\nsummary: s\nimplementation: { kind: api, api: ${api} }\n`;
    expect(registryOf({ 'registry/low-level/x.yaml': text }).problems).toEqual([]);
  });

  test.each([
    ['Db.Write', /lowercase letter/],
    ['1db', /lowercase letter/],
    ['db write', /lowercase letter/],
    ['"x:y"', /lowercase letter/],
    ['a'.repeat(101), /at most 100/],
    ['constructor', /reserved/],
    ['prototype', /reserved/],
  ])('the key %s is refused', (key, message) => {
    const found = faultOf('registry/low-level/x.yaml', `operation_key: ${key}\nsummary: s\n`);
    expect(found.text).toMatch(message);
    expect([found.code, found.at]).toEqual([INVALID, ':1:16']);
  });

  test.each([
    ['an empty file', '', ''],
    ['a text', 'hello', ':1:1'],
    ['a list', '- operation_key: op', ':1:1'],
  ])('%s is refused', (_, text, at) => {
    expect(faultOf('registry/low-level/x.yaml', text)).toMatchObject({ code: INVALID, at });
  });
});

describe('a configuration', () => {
  const fault = (yaml: string) => faultOf('registry/config/c.yaml', yaml);

  test.each([
    [
      'with a secret of a profile written inline',
      'env_profiles: { db: { secrets: { P: hunter2 } } }',
      ':1:37',
      /env:NAME or file:PATH/,
    ],
    [
      'with a credential written inline',
      'abilities: [{ id: op, environments: { dev: { credentials: { token: hunter2 } } } }]',
      ':1:68',
      /env:NAME or file:PATH/,
    ],
    [
      'with a server that has both a command and a URL',
      'mcp_servers: { s: { command: a, url: "http://x.test" } }',
      ':1:19',
      /either a `command` or a `url`/,
    ],
    ['with a server that has neither', 'mcp_servers: { s: {} }', ':1:19', /`command`.*`url`/],
    ['with an invalid address', 'mcp_servers: { s: { url: "ftp://x.test" } }', ':1:26', /http or https, or env:NAME/],
    ['with an ability without an id', 'abilities: [{ impl: { kind: api, api: {} } }]', ':1:13', /`id` is missing/],
    [
      'with a mistyped key',
      'abilities: [{ id: op, allowed_implementation: [x] }]',
      ':1:23',
      /Did you mean allowed_implementations/,
    ],
    ['with a mistyped section', 'env_profile: { db: {} }', ':1:1', /Did you mean env_profiles/],
    [
      'with an empty list of allowed implementations',
      'abilities: [{ id: op, allowed_implementations: [] }]',
      ':1:48',
      />=1|at least/,
    ],
  ])('%s is refused', (_, yaml, at, message) => {
    const found = fault(yaml);
    expect(found.text).toMatch(message);
    expect([found.code, found.at]).toEqual([INVALID, at]);
  });

  test.each([
    'env_profiles: { db: { secrets: { P: hunter2 } } }',
    'abilities: [{ id: op, environments: { dev: { credentials: { token: hunter2 } } } }]',
  ])('a secret that was written inline is not repeated in the message: %s', (yaml) => {
    expect(fault(yaml).text).not.toContain('hunter2');
  });
});

describe('a hook', () => {
  const fault = (hook: string) => faultOf('registry/hooks/PreAbilityCall.yaml', `hooks: [{ id: g, ${hook} }]\n`);

  test.each([
    ['without a handler', 'blocking: true', ':1:9', /no handler.*hooks_impl\.yaml/],
    ['with an empty handler', 'handler: {}', ':1:27', /expression, script, builtin/],
    ['with two handlers', 'handler: { builtin: usage, script: { path: x } }', ':1:27', /expression, script, builtin/],
    ['with a mistyped handler', 'handler: { expresion: { deny_if: "true" } }', ':1:29', /Did you mean expression/],
    ['with a built-in that does not exist', 'handler: { builtin: usag }', ':1:38', /usage, credentials_present/],
    [
      'with an expression that decides nothing',
      'handler: { expression: { reason: x } }',
      ':1:41',
      /deny_if, confirm_if, warn_if/,
    ],
    [
      'with a filter on an effect that does not exist',
      'match: { effects: [writes] }, handler: { builtin: usage }',
      ':1:37',
      /external_read/,
    ],
    ['with a filter on routing hints', 'match: { keywords: [x] }, handler: { builtin: usage }', ':1:27', /`keywords`/],
    ['with an `enabled` that is a text', 'enabled: "yes", handler: { builtin: usage }', ':1:27', /True or false/],
  ])('%s is refused', (_, hook, at, message) => {
    const found = fault(hook);
    expect(found.text).toMatch(message);
    expect([found.code, found.at]).toEqual([INVALID, at]);
  });

  test('with a mistyped condition is refused with the intended name', () => {
    const text = 'hooks: [{ id: g, handler: { expression: { denyif: "true", reason: x } } }]\n';
    const { problems } = registryOf({ 'registry/hooks/PreAbilityCall.yaml': text });
    expect(problems.map(({ suggestion }) => suggestion)).toContain('Did you mean deny_if?');
  });
});

describe('an implementation document', () => {
  const fault = (yaml: string) => faultOf('registry/implementations/i.yaml', `id: i\n${yaml}\n`);

  test.each([
    ['without its operation', 'kind: script\nscript: { path: x }', ':1:1', /`operation_key` is missing/],
    ['with tags that are a text', 'operation_key: op\nkind: script\nscript: { path: x }\ntags: fast', ':5:7', /A list/],
    [
      'with a mistyped key',
      'operation_key: op\nkind: script\nscript: { path: x }\ndefault: {}',
      ':5:1',
      /Did you mean defaults/,
    ],
  ])('%s is refused', (_, yaml, at, message) => {
    const found = fault(yaml);
    expect(found.text).toMatch(message);
    expect([found.code, found.at]).toEqual([INVALID, at]);
  });
});

describe('a project', () => {
  const fault = (yaml: string) => {
    const { root } = temporaryProject({ 'ability.yaml': yaml });
    const error = errorOf(() => loadRegistry(root));
    const at = formatLocation(error.location ?? { file: 'nowhere' }).replace('ability.yaml', '');
    return { code: error.code, at, text: `${error.message} | ${error.suggestion ?? ''}` };
  };
  const NAMED = 'format: 1\nproject: p\n';

  test.each([
    ['of an unknown format', 'format: 2\nproject: p\nenvironments: { dev: {} }', ':1:9', /1/],
    ['without environments', NAMED, ':1:1', /`environments` is missing/],
    ['with no environment', `${NAMED}environments: {}`, ':3:15', /at least one/],
    [
      'with a name that a queue cannot contain',
      'format: 1\nproject: My Project\nenvironments: { dev: {} }',
      ':2:10',
      /lowercase letters/,
    ],
    [
      'with an environment that a queue cannot contain',
      `${NAMED}environments: { Prod: {} }`,
      ':3:17',
      /lowercase letters/,
    ],
    [
      'with a mistyped rule',
      `${NAMED}environments: { dev: { aprove: [destructive] } }`,
      ':3:24',
      /Did you mean approve/,
    ],
    [
      'with an effect that does not exist',
      `${NAMED}environments: { dev: { approve: [write] } }`,
      ':3:34',
      /destructive/,
    ],
    ['with a quorum of zero', `${NAMED}environments: { dev: { quorum: 0 } }`, ':3:32', />=1/],
    [
      'with a limit that is not a duration',
      `${NAMED}environments: { dev: {} }\npolicy: { max_timeout: 1 hour }`,
      ':4:24',
      /500ms, 20s/,
    ],
    [
      'with a mistyped policy',
      `${NAMED}environments: { dev: {} }\npolicy: { allowed_host: [x] }`,
      ':4:11',
      /Did you mean allowed_hosts/,
    ],
    [
      'with a group that is a text',
      `${NAMED}environments: { dev: {} }\npeople: { managers: alice }`,
      ':4:21',
      /A list/,
    ],
    [
      'with a malformed id in Slack',
      `${NAMED}environments: { dev: {} }\npeople: { alice: { slack: alice } }`,
      ':4:27',
      /An id of a person in Slack looks like U0123ABCD/,
    ],
    [
      'with one id in Slack for two persons',
      `${NAMED}environments: { dev: {} }\npeople: { alice: { slack: U01 }, bob: { slack: U01 } }`,
      ':4:48',
      /alice has this id in Slack already/,
    ],
    [
      'with an address of Slack to which the token would go in the clear',
      `${NAMED}environments: { dev: {} }\nslack: { signing_secret: env:A, bot_token: env:B, channel: C01, api: "http://slack.acme.test/api" }`,
      ':4:70',
      /The token of the bot is sent there/,
    ],
    [
      'with a secret of the Slack app in the file',
      `${NAMED}environments: { dev: {} }\nslack: { signing_secret: "8f742231b10e", bot_token: env:B, channel: C01 }`,
      ':4:26',
      /A secret is a reference/,
    ],
  ])('%s is refused', (_, yaml, at, message) => {
    const found = fault(yaml);
    expect(found.text).toMatch(message);
    expect([found.code, found.at]).toEqual([INVALID, at]);
  });

  test.each([
    [
      'with a provider called env',
      'secrets: { env: { command: [a, "{path}"] } }',
      ':4:12',
      /env, file, http and https are taken/,
    ],
    [
      'with a provider called as none can be',
      'secrets: { "a:b": { command: [a, "{path}"] } }',
      ':4:12',
      /A provider begins with/,
    ],
    ['with a provider without a program', 'secrets: { p: { command: [] } }', ':4:26', /item|at least|>=1/],
    ['with a provider whose command is a text', 'secrets: { p: { command: "a {path}" } }', ':4:26', /A list/],
    [
      'with a provider whose program has arguments',
      'secrets: { p: { command: ["a b", "{path}"] } }',
      ':4:26',
      /its program, then one text/,
    ],
    [
      'with a provider whose program is a placeholder',
      'secrets: { p: { command: ["{path}", "{path}"] } }',
      ':4:26',
      /which has no placeholders/,
    ],
    ['with a provider that has no path', 'secrets: { p: { command: [a, "{field}"] } }', ':4:26', /must have {path}/],
    [
      'with a provider with another placeholder',
      'secrets: { p: { command: [a, "{path}{user}"] } }',
      ':4:26',
      /but not {user}/,
    ],
    [
      'with a provider that takes too long',
      'secrets: { p: { command: [a, "{path}"], timeout: 31s } }',
      ':4:50',
      /at most 30s/,
    ],
    [
      'with a provider that keeps values too long',
      'secrets: { p: { command: [a, "{path}"], ttl: 2d } }',
      ':4:46',
      /at most 24h/,
    ],
    [
      'with a provider that gets seal keys',
      'secrets: { p: { command: [a, "{path}"], env: { pass: [ABILITY_SEAL_KEYS] } } }',
      ':4:55',
      /for workers and doors alone/,
    ],
    [
      'with a provider that needs a provider',
      'secrets: { p: { command: [a, "{path}"], env: { secrets: { T: "q:x" } } } }',
      ':4:62',
      /here env:NAME or file:PATH, since doors/,
    ],
    [
      'with a secret of Slack that a provider gives',
      'slack: { signing_secret: "p:x", bot_token: env:B, channel: C01 }',
      ':4:26',
      /here env:NAME or file:PATH/,
    ],
    [
      'with a token of Slack that a provider gives',
      'slack: { signing_secret: env:B, bot_token: "p:x", channel: C01 }',
      ':4:44',
      /here env:NAME or file:PATH/,
    ],
    ['with a placement of a usual name', 'placements: { local: }', ':4:15', /local, cloud and all are taken/],
    ['with a placement called all', 'placements: { all: }', ':4:15', /local, cloud and all are taken/],
    ['with a placement that cannot be part of a queue', 'placements: { "a@b": }', ':4:15', /A placement begins with/],
    [
      'with a server in two placements',
      'placements: { a: { servers: [s] }, b: { servers: [s] } }',
      ':4:51',
      /s is in a already/,
    ],
    [
      'with a notice to a hostile reference',
      'notify: [{ on: [task.failed], webhook: "p:-x", format: slack }]',
      ':4:40',
      /The path and the field/,
    ],
  ])('%s is refused', (_, line, at, message) => {
    const found = fault(`${NAMED}environments: { dev: {} }\n${line}`);
    expect(found.text).toMatch(message);
    expect([found.code, found.at]).toEqual([INVALID, at]);
  });
});

describe('a setting that would reveal the keys that seal plans', () => {
  const fault = (yaml: string) => faultOf('registry/config/c.yaml', `env_profiles: { p: { ${yaml} } }\n`);

  test.each([
    ['a variable that is passed on', 'pass: [PATH, ABILITY_SEAL_KEYS]'],
    ['the keys that encrypt payloads', 'pass: [ABILITY_PAYLOAD_KEYS]'],
    ['a reference to these', 'secrets: { K: "env:ABILITY_PAYLOAD_KEYS" }'],
    ['a reference to the variable', 'secrets: { K: "env:ABILITY_SEAL_KEYS" }'],
    ['a reference to their folder', 'secrets: { K: "file:.system/keys/k1" }'],
    ['a reference by another path', 'secrets: { K: "file:./x/../.system//keys/k1" }'],
  ])('%s is refused', (_, yaml) => {
    expect(fault(yaml)).toMatchObject({ code: INVALID, text: expect.stringMatching(/keys that seal plans/) });
  });

  test.each(['pass: [MY_ABILITY_SEAL_KEYS]', 'secrets: { K: "env:ABILITY_SEAL_KEYS_2", L: "file:keys/x" }'])(
    '%s is not',
    (yaml) => {
      expect(registryOf({ 'registry/config/c.yaml': `env_profiles: { p: { ${yaml} } }\n` }).problems).toEqual([]);
    },
  );
});
