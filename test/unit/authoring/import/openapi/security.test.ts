import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../src/contracts/json.js';
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

/** The result of importing one of the schemes, alone in its document. */
async function withScheme(name: string): Promise<JsonObject> {
  const components = { securitySchemes: { [name]: SCHEMES[name] ?? {} } };
  const { api } = await mapped('/a', 'get', { security: [{ [name]: [] }] }, { components });
  return { headers: api.headers ?? null, auth: api.auth ?? null };
}

const secured = (security: JsonObject[], more: JsonObject = {}): ReturnType<typeof mapped> =>
  mapped('/a', 'get', { security }, { components: { securitySchemes: SCHEMES }, ...more });

describe('security schemes become credentials by reference', () => {
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

  test('the configuration has one entry for all operations, and lists the variables to set', async () => {
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

  test('two schemes of a kind have separate credentials, the first one with the short name', async () => {
    const components = {
      securitySchemes: { one: SCHEMES.header ?? {}, 'Two-B': { ...(SCHEMES.header as JsonObject), name: 'B' } },
    };
    const { api } = await mapped('/a', 'get', { security: [{ one: [], 'Two-B': [] }] }, { components });
    expect(api.headers).toEqual({ 'X-Key': '{credential:key}', B: '{credential:two_b_key}' });
  });

  test('a note states that tokens of OAuth are fetched elsewhere', async () => {
    const paths = { '/a': { get: operation({ security: [{ oauth: ['read'] }] }) } };
    const { notes } = await importOf(documentOf(paths, { components: { securitySchemes: SCHEMES } }));
    expect(notes).toEqual([expect.stringContaining('oauth is oauth2 (clientCredentials)')]);
  });
});

describe('several requirements', () => {
  test('the first alternative that can be expressed is chosen, and the others are reported', async () => {
    const { api, notes } = await secured([{ tls: [] }, { cookie: [] }, { basic: [] }]);
    expect(api.headers).toHaveProperty('Cookie');
    expect(notes).toEqual(['It is called with cookie; tls, basic would do as well']);
  });

  test('schemes that belong together are all sent', async () => {
    const { api } = await secured([{ header: [], basic: [], query: [] }]);
    expect(api).toMatchObject({ headers: { 'X-Key': expect.any(String) }, auth: { basic: {}, query: {} } });
  });

  test('an operation overrides its document, also with an empty list', async () => {
    const { api } = await secured([], { security: [{ bearer: [] }] });
    expect(api.headers).toBeUndefined();
  });

  test('optional credentials are not required, unless the whole document needs them', async () => {
    const alone = await secured([{}, { bearer: [] }]);
    expect(alone.api.headers).toBeUndefined();
    expect(alone.notes).toEqual(['It is called without credentials, which it allows']);
    const needed = await secured([{ bearer: [] }, {}], { security: [{ bearer: [] }] });
    expect(needed.api.headers).toHaveProperty('Authorization');
  });
});

describe('schemes that need the same bearer token are one', () => {
  const flow = { tokenUrl: 'https://a.test', scopes: {} };
  const securitySchemes: JsonObject = {
    Oauth2: { type: 'oauth2', flows: { implicit: { authorizationUrl: 'https://a.test', scopes: {} } } },
    Oauth2c: { type: 'oauth2', flows: { authorizationCode: { ...flow, authorizationUrl: 'https://a.test' } } },
    oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://a.test' },
    jwt: { type: 'http', scheme: 'bearer' },
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  };
  const components = { securitySchemes };
  const TOKEN = { Authorization: 'Bearer {credential:token}' };

  test.each<[string, JsonObject[]]>([
    ['flows of several kinds, wanted together', [{ Oauth2: ['a'], Oauth2c: ['a'] }]],
    [
      'with several scopes',
      [
        { Oauth2: ['a'], Oauth2c: ['a'] },
        { Oauth2: ['b'], Oauth2c: ['b'] },
      ],
    ],
    ['with openIdConnect and http bearer', [{ Oauth2: [], oidc: [], jwt: [] }]],
    ['as alternatives', [{ Oauth2: [] }, { Oauth2c: [] }]],
  ])('%s', async (_, security) => {
    const { api } = await mapped('/a', 'get', { security }, { components });
    expect(api.headers).toEqual(TOKEN);
  });

  test('that are required together somewhere have one credential everywhere, and nothing is left to choose', async () => {
    const paths = {
      '/a': {
        get: operation({ security: [{ Oauth2: [], Oauth2c: [] }] }),
        put: operation({ security: [{ Oauth2c: [] }] }),
      },
      '/b': { get: operation({ security: [{ Oauth2c: [] }, { Oauth2: [] }] }) },
    };
    const { operations, config, notes } = await importOf(documentOf(paths, { components }));
    for (const { definition } of operations) expect(JSON.stringify(definition)).toContain('{credential:token}');
    expect(operations.flatMap((one) => one.notes)).toEqual([]);
    expect(config).toMatchObject({ services: { acme: { credentials: { token: 'env:ACME_TOKEN' } } } });
    expect(notes).toContainEqual(expect.stringContaining('Oauth2 is oauth2 (implicit), Oauth2c is oauth2'));
  });

  test('that are only alternatives keep separate credentials, since the tokens may belong to different people', async () => {
    const paths = {
      '/a': { get: operation({ security: [{ Oauth2: [] }] }), put: operation({ security: [{ Oauth2c: [] }] }) },
    };
    const { config } = await importOf(documentOf(paths, { components }));
    expect(config).toMatchObject({
      services: { acme: { credentials: { token: 'env:ACME_TOKEN', oauth2c_token: 'env:ACME_OAUTH2C_TOKEN' } } },
    });
  });

  test('with an API key in addition', async () => {
    const { api } = await mapped('/a', 'get', { security: [{ Oauth2: [], Oauth2c: [], key: [] }] }, { components });
    expect(api.headers).toEqual({ ...TOKEN, 'X-Key': '{credential:key}' });
  });
});

describe('a credential is sent to one host', () => {
  const components = { securitySchemes: SCHEMES };
  const paths = {
    '/a': { get: operation(), put: operation({ servers: [{ url: 'https://files.test/v1' }] }) },
    '/b': { get: operation({ servers: [{ url: 'https://api.test/v2' }] }) },
  };

  test.each<[string, JsonObject, string]>([
    ['a token', { bearer: [] }, '{credential:files_test_v1_token}'],
    ['an API key', { header: [] }, '{credential:files_test_v1_key}'],
    ['a key in the query', { query: [] }, '{credential:files_test_v1_key}'],
    ['a cookie', { cookie: [] }, 'sid={credential:files_test_v1_key}'],
    ['a password', { basic: [] }, '{credential:files_test_v1_password}'],
  ])('%s: another server of the document has its own, which is reported', async (_, requirement, expected) => {
    const only = Object.fromEntries(Object.keys(requirement).map((name) => [name, SCHEMES[name] ?? {}]));
    const more = { components: { securitySchemes: only }, security: [requirement] };
    const { operations, notes } = await importOf(documentOf(paths, more));
    const [here, there, same] = operations.map(({ definition }) => JSON.stringify(definition));
    expect(there).toContain(expected);
    expect(here).not.toContain('files_test');
    expect(same).not.toContain('files_test');
    expect(notes.join()).toContain('called at https://files.test/v1, which is another host');
  });

  test('an address chosen by --server also keeps its credentials to itself', async () => {
    const document = documentOf(paths, { components, security: [{ bearer: [] }] });
    const { operations } = await importOf(document, { server: 'https://staging.test' });
    const texts = operations.map(({ definition }) => JSON.stringify(definition));
    expect(texts.filter((text) => text.includes('{credential:token}'))).toHaveLength(1);
  });
});

describe('omitted, with the reason', () => {
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
