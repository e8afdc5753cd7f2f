import { dirname } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadRegistry } from '../../../../../../src/definitions/load-registry.js';
import {
  checkNotices,
  checkPayloadKeys,
  checkProviders,
  checkScheduled,
  checkSealKeys,
} from '../../../../../../src/doors/cli/commands/doctor/check-settings.js';
import { createKey, PAYLOAD_KEYS, SEAL_KEYS } from '../../../../../../src/server/keys/key-list.js';
import { pathsOf } from '../../../../../../src/server/project-paths.js';
import { makeProject, operation, projectFile, workflow } from '../../../../../fixtures/project-folder.js';
import { temporaryProject } from '../../../../temporary-project.js';

const project = makeProject();
afterAll(() => project.remove());

/** What doctor reports for one webhook with this address. */
function checked(address: string, allowed: string[] | undefined) {
  const policy = allowed ? `policy: { allowed_hosts: ${JSON.stringify(allowed)} }\n` : '';
  const notify = 'notify: [{ on: [task.failed], webhook: "env:HOOK", format: slack, environments: [prod] }]\n';
  project.write({ 'ability.yaml': projectFile('{ dev: {}, prod: {} }', policy + notify), '.env': `HOOK=${address}\n` });
  return checkNotices(loadRegistry(project.root), {});
}

test.each([
  ['http://127.0.0.1:8791/a-secret', ['127.0.0.1'], '127.0.0.1:8791'],
  ['https://hooks.slack.test/a-secret', ['*.acme.test'], 'hooks.slack.test'],
  ['http://169.254.169.254/a-secret', ['*'], '169.254.169.254'],
])('%s is not allowed by %j, and only the host of the address is reported', (address, allowed, host) => {
  const [check, ...more] = checked(address, allowed);
  expect(more).toEqual([]);
  expect(check).toMatchObject({ name: 'notify', status: 'warning', advice: expect.stringMatching(/with its port/) });
  expect(check?.message).toContain(`env:HOOK (prod), at ${host}`);
  expect(check?.message).not.toContain('a-secret');
});

test.each([
  ['http://127.0.0.1:8791/x', ['127.0.0.1:8791']],
  ['https://hooks.slack.test/x', ['*.slack.test']],
  ['http://127.0.0.1:8791/x', undefined],
])('%s is accepted with %j', (address, allowed) => {
  expect(checked(address, allowed)).toEqual([]);
});

test('an address that is not http is named only by its reference', () => {
  const [check] = checked('hooks.acme.test/a-secret', undefined);
  expect(check?.message).toBe('notices cannot be sent: no http address is in env:HOOK (prod)');
});

test('an address of an audit log that is not set, or not allowed', () => {
  const audit = 'policy: { allowed_hosts: [a.test] }\naudit: { to: env:AUDIT, secret: env:SIGN }\n';
  const messages = (env: NodeJS.ProcessEnv) => {
    project.write({ 'ability.yaml': projectFile('{ dev: {}, prod: {} }', audit), '.env': '' });
    return checkNotices(loadRegistry(project.root), env).map(({ name, message }) => `${name}: ${message}`);
  };
  expect(messages({})).toEqual([
    'audit: lines of the audit log cannot be sent: not set here: env:AUDIT (dev), env:SIGN (dev)',
  ]);
  expect(messages({ AUDIT: 'https://b.test/secret', SIGN: 'whsec_YWJj' })).toEqual([
    'audit: lines of the audit log cannot be sent: policy.allowed_hosts does not allow env:AUDIT (dev), at b.test',
  ]);
  expect(messages({ AUDIT: 'https://a.test/secret', SIGN: 'whsec_YWJj' })).toEqual([]);
});

test('a provider of secrets whose program is not here', () => {
  const provider = (program: string) => `{ command: [${program}, "{path}"] }`;
  const secrets = `secrets: { one: ${provider('node')}, two: ${provider('no-such-vault')}, three: ${provider('./bin/x')} }\n`;
  project.write({ 'ability.yaml': projectFile('{ dev: {} }', secrets) });
  const found = checkProviders(loadRegistry(project.root), { PATH: dirname(process.execPath) });
  expect(found.map(({ name, status, message }) => `${name} ${status}: ${message}`)).toEqual([
    'secrets warning: no-such-vault, the program of the provider two, is not here',
    'secrets warning: ./bin/x, the program of the provider three, is not here',
  ]);
});

const check = (env: NodeJS.ProcessEnv, isShared: boolean) =>
  checkSealKeys(pathsOf(temporaryProject().root), env, isShared);

describe('doctor reports about seal keys', () => {
  test('that they are missing if a server is shared, and how to create them', () => {
    expect(check({}, true)).toMatchObject({ status: 'warning', advice: expect.stringMatching(/ability keys create/) });
    expect(check({}, false)).toMatchObject({ status: 'ok' });
  });

  test('which one signs', () => {
    const ABILITY_SEAL_KEYS = createKey('new', SEAL_KEYS, createKey('old', SEAL_KEYS));
    const message = 'ABILITY_SEAL_KEYS is set: old signs, new only verifies';
    expect(check({ ABILITY_SEAL_KEYS }, true)).toMatchObject({ status: 'ok', message });
  });

  test.each([true, false])('that no worker would accept them (shared: %s)', (isShared) => {
    expect(check({ ABILITY_SEAL_KEYS: 'main:short' }, isShared)).toMatchObject({ status: 'failed' });
  });
});

test('doctor reports which key encrypts payloads, and keys that are none', () => {
  expect(checkPayloadKeys({})).toEqual([]);
  const keys = createKey('new', PAYLOAD_KEYS, createKey('old', PAYLOAD_KEYS));
  expect(checkPayloadKeys({ ABILITY_PAYLOAD_KEYS: keys })).toMatchObject([
    { status: 'ok', message: 'ABILITY_PAYLOAD_KEYS is set: old encrypts, new only decrypts' },
  ]);
  expect(checkPayloadKeys({ ABILITY_PAYLOAD_KEYS: 'x' })).toMatchObject([{ status: 'failed' }]);
});

test('what is scheduled is checked for its credentials and its definition', () => {
  const { root } = temporaryProject({
    'ability.yaml': projectFile('{ dev: {} }'),
    'registry/config/gone.yaml': 'env_profiles: { gone: { secrets: { GONE: "env:GONE" } } }\n',
    ...operation('op.gone', 'return 1;', { script: ', env_profile: gone' }),
    ...workflow('backup', 'steps: [{ id: a, call: op.gone }]'),
    ...workflow('broken', 'steps: 3'),
  });
  const registry = loadRegistry(root);
  const check = (ability: string, env = {}) =>
    checkScheduled(registry, { id: 'nightly', ability, environment: 'dev' }, env).map(({ message }) => message);
  expect(check('backup')).toEqual([expect.stringMatching(/^nightly would be refused in dev: .*GONE/)]);
  expect(check('backup', { GONE: 'here' })).toEqual([]);
  expect(check('broken')).toHaveLength(1);
});
