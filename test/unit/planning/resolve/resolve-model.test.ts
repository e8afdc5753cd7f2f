import { expect, test } from 'vitest';
import { resolveModel } from '../../../../src/planning/resolve/resolve-agent.js';
import { EnvironmentVariables } from '../../../../src/planning/secrets/secret-source.js';
import { errorOf } from '../../error-of.js';
import { registryOf } from '../../temporary-project.js';

const LOCATION = { file: 'registry/high-level/writer.yaml', line: 1, column: 1 };

/** One of these models of a project, as an operation. */
function modelOf(name: string, models: string, policy = '') {
  const lines = ['format: 1', 'project: p', 'environments: { dev: {} }', `models: { ${models} }`, policy];
  const files = { 'ability.yaml': `${lines.join('\n')}\n`, 'scripts/any.mjs': '// nothing' };
  const registry = registryOf(files);
  return resolveModel(registry, name, LOCATION, new EnvironmentVariables(registry.root, 'dev'));
}

const settingsOf = (...args: Parameters<typeof modelOf>) => {
  const { implementation } = modelOf(...args);
  return implementation.kind === 'model' ? implementation.model : undefined;
};

test('a model is called by its name at its endpoint', () => {
  expect(modelOf('fast', 'fast: { model: mini-3 }').summary).toBe('The model mini-3');
  expect(settingsOf('fast', 'fast: { model: mini-3 }')).toMatchObject({ name: 'mini-3' });
});

test('a model that is a program has its own name, and the script of the program', () => {
  const models = 'fast: { command: { path: scripts/any.mjs } }';
  expect(modelOf('fast', models).summary).toBe('The model fast');
  expect(settingsOf('fast', models)).toMatchObject({ name: 'fast', script: { path: 'scripts/any.mjs' } });
});

test('a model has no script, no price and no hosts unless they are specified', () => {
  for (const name of ['script', 'price', 'allowed_hosts']) {
    expect(settingsOf('fast', 'fast: { model: m }')).not.toHaveProperty(name);
  }
  const models = 'fast: { model: m, price: { input: 1, output: 2 } }';
  expect(settingsOf('fast', models, 'policy: { allowed_hosts: [a.test] }')).toMatchObject({
    price: { input: 1, output: 2 },
    allowed_hosts: ['a.test'],
  });
});

test('a call of a model takes no longer than the policy allows', () => {
  const timeoutOf = (policy?: string) =>
    modelOf('fast', 'fast: { model: m, timeout: 5m }', policy).implementation.timeout_ms;
  expect([timeoutOf(), timeoutOf('policy: { max_timeout: 1m }')]).toEqual([300_000, 60_000]);
});

test.each([
  ['fist', 'fast'],
  ['toString', 'models: { toString:'],
])('a model %s that is not defined is refused, with a suggestion', (name, suggestion) => {
  const error = errorOf(() => modelOf(name, 'fast: { model: m }'));
  expect(error).toMatchObject({ code: 'config.no_model', location: LOCATION });
  expect(error.suggestion).toContain(suggestion);
});

test('a program whose interpreter is not there is refused at its place in ability.yaml', () => {
  const missing = () => modelOf('own', 'own: { command: { path: scripts/any.mjs, interpreter: no-such-program } }');
  expect(errorOf(missing)).toMatchObject({
    code: 'config.missing_program',
    location: { file: 'ability.yaml', line: 4 },
  });
});
