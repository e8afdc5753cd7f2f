import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../../src/contracts/plan.js';
import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, registryOf, resolved } from '../../temporary-project.js';

const SERVICE = [
  'services:',
  '  shop:',
  '    endpoints: { default: "https://shop.test", up: "https://up.shop.test" }',
  '    credentials: { token: "env:SHOP_TOKEN" }',
  '    environments: { prod: { endpoints: { default: "https://prod.shop.test" }, credentials: { token: "env:PROD_TOKEN" } } }',
].join('\n');

const HEADERS = 'headers: { Authorization: "Bearer {credential:token}" }';

function filesOf(api: string, config = SERVICE): ProjectFiles {
  return {
    'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {}, prod: {} }\n',
    'registry/config/shop.yaml': config,
    ...lowLevel('shop.get', `implementation: { kind: api, api: { ${api} } }`),
  };
}

function apiOf({ operations }: Plan): { base_url: string; credentials: Record<string, string> } {
  const { implementation } = operations['shop.get'] ?? {};
  if (implementation?.kind !== 'api') throw new Error('no api implementation');
  return implementation.api;
}

describe('abilities share the endpoints and credentials of a service', () => {
  test('with its settings for the environment', () => {
    const files = filesOf(`service: shop, ${HEADERS}`);
    expect(apiOf(resolved(files, 'shop.get', 'dev').plan)).toMatchObject({
      base_url: 'https://shop.test',
      credentials: { token: 'env:SHOP_TOKEN' },
    });
    expect(apiOf(resolved(files, 'shop.get', 'prod').plan)).toMatchObject({
      base_url: 'https://prod.shop.test',
      credentials: { token: 'env:PROD_TOKEN' },
    });
  });

  test('at another of its endpoints', () => {
    expect(apiOf(resolved(filesOf('service: shop, endpoint: up'), 'shop.get', 'prod').plan).base_url).toBe(
      'https://up.shop.test',
    );
  });

  test('unless their own entry says otherwise, key by key', () => {
    const own =
      '\nabilities: [{ id: shop.get, environments: { prod: { endpoints: { default: "https://own.test" } } } }]';
    const api = apiOf(resolved(filesOf(`service: shop, ${HEADERS}`, SERVICE + own), 'shop.get', 'prod').plan);
    expect(api).toMatchObject({ base_url: 'https://own.test', credentials: { token: 'env:PROD_TOKEN' } });
  });

  test('but only if they name it', () => {
    expect(errorOf(() => resolved(filesOf('path: /'), 'shop.get')).code).toBe('config.missing_endpoint');
  });
});

describe('missing definitions are reported', () => {
  test('an undefined service, with the nearest name', () => {
    const error = errorOf(() => resolved(filesOf('service: shopp'), 'shop.get'));
    expect(error).toMatchObject({ code: 'definition.unknown_reference', message: 'There is no service shopp' });
    expect(error.suggestion).toContain('shop');
  });

  test('a missing endpoint or credential, with where to define it', () => {
    expect(errorOf(() => resolved(filesOf('service: shop, endpoint: none'), 'shop.get')).suggestion).toContain(
      '`services.shop.endpoints.none`',
    );
    const headers = 'headers: { X: "{credential:none}" }';
    expect(errorOf(() => resolved(filesOf(`service: shop, ${headers}`), 'shop.get')).suggestion).toContain(
      '`services.shop.credentials.none`',
    );
  });

  test('an environment that the project does not have', () => {
    const [problem] = registryOf(filesOf('service: shop', SERVICE.replace('prod:', 'prodd:'))).problems;
    expect(problem).toMatchObject({
      code: 'definition.unknown_reference',
      location: { file: 'registry/config/shop.yaml' },
    });
  });

  test('a service in two files, which disables both', () => {
    const files = { ...filesOf('service: shop'), 'registry/config/other.yaml': SERVICE };
    expect(errorOf(() => resolved(files, 'shop.get')).code).toBe('definition.duplicate');
  });

  test('a literal secret, which is not a reference', () => {
    const files = filesOf('service: shop', SERVICE.replace('env:SHOP_TOKEN', 'abc'));
    expect(errorOf(() => resolved(files, 'shop.get')).message).toContain('A secret is a reference');
  });
});
