import { expect, test } from 'vitest';
import { resolvePlan } from '../../../src/planning/resolve/resolve-plan.js';
import { EnvironmentVariables } from '../../../src/planning/secrets/secret-source.js';
import { isHostAllowed } from '../../../src/rules/calls/allowed-hosts.js';
import { PlaceholderSecrets, PlaceholderVariables } from '../../../src/testing/placeholders.js';
import { projectFile } from '../../fixtures/project-folder.js';
import { errorOf } from '../error-of.js';
import { lowLevel, registryOf, temporaryProject } from '../temporary-project.js';

test.each([
  [['127.0.0.1:*']],
  [['*.acme.test']],
  [['*.staging.acme.test:8443']],
  [['[::1]:*']],
  [['10.0.0.*:80', 'acme.test']],
])('if the policy allows %j, an unset variable stands for an address it allows', (allowed) => {
  const policy = `policy: { allowed_hosts: ${JSON.stringify(allowed)} }\n`;
  const registry = registryOf({ 'ability.yaml': projectFile('{ dev: {} }', policy) });
  const address = new URL(new PlaceholderVariables(registry, 'dev').find('NOWHERE_URL'));
  expect(isHostAllowed(address, allowed)).toBe(true);
  expect(address.pathname).toBe('/NOWHERE_URL');
});

test('a set variable stands for its value', () => {
  const registry = registryOf({ '.env.dev': 'A=from a file\n' });
  expect(new PlaceholderVariables(registry, 'dev').find('A')).toBe('from a file');
});

test('a missing secret is replaced by a recognizable placeholder', () => {
  const secrets = new PlaceholderSecrets(temporaryProject({ '.env': 'SET=value\n' }).root, 'dev');
  expect(secrets.has('env:NOWHERE_TOKEN')).toBe(true);
  expect(secrets.resolve('env:NOWHERE_TOKEN', 'token')).toBe('placeholder for env:NOWHERE_TOKEN');
  expect(secrets.resolve('file:nowhere', 'token')).toBe('placeholder for file:nowhere');
  expect(secrets.resolve('env:SET', 'token')).toBe('value');
});

test('a case needs no program that runs a script', () => {
  const script = 'implementation: { kind: script, script: { path: s, interpreter: no-such-program } }';
  const registry = registryOf({ ...lowLevel('op', script), s: '' });
  const plan = (variables: EnvironmentVariables) => () => resolvePlan(registry, 'op', 'dev', variables);
  expect(plan(new PlaceholderVariables(registry, 'dev'))).not.toThrow();
  expect(errorOf(plan(new EnvironmentVariables(registry.root, 'dev'))).code).toBe('config.missing_program');
});
