import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/contracts/json.js';
import { documentOf, importOf, mapped, operation, whyLeftOut } from './documents.js';

const SCHEMES: JsonObject = {
  bearer: { type: 'http', scheme: 'Bearer' },
  basic: { type: 'http', scheme: 'basic' },
  digest: { type: 'http', scheme: 'digest' },
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://a.test', scopes: {} } } },
  openid: { type: 'openIdConnect', openIdConnectUrl: 'https://a.test' },
  tls: { type: 'mutualTLS' },
  aws: { type: 'apiKey', in: 'header', name: 'Authorization', 'x-amazon-apigateway-authtype': 'awsSigv4' },
};

/** What one of the schemes, alone in its document, becomes. */
async function withScheme(name: string): Promise<JsonObject> {
  const components = { securitySchemes: { [name]: SCHEMES[name] ?? {} } };
  const { api } = await mapped('/a', 'get', { security: [{ [name]: [] }] }, { components });
  return { headers: api.headers ?? null, auth: api.auth ?? null };
}

const secured = (security: JsonObject[], more: JsonObject = {}): ReturnType<typeof mapped> =>
  mapped('/a', 'get', { security }, { components: { securitySchemes: SCHEMES }, ...more });

describe('security schemes are credentials by reference', () => {
  test.each<[string, JsonObject]>([
    ['bearer', { headers: { Authorization: 'Bearer {credential:token}' }, auth: null }],
    ['oauth', { headers: { Authorization: 'Bearer {credential:token}' }, auth: null }],
    ['openid', { headers: { Authorization: 'Bearer {credential:token}' }, auth: null }],
    ['header', { headers: { 'X-Key': '{credential:key}' }, auth: null }],
    ['cookie', { headers: { Cookie: 'sid={credential:key}' }, auth: null }],
    ['query', { headers: null, auth: { query: { key: '{credential:key}' } } }],
    ['basic', { headers: null, auth: { basic: { user: '{credential:user}', password: '{credential:password}' } } }],
  ])('%s', async (name, expected) => {
    expect(await withScheme(name)).toEqual(expected);
  });

  test('the configuration has one entry for all operations, with the variables to set', async () => {
    const paths = {
      '/a': { get: operation({ security: [{ bearer: [] }] }), put: operation({ security: [{ query: [] }] }) },
    };
    const components = {
      securitySchemes: { bearer: SCHEMES.bearer ?? {}, query: SCHEMES.query ?? {}, basic: SCHEMES.basic ?? {} },
    };
    const { config } = await importOf(documentOf(paths, { components }));
    expect(config).toEqual({
      services: {
        acme: {
          endpoints: { default: 'https://api.test/v1' },
          credentials: { key: 'env:ACME_KEY', token: 'env:ACME_TOKEN' },
        },
      },
    });
  });

  test('two schemes of a kind have credentials of their own, the first one the short name', async () => {
    const components = {
      securitySchemes: { one: SCHEMES.header ?? {}, 'Two-B': { ...(SCHEMES.header as JsonObject), name: 'B' } },
    };
    const { api } = await mapped('/a', 'get', { security: [{ one: [], 'Two-B': [] }] }, { components });
    expect(api.headers).toEqual({ 'X-Key': '{credential:key}', B: '{credential:two_b_key}' });
  });

  test('tokens of OAuth are told to be fetched by somebody else', async () => {
    const paths = { '/a': { get: operation({ security: [{ oauth: ['read'] }] }) } };
    const { notes } = await importOf(documentOf(paths, { components: { securitySchemes: SCHEMES } }));
    expect(notes).toEqual([expect.stringContaining('oauth is oauth2 (clientCredentials)')]);
  });
});

describe('several requirements', () => {
  test('the first alternative that can be expressed is chosen, and the others are told', async () => {
    const { api, notes } = await secured([{ tls: [] }, { cookie: [] }, { basic: [] }]);
    expect(api.headers).toHaveProperty('Cookie');
    expect(notes).toEqual(['It is called with cookie; tls, basic would do as well']);
  });

  test('schemes that belong together are all sent', async () => {
    const { api } = await secured([{ header: [], basic: [], query: [] }]);
    expect(api).toMatchObject({ headers: { 'X-Key': expect.any(String) }, auth: { basic: {}, query: {} } });
  });

  test('an operation overrides its document, also with none', async () => {
    const { api } = await secured([], { security: [{ bearer: [] }] });
    expect(api.headers).toBeUndefined();
  });

  test('optional credentials are not asked for, unless the whole document needs them', async () => {
    const alone = await secured([{}, { bearer: [] }]);
    expect(alone.api.headers).toBeUndefined();
    expect(alone.notes).toEqual(['It is called without credentials, which it allows']);
    const needed = await secured([{ bearer: [] }, {}], { security: [{ bearer: [] }] });
    expect(needed.api.headers).toHaveProperty('Authorization');
  });
});

describe('left out by name', () => {
  test.each([
    ['digest', 'its security scheme digest is HTTP digest, and basic and bearer can be sent'],
    ['tls', 'its security scheme tls is mutual TLS'],
    ['aws', 'its security scheme aws signs requests as AWS does (SigV4)'],
    ['none', 'its security scheme none is not defined'],
    ['constructor', 'its security scheme constructor is not defined'],
  ])('%s', async (name, reason) => {
    const components = { securitySchemes: SCHEMES };
    expect(await whyLeftOut('/a', 'get', { security: [{ [name]: [] }] }, { components })).toBe(reason);
  });

  test('two schemes that need the same header', async () => {
    const components = { securitySchemes: SCHEMES };
    const reason = await whyLeftOut('/a', 'get', { security: [{ bearer: [], basic: [] }] }, { components });
    expect(reason).toBe('its security schemes bearer and basic both need Authorization');
  });
});
