import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CHROMIUM, launchBrowser } from '../fixtures/browser.js';
import { abilityJson } from '../fixtures/called-command.js';
import { ability, start } from '../fixtures/command-line.js';
import { CLIENT, startProvider } from '../fixtures/openid-provider.js';
import { makeProject, operation, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';
import { type ServedDoor, serveDoor } from '../fixtures/served-door.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';

const GROUPS = { alice: ['release-leads'], bob: ['other'], carol: ['oncall-5f3c'] };
const ACCESS = `default_environment: prod
people: { release-leads: { claim: release-leads }, on-call: { claim: oncall-5f3c } }
access: { release-leads: [read, run, approve], on-call: [read, approve] }
`;
const files = (more = '') => ({
  'ability.yaml': projectFile(
    '{ prod: { approve: [destructive], approvers: [on-call, release-leads, dave], proof: required, self_approval: false }, lax: { approve: [destructive], approvers: [release-leads] } }',
    ACCESS + more,
  ),
  ...operation('db.drop', 'return input;', { effects: 'destructive' }),
});

let browser: Browser | undefined;
let provider: Awaited<ReturnType<typeof startProvider>>;
const oidc = () => [
  ...['--oidc-issuer', provider.issuer, '--oidc-client', CLIENT.id],
  ...['--oidc-secret', 'env:OIDC_SECRET', '--oidc-groups', 'groups'],
];

beforeAll(async () => {
  provider = await startProvider(GROUPS);
  process.env.OIDC_SECRET = CLIENT.secret;
  if (CHROMIUM) browser = await launchBrowser();
});
afterAll(async () => {
  delete process.env.OIDC_SECRET;
  await browser?.close();
  await provider.close();
});

/** The browser of a person who signs in with the provider, on the way to a view. */
async function signedIn({ url }: ServedDoor, name: string, view = '/inbox'): Promise<Page> {
  const context = await (browser as Browser).newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(url + view);
  await page.getByRole('link', { name: /^Sign in with 127/ }).click();
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.locator('button[type=submit]', { hasText: 'Continue' }).click();
  await page.waitForURL(url + view);
  await page.getByText(`Signed in as ${name}`).waitFor();
  return page;
}

describe.skipIf(!CHROMIUM)('people sign in on the page (needs chromium: apt-get install chromium)', () => {
  let project: ProjectFolder;
  let door: ServedDoor;
  beforeAll(async () => {
    project = makeProject(files());
    door = await serveDoor(project.root, ...oidc());
  });
  afterAll(async () => {
    await door.stop();
    await ability(['down'], { cwd: project.root });
    project.remove();
  });

  const json = (...args: string[]) => abilityJson(args, { cwd: project.root, env: { ABILITY_USER: 'requester' } });

  test('and decide as who they are, which is proved; without the group they only read', async () => {
    const { json: task } = await json('run', 'db.drop', '--key', 'signed', '--set', 'table=users');
    expect(task.status).toBe('waiting_approval');
    const bob = await signedIn(door, 'bob', '/tasks/signed');
    await bob
      .getByRole('heading', { name: /db\.drop/ })
      .first()
      .waitFor();
    expect(await bob.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    const denied = await bob.evaluate(async () => {
      const open = (await (await fetch('/v1/tasks/signed/approvals')).json()) as { id: string }[];
      const path = `/v1/tasks/signed/approvals/${open[0]?.id}`;
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(path, { method: 'POST', headers, body: '{"decision":"approve"}' });
      return ((await answer.json()) as { code: string }).code;
    });
    expect(denied).toBe('door.forbidden');
    const alice = await signedIn(door, 'alice');
    await alice.getByRole('button', { name: 'Approve', exact: true }).click();
    await alice.getByText('Approved.').waitFor();
    await expect.poll(async () => (await json('task', 'show', 'signed')).json.status).toBe('succeeded');
    // The list of who is signed in says what their groups give now.
    const listed = (await json('token', 'list')).json;
    expect(listed).toContainEqual(expect.objectContaining({ person: 'alice', can: ['read', 'run', 'approve'] }));
    expect(listed).toContainEqual(expect.objectContaining({ person: 'bob', can: ['read'] }));
    const { approvals } = (await json('why', 'signed')).json;
    expect(approvals[0].decisions).toMatchObject([
      { by: { name: 'alice', source: 'oidc', issuer: provider.issuer, subject: 'alice' } },
    ]);
    // Where no proof is required, a group of the claim counts as well, and only with one.
    await json('run', 'db.drop', '--key', 'lax', '--env', 'lax', '--set', 'table=users');
    expect((await json('approve', 'lax', '--as', 'alice', '--yes')).json.error.code).toBe('approval.ignored');
    await alice.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect.poll(async () => (await json('task', 'show', 'lax')).json.status).toBe('succeeded');
    // A person of a group that only the claim knows.
    await json('run', 'db.drop', '--key', 'on-call', '--set', 'table=users');
    const carol = await signedIn(door, 'carol');
    await carol.getByRole('button', { name: 'Approve', exact: true }).click();
    await carol.getByText('Approved.').waitFor();
  });

  test('and sign out, here and at the provider', async () => {
    const page = await signedIn(door, 'bob');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${provider.issuer}/**`);
    await page.goto(`${door.url}/inbox`);
    await page.getByRole('link', { name: /^Sign in with 127/ }).waitFor();
  });
});

describe('on a shared Temporal server', () => {
  let server: TestServer;
  let project: ProjectFolder;
  let worker: ReturnType<typeof start>;
  const env = () => ({ TEMPORAL_ADDRESS: server.address });
  const json = (args: string[], more = {}) => abilityJson(args, { cwd: project.root, env: { ...env(), ...more } });
  const doorKey = async (id: string) => {
    const { json: made } = await abilityJson(['keys', 'create', '--for-door', '--id', id], { cwd: project.root });
    return made as { value: string; public_key: string };
  };

  beforeAll(async () => {
    server = await startTemporal();
    project = makeProject(files());
    const { value, public_key } = await doorKey('main');
    process.env.ABILITY_DOOR_KEY = value;
    project.write(files(`doors: { main: ${public_key} }\n`));
    const keys = `main:${randomBytes(32).toString('base64url')}`;
    worker = start(['worker'], { cwd: project.root, env: { ...env(), ABILITY_SEAL_KEYS: keys } });
  });
  afterAll(async () => {
    delete process.env.ABILITY_DOOR_KEY;
    worker.kill('SIGTERM');
    await worker;
    await server.stop();
    project.remove();
  });

  const waiting = async (key: string) => {
    const run = () => json(['run', 'db.drop', '--key', key, '--set', 'table=x']);
    await expect.poll(async () => (await run()).json.status, { timeout: 40_000 }).toBe('waiting_approval');
  };
  const decidersOf = async (key: string) => {
    await expect.poll(async () => (await json(['task', 'show', key])).json.status).toBe('succeeded');
    return (await json(['why', key])).json.approvals[0].decisions;
  };

  test('a door proves by its key who decides; a command proves nobody there, nor does another door', async () => {
    await waiting('far');
    expect((await json(['approve', 'far', '--yes'])).json.error.code).toBe('approval.unproved');
    const tokenOf = async (name: string) =>
      (await json(['token', 'create', '--person', name, '--can', 'read,approve'])).json.token;
    const foreign = await doorKey('main');
    const refused = await ability(['serve', '--port', '0'], {
      cwd: project.root,
      env: { ...env(), ABILITY_DOOR_KEY: foreign.value },
    });
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no worker would believe it') });
    const door = await serveDoor(project.root, '--address', server.address);
    onTestFinished(async () => void (await door.stop()));
    // biome-ignore lint/suspicious/noExplicitAny: what the door answers is what the test looks at
    const send = async (token: string, path: string, body?: object): Promise<any> => {
      const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
      const answer = await fetch(door.url + path, {
        method: body ? 'POST' : 'GET',
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      return answer.json();
    };
    const [approval] = await send(await tokenOf('dave'), '/v1/tasks/far/approvals');
    const decide = async (name: string) =>
      send(await tokenOf(name), `/v1/tasks/far/approvals/${approval.id}`, { decision: 'approve' });
    // No claim puts this person into a group.
    expect(await decide('alice')).toMatchObject({
      code: 'approval.ignored',
      detail: expect.stringContaining('alice is not among the approvers'),
    });
    expect(await decide('dave')).toMatchObject({ counted: true });
    expect(await decidersOf('far')).toMatchObject([{ by: { name: 'dave', source: 'token' } }]);
  });

  test.skipIf(!CHROMIUM)('a person of the provider decides through the door (needs chromium)', async () => {
    await waiting('near');
    const door = await serveDoor(project.root, '--address', server.address, ...oidc());
    onTestFinished(async () => void (await door.stop()));
    const alice = await signedIn(door, 'alice');
    await alice.getByRole('button', { name: 'Approve', exact: true }).click();
    await alice.getByText('Approved.').waitFor();
    expect(await decidersOf('near')).toMatchObject([{ by: { name: 'alice', source: 'oidc' } }]);
  });
});
