import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { abilityJson } from '../fixtures/called-command.js';
import { ability, start } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';
import { type ServedDoor, serveDoor } from '../fixtures/served-door.js';
import { buttonsOf, click, type SlackStub, signed, slackFiles, startSlack, toDoor } from '../fixtures/slack.js';
import { startTemporal } from '../fixtures/temporal-server.js';

const definitions = (more = '') =>
  projectFile(
    '{ prod: { approve: [destructive], approvers: [leads], proof: required, self_approval: false }, dev: { approve: [destructive] } }',
    `default_environment: prod
people: { leads: [alice, bob], alice: { slack: U0ALICE }, bob: { slack: U0BOB }, requester: { slack: U0REQ } }
access: { leads: [approve], requester: [approve] }
${slackFiles(slack).yaml}${more}`,
  );
const files = () => ({
  'ability.yaml': definitions(),
  '.env': slackFiles(slack).env,
  ...operation('db.drop', 'return input;', { effects: 'destructive' }),
});

let slack: SlackStub;
let project: ProjectFolder;
let door: ServedDoor;

beforeAll(async () => {
  slack = await startSlack();
  project = makeProject(files());
  door = await serveDoor(project.root);
});
afterAll(async () => {
  await door.stop();
  await ability(['down'], { cwd: project.root });
  project.remove();
  await slack.close();
});

const json = (...args: string[]) => abilityJson(args, { cwd: project.root, env: { ABILITY_USER: 'requester' } });
const messageOf = async (key: string) => {
  const find = () => [...slack.messages].find(([, { blocks }]) => JSON.stringify(blocks).includes(key));
  await expect.poll(find).toBeDefined();
  return find() as NonNullable<ReturnType<typeof find>>;
};
const statusOf = async (key: string) => (await json('task', 'show', key)).json.status;

test('what waits is asked in a channel, a click decides with proof, and the message says who did', async () => {
  await json('run', 'db.drop', '--key', 'clicked', '--set', 'table=users');
  const [ts, message] = await messageOf('clicked');
  expect(slack.calls('chat.postMessage')[0]).toMatchObject({ token: 'Bearer xoxb-of-the-bot-4711' });
  const text = JSON.stringify(message.blocks);
  for (const part of ['db.drop', 'in prod, destructive', 'users', 'asked for by requester', 'approved before: none']) {
    expect(text).toContain(part);
  }
  const [approve] = buttonsOf(message) ?? [];
  expect(await toDoor(door.url, signed(click('approve', approve?.value ?? '', 'U0ALICE')))).toEqual({
    status: 200,
    body: null,
  });
  await expect.poll(() => statusOf('clicked')).toBe('succeeded');
  const { approvals } = (await json('why', 'clicked')).json;
  expect(approvals[0].decisions).toMatchObject([
    { by: { name: 'alice', source: 'slack', issuer: expect.any(String), subject: 'T0ACME/U0ALICE' } },
  ]);
  await expect.poll(() => buttonsOf(slack.messages.get(ts))).toBeUndefined();
  expect(JSON.stringify(slack.messages.get(ts))).toContain('approve: alice (slack)');
});

test('on a shared server the key of the door proves it, and a door without one proves nothing', LONG, async () => {
  const server = await startTemporal();
  onTestFinished(() => server.stop());
  const { json: key } = await abilityJson(['keys', 'create', '--for-door', '--id', 'main'], { cwd: project.root });
  const shared = makeProject({ ...files(), 'ability.yaml': definitions(`doors: { main: ${key.public_key} }\n`) });
  onTestFinished(() => shared.remove());
  const env = { TEMPORAL_ADDRESS: server.address, ABILITY_USER: 'requester' };
  const there = (...args: string[]) => abilityJson(args, { cwd: shared.root, env });
  const keys = `main:${randomBytes(32).toString('base64url')}`;
  const worker = start(['worker'], { cwd: shared.root, env: { ...env, ABILITY_SEAL_KEYS: keys } });
  onTestFinished(async () => {
    worker.kill('SIGTERM');
    await worker;
  });
  const run = () => there('run', 'db.drop', '--key', 'far', '--set', 'table=x');
  await expect.poll(async () => (await run()).json.status, { timeout: 40_000 }).toBe('waiting_approval');
  const value = buttonsOf((await messageOf('far'))[1])?.[0]?.value ?? '';
  const serve = async (doorKey: string) => {
    process.env.ABILITY_DOOR_KEY = doorKey;
    const served = await serveDoor(shared.root, '--address', server.address).finally(() => {
      delete process.env.ABILITY_DOOR_KEY;
    });
    onTestFinished(async () => void (await served.stop()));
    return served.url;
  };
  await toDoor(await serve(''), signed(click('approve', value, 'U0ALICE')));
  await expect.poll(() => slack.calls('chat.postEphemeral').at(-1)?.body.text).toMatch(/^approval\.unproved/);
  expect((await there('task', 'show', 'far')).json.status).toBe('waiting_approval');
  await toDoor(await serve(key.value), signed(click('approve', value, 'U0ALICE')));
  await expect.poll(async () => (await there('task', 'show', 'far')).json.status).toBe('succeeded');
  const { approvals } = (await there('why', 'far')).json;
  expect(approvals[0].decisions).toMatchObject([{ by: { name: 'alice', source: 'slack' } }]);
});
