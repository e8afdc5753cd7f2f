import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ProvidedSecrets } from '../../../../src/activities/secrets/provided-secrets.js';
import { secretProviders } from '../../../../src/definitions/formats/secrets.js';
import { BEHAVIOURS, CANARY, type SecretPrograms, writeSecretPrograms } from '../../../fixtures/secret-programs.js';
import { errorOfAsync } from '../../error-of.js';
import { groupsHere } from './groups-here.js';

const [, recipe = ''] =
  /^## Secrets from a vault$[\s\S]*?^```yaml\n([\s\S]*?)^```$/m.exec(
    readFileSync(new URL('../../../../docs/recipes.md', import.meta.url), 'utf8'),
  ) ?? [];
const written = (parse(recipe) as { secrets: object }).secrets;
const providers = secretProviders.parse(written);
/** The references that the comments of the page show. */
const references = new Map(
  [...recipe.matchAll(/^ {2}(\w+): +# (\1:\S+)$/gm)].map(([, name = '', text = '']) => [name, text]),
);

let programs: SecretPrograms;
beforeAll(() => {
  programs = writeSecretPrograms();
});
afterAll(() => programs.remove());

/** @param timeout instead of that of the recipe. */
function ask(name: string, path: string, timeout = '10s') {
  const provider = { ...providers[name], timeout } as (typeof providers)[string];
  const env = { PATH: `${programs.folder}:${process.env.PATH}`, VAULT_TOKEN: 'v', OP_SERVICE_ACCOUNT_TOKEN: 'o' };
  const secrets = new ProvidedSecrets({
    root: '/',
    groups: groupsHere(),
    providers: () => ({ [name]: provider }),
    env,
  });
  const field = references.get(name)?.includes('#') ? '#password' : '';
  return secrets.read('dev', `${name}:${path}${field}`);
}

test('the page has a recipe for each program, and shows a reference to it', () => {
  expect(Object.keys(providers)).toEqual(['vault', 'op', 'sops', 'aws', 'gcp']);
  expect([...references.keys()]).toEqual(Object.keys(providers));
});

test.each(Object.keys(written))('%s: the secret is what the program prints', async (name) => {
  expect(await ask(name, BEHAVIOURS.right)).toBe(CANARY);
});

test.each([
  ['vault', 2],
  ['op', 1],
  ['sops', 91],
  ['aws', 254],
  ['gcp', 1],
])('%s: a secret that is not there is reported with the exit code', async (name, exit_code) => {
  const error = await errorOfAsync(() => ask(name, BEHAVIOURS.missing));
  expect(error).toMatchObject({ code: 'secret.unavailable', details: { provider: name, exit_code } });
  expect(error.message).toContain(`ended with exit code ${exit_code}; it printed 15 bytes to stderr`);
});

test.each(Object.keys(written))('%s: one that is slow is ended', async (name) => {
  const error = await errorOfAsync(() => ask(name, BEHAVIOURS.slow, '300ms'));
  expect(error).toMatchObject({
    code: 'secret.unavailable',
    message: expect.stringContaining('took longer than 300ms'),
  });
});

test.each(Object.keys(written))('%s: what it prints on stderr is in no error', async (name) => {
  const error = await errorOfAsync(() => ask(name, BEHAVIOURS.leaky));
  expect(error.code).toBe('secret.unavailable');
  const said = [error.message, error.stack, JSON.stringify(error.toProblem()), String(error.cause)].join('\n');
  expect(said).not.toContain('hunter2');
  expect(said).not.toContain(Buffer.from(CANARY).toString('base64'));
});
