import { afterAll, beforeAll, expect, test } from 'vitest';
import { abilityJson } from '../fixtures/called-command.js';
import { ability } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';
import { type ServedDoor, serveDoor } from '../fixtures/served-door.js';
import { buttonsOf, click, type SlackStub, signed, slackFiles, startSlack, toDoor } from '../fixtures/slack.js';

let slack: SlackStub;
let project: ProjectFolder;
let door: ServedDoor;

beforeAll(async () => {
  slack = await startSlack();
  const { yaml, env } = slackFiles(slack);
  project = makeProject({
    'ability.yaml': projectFile(
      '{ prod: { approve: [destructive], approvers: [leads], proof: required, self_approval: false }, dev: { approve: [destructive] } }',
      `default_environment: prod
people: { leads: [alice, bob], alice: { slack: U0ALICE }, bob: { slack: U0BOB }, requester: { slack: U0REQ } }
access: { leads: [approve], requester: [approve] }
${yaml}`,
    ),
    '.env': env,
    ...operation('db.drop', 'return input;', { effects: 'destructive' }),
  });
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
