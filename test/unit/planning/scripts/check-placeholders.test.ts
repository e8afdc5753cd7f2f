import { describe, expect, test } from 'vitest';
import {
  CALL_ARGUMENTS,
  checkPlaceholders,
  fillPlaceholders,
  HOOK_ARGUMENTS,
  PLACEHOLDERS,
} from '../../../../src/planning/scripts/placeholders.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, registryOf, resolved, SCRIPT_FILE } from '../../temporary-project.js';

const HERE = { file: 'op.yaml', line: 3, column: 7 };

test('the known names in braces pass', () => {
  checkPlaceholders(
    PLACEHOLDERS.map((name) => `--x={${name}}`),
    CALL_ARGUMENTS,
    HERE,
  );
  checkPlaceholders(['{"json": true}', '{}', '{ a }'], CALL_ARGUMENTS, HERE);
});

test('a hook gets its event on stdin, and has only the placeholder for its pinned copy', () => {
  checkPlaceholders(['{pinned}/rules.json'], HOOK_ARGUMENTS, HERE);
  for (const name of PLACEHOLDERS.filter((known) => known !== 'pinned')) {
    const error = errorOf(() => checkPlaceholders([`--x={${name}}`], HOOK_ARGUMENTS, HERE));
    expect(error.message).toBe(`The arguments of a hook have no placeholder {${name}}`);
    expect(error.suggestion).toBe(
      `They have {pinned}. The event of the hook is on its stdin. For the literal text write \\{${name}}.`,
    );
  }
});

test('an unknown name in braces is refused, with the known ones', () => {
  const error = errorOf(() => checkPlaceholders(['{inputfile}'], CALL_ARGUMENTS, HERE));
  expect(error.message).toMatch(/\{inputfile\}/);
  expect(error.suggestion).toMatch(/\{input_file\}/);
});

test.each([
  ['{input.version}', /Use \$\{\{ input\.version \}\} in `args`/],
  ['{input["my version"]}', /input\["my version"\] \}\} in `args`/],
  ['v{inputs.tags[0].name}', /input\.tags \}\} in `args`/],
  ['{task.key}', /\{task_key\}\?/],
  ['{credential:token}', /`secrets` of the `env_profile`/],
  ['${HOME}', /No shell reads arguments: take HOME from the environment/],
  ['%{http_code}', /For the literal text write \\\{http_code\}/],
  ['stash@{up-stream}', /write \\\{up-stream\}/],
  ['{{name}}', /write \\\{name\}/],
])('%s in an argument is refused, with the right form', (argument, suggestion) => {
  const error = errorOf(() => checkPlaceholders([argument], CALL_ARGUMENTS, HERE));
  expect(error).toMatchObject({ code: 'definition.invalid', location: HERE });
  expect(error.suggestion).toMatch(suggestion);
});

