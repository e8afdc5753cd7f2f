import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RegistryLoader } from '../../../../src/definitions/load-registry.js';
import { resolveRemembered } from '../../../../src/planning/resolve/remembered-plan.js';
import { EnvironmentVariables } from '../../../../src/planning/secrets/secret-source.js';
import { lowLevel, SCRIPT, SCRIPT_FILE, temporaryProject } from '../../temporary-project.js';

const CONFIG = {
  'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {}, live: { protected: true } }\n',
  'registry/config/all.yaml':
    'abilities: [{ id: service, environments: { dev: { endpoints: { default: "env:SERVICE" } }, live: { endpoints: { default: "env:SERVICE" } } } }]',
};
const API = 'implementation: { kind: api, api: { method: GET, path: /x } }';

function project() {
  const { root } = temporaryProject({
    ...CONFIG,
    ...SCRIPT_FILE,
    ...lowLevel('service', API),
    ...lowLevel('local', SCRIPT),
  });
  const loader = new RegistryLoader(root);
  const plan = (ability: string, variables: NodeJS.ProcessEnv = { SERVICE: 'http://one.test/' }) =>
    resolveRemembered(loader.load(), ability, 'dev', new EnvironmentVariables(root, 'dev', variables)).plan;
  return { root, plan };
}

const write = (root: string, path: string, text: string) => writeFileSync(join(root, path), text);

describe('a plan that was made before', () => {
  test('is the same object while definitions and variables are the same', () => {
    const { plan } = project();
    expect(plan('service')).toBe(plan('service'));
  });

  test('is made anew for another value of a variable that it was made of, whether in the environment or in a file', () => {
    const { plan, root } = project();
    const [before, after] = [plan('service'), plan('service', { SERVICE: 'http://two.test/' })];
    expect(JSON.stringify(before)).toContain('http://one.test/');
    expect(JSON.stringify(after)).toContain('http://two.test/');
    write(root, '.env.dev', 'SERVICE=http://three.test/');
    expect(JSON.stringify(plan('service', {}))).toContain('http://three.test/');
    write(root, '.env.dev', 'SERVICE=http://four.test/');
    expect(JSON.stringify(plan('service', {}))).toContain('http://four.test/');
    expect(() => plan('service', { SERVICE: 'none' })).toThrow(/SERVICE/);
  });

  test('is made anew after an edit of any definition', () => {
    const { plan, root } = project();
    const before = plan('service');
    write(
      root,
      'registry/low-level/local.yaml',
      lowLevel('local', SCRIPT, 'tags: [x]')['registry/low-level/local.yaml'] ?? '',
    );
    expect(plan('service')).not.toBe(before);
    const text = lowLevel('service', API, 'summary: Another.')['registry/low-level/service.yaml'] ?? '';
    write(root, 'registry/low-level/service.yaml', text);
    expect(plan('service').ability.summary).toBe('Another.');
  });

  test('is made anew each time if it seals the bytes of a script', () => {
    const { plan, root } = project();
    const before = plan('local');
    write(root, 'scripts/any.mjs', '// changed');
    expect(plan('local')).not.toEqual(before);
  });

  test('is another one in another environment', () => {
    const { root } = temporaryProject({
      ...CONFIG,
      ...lowLevel('service', API),
    });
    const loader = new RegistryLoader(root);
    const named = (environment: string) =>
      resolveRemembered(
        loader.load(),
        'service',
        environment,
        new EnvironmentVariables(root, environment, { SERVICE: 'http://one.test/' }),
      ).plan.environment.name;
    expect([named('dev'), named('live'), named('dev')]).toEqual(['dev', 'live', 'dev']);
  });
});