test.each([
  [['${{ input.version }}'], /Use `args`, a list/],
  [['--v', '${{', 'input.version', '}}'], /Use `args`, a list/],
  [['${{ environment.name }}'], /write \$\\\{\{\.$/],
  [['${{ '], /write \$\\\{\{\.$/],
])('the expression in %j is refused, since nothing evaluates it there', (items, suggestion) => {
  const error = errorOf(() => checkPlaceholders(items, CALL_ARGUMENTS, HERE));
  expect(error).toMatchObject({ code: 'definition.invalid', location: HERE });
  expect(error.message).toMatch(/^`args_template` accepts no expressions, and `\$\{\{/);
  expect(error.suggestion).toMatch(suggestion);
});

test.each([
  ['$\\{{ input.version }}'],
  ['{"a": 1}'],
  ['{"a":{"b":[1,2]}}'],
  ['{}'],
  ['{ print $1 }'],
  ['{a,b}'],
  ['{1..3}'],
  ['[0-9]{3}'],
  ['{{.Names}}'],
  ['{.items[0].name}'],
  ['a:{b:1}'],
  ['\\{name}'],
  ['\\\\{name}'],
])('%s is not a name in braces', (argument) => {
  checkPlaceholders([argument], CALL_ARGUMENTS, HERE);
});

test.each([
  ['\\{payload}={payload}', '{payload}=1'],
  ['\\\\{payload}', '\\{payload}'],
  ['\\{"a": 1}', '{"a": 1}'],
  ['$\\{{ input.version }}', '${{ input.version }}'],
  ['C:\\dir {other}', 'C:\\dir {other}'],
])('%j is filled in as %j', (text, filled) => {
  expect(fillPlaceholders(text, { payload: '1' })).toBe(filled);
});

test('a filled-in value is not expanded again', () => {
  expect(fillPlaceholders('{payload}', { payload: '{task_key} \\{ $&', task_key: 't' })).toBe('{task_key} \\{ $&');
});

describe('each place that accepts names in braces reports where one is wrong', () => {
  const op = (...lines: string[]) => ({ ...SCRIPT_FILE, ...lowLevel('op', ...lines) });
  const script = (rest: string) =>
    op('implementation:', '  kind: script', `  script: { path: scripts/any.mjs, ${rest} }`);
  const api = (...lines: string[]) => ({
    ...op('implementation:', '  kind: api', '  api:', ...lines.map((line) => `    ${line}`)),
    'registry/config/c.yaml': [
      'abilities:',
      '  - id: op',
      '    environments: { dev: { endpoints: { default: "https://x.test" }, credentials: { token: env:T } } }',
    ].join('\n'),
  });

  test.each<[string, Record<string, string>, string, RegExp]>([
    [
      'args_template',
      script('args_template: "-v {input.version}"'),
      'registry/low-level/op.yaml:6:51',
      /input\.version/,
    ],
    ['args', script('args: [-v, "{input.version}"]'), 'registry/low-level/op.yaml:6:47', /input\.version/],
    ['interpreter', script('interpreter: [node, "{root}"]'), 'registry/low-level/op.yaml:6:49', /\{root\}/],
    [
      'headers',
      api('headers: { X-Version: "{version}" }'),
      'registry/low-level/op.yaml:7:27',
      /\{version\} is no cred/,
    ],
    [
      'auth',
      api('auth: { query: { key: "{credential:token}{kex}" } }'),
      'registry/low-level/op.yaml:7:27',
      /no credential/,
    ],
  ])('%s', (_, files, place, message) => {
    const error = errorOf(() => resolved(files, 'op'));
    const { file, line, column } = error.location ?? {};
    expect([error.code, `${file}:${line}:${column}`]).toEqual(['definition.invalid', place]);
    expect(error.message).toMatch(message);
  });

  test('a possible secret is not repeated', () => {
    const error = errorOf(() => resolved(api('auth: { query: { key: "{credential:token}{kex}" } }'), 'op'));
    expect(JSON.stringify(error.toProblem())).not.toMatch(/kex/);
  });

  test('a hook', () => {
    const files = {
      ...script('args: []'),
      'registry/hooks/PreAbilityCall.yaml': [
        'hooks:',
        '  - id: guard',
        '    blocking: true',
        '    match: { abilities: ["*"] }',
        '    handler: { script: { path: scripts/any.mjs, args: ["{input.version}"] } }',
      ].join('\n'),
    };
    const error = errorOf(() => resolved(files, 'op'));
    expect(error.location).toMatchObject({ file: 'registry/hooks/PreAbilityCall.yaml', line: 5, column: 56 });
    expect(error.message).toMatch(/The arguments of a hook have no placeholder \{input\.version\}/);
  });

  test('a hook has no `big_integers`', () => {
    const hook = 'hooks: [{ id: g, handler: { script: { path: scripts/any.mjs, big_integers: text } } }]';
    const { problems } = registryOf({ ...script('args: []'), 'registry/hooks/PreAbilityCall.yaml': hook });
    expect(JSON.stringify(problems)).toMatch(/big_integers/);
  });

  test('an MCP server', () => {
    const server = (args: string) => ({
      ...op('implementation: { kind: mcp, mcp: { server: s, tool: t } }'),
      'registry/config/c.yaml': `mcp_servers:\n  s: { command: node, args: [-e, ${args}] }`,
    });
    const error = errorOf(() => resolved(server('"{credential:token}"'), 'op'));
    expect(error.location).toMatchObject({ file: 'registry/config/c.yaml', line: 2, column: 34 });
    const { plan } = resolved(server(`'const {payload} = x; \\{credential:a} /\\{/'`), 'op');
    expect(plan.operations.op?.implementation).toMatchObject({
      mcp: { server: { args: ['-e', 'const {payload} = x; {credential:a} /\\{/'] } },
    });
  });

  test('an escaped brace is a literal brace, and expressions keep theirs', () => {
    const header = `headers: { A: '\\{x} {"a": 1} \${{ {"b": "\\\\{c}"}.b }}', B: 'Bearer {credential:token}' }`;
    const { plan } = resolved(api(header), 'op');
    expect(plan.operations.op?.implementation).toMatchObject({
      api: { headers: { A: '{x} {"a": 1} ${{ {"b": "\\\\{c}"}.b }}', B: 'Bearer {credential:token}' } },
    });
    const files = script(`env: { A: '\\{input.x} {level} \\{y' }`);
    expect(resolved(files, 'op').plan.operations.op?.implementation).toMatchObject({
      script: { env: { set: { A: '{input.x} {level} \\{y' } } },
    });
    expect(registryOf(files).problems).toEqual([]);
  });
});
