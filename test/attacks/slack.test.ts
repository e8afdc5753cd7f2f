import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explainTask, readApprovals, viewTask } from '../../src/client/index.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { rightsOfPerson } from '../../src/rules/rights.js';
import { ownDoorKey } from '../../src/server/keys/door-key.js';
import { type OpenDoor, openDoor, sendRaw } from '../fixtures/http-door.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import {
  BOT_TOKEN,
  buttonsOf,
  click,
  type SignedRequest,
  type SlackStub,
  signed,
  slackFiles,
  startSlack,
  submission,
  toDoor,
} from '../fixtures/slack.js';
import { times } from './extent.js';

let slack: SlackStub;
let project: RunningProject;
let other: RunningProject;
let door: OpenDoor;

beforeAll(async () => {
  slack = await startSlack();
  const { yaml, env } = slackFiles(slack, ', environments: [prod, free]');
  const files = {
    'ability.yaml': projectFile(
      `{
  prod: { protected: true, approve: [destructive], approvers: [leads, tester], proof: required },
  free: { approve: [destructive], self_approval: false },
  apart: { approve: [destructive], approvers: [leads] } }`,
      `people:
  leads: [alice, bob]
  alice: { slack: U0ALICE }
  bob: { slack: U0BOB }
  carol: { slack: U0CAROL }
  dave: { slack: U0DAVE }
  tester: { slack: U0TESTER }
  erin: { slack: U0ERIN }
access: { leads: [approve], carol: [approve], tester: [approve], dave: { approve: { environments: [free] } } }
${yaml}`,
    ),
    '.env': env,
    ...operation('db.drop', 'return input;', { effects: 'destructive' }),
    ...workflow('titled', 'steps: [{ id: ask, approval: { title: "${{ input.title }}" } }]'),
    ...workflow(
      'twice',
      `
steps:
  - id: g
    retry: { attempts: 2, first: 100ms }
    steps:
      - { id: ask, approval: { title: Go on? } }
      - { id: no, fail: { code: once_more, message: again } }`,
    ),
  };
  project = await runProject(files, { proves: true });
  other = await runProject(
    { ...files, 'ability.yaml': files['ability.yaml'].replace(/^project: .*/m, '$&-b') },
    { proves: true },
  );
  const { root } = project;
  door = await openDoor(project.connection, {
    env: {},
    authentication: {
      findToken: () => undefined,
      local: undefined,
      rightsOfPerson: (name, groups) => rightsOfPerson({ name, groups }, loadRegistry(root).project),
      doorKey: () => ownDoorKey(project.connection.paths.doorKey),
    },
  });
});
afterAll(async () => {
  await door.close();
  await Promise.all([project.stop(), other.stop()]);
  await slack.close();
});

const buttonIn = async (key: string, of: string): Promise<string> => {
  const find = () => [...slack.messages.values()].findLast((one) => JSON.stringify(one.blocks).includes(`${key},`));
  await expect.poll(() => find() && buttonsOf(find()), { timeout: 20_000 }).toBeDefined();
  return buttonsOf(find())?.find(({ action_id }) => action_id === of)?.value as string;
};
const openOf = async (at: RunningProject, key: string) => (await readApprovals(at.connection, key))[0];
const decisionsOf = async (key: string) => (await viewTask(project.connection, key)).result.approvals[0]?.decisions;
/** A task that waits, and the value of the buttons that ask for it. */
async function asking(environment = 'prod', ability = 'db.drop', at = project) {
  const { id: key } = await at.create(ability, { table: 't' }, { environment });
  return { key, value: await buttonIn(key, 'approve') };
}
const send = (request: SignedRequest) => toDoor(door.url, request);
const saidTo = (user: string) =>
  slack
    .calls('chat.postEphemeral')
    .filter(({ body }) => body.user === user)
    .map(({ body }) => body.text as string);

describe('Slack decides nothing', () => {
  test('by a request that is forged, changed, stale, early, unsigned or of another shape', async () => {
    const { key, value } = await asking();
    const now = Math.floor(Date.now() / 1000);
    const good = signed(click('approve', value, 'U0ALICE'));
    const headers = (more: Record<string, string>): SignedRequest => ({
      ...good,
      headers: { ...good.headers, ...more },
    });
    const { 'x-slack-signature': signature = '', ...unsigned } = good.headers;
    const refused: SignedRequest[] = [
      signed(click('approve', value, 'U0ALICE'), { secret: 'another' }),
      signed(click('approve', value, 'U0ALICE'), { secret: '' }),
      signed(click('approve', value, 'U0ALICE'), { at: now - 302 }),
      signed(click('approve', value, 'U0ALICE'), { at: now + 310 }),
      { ...good, headers: unsigned },
      { ...good, body: good.body.replace('U0ALICE', 'U0BOB') },
      { ...good, body: `${good.body}&payload=%7B%7D` },
      headers({ 'x-slack-request-timestamp': String(now + 1) }),
      headers({ 'x-slack-request-timestamp': `0${now}` }),
      headers({ 'x-slack-signature': signature.toUpperCase() }),
      headers({ 'x-slack-signature': signature.slice(0, -2) }),
      headers({ 'x-slack-signature': signature.replace('v0=', 'v1=') }),
      headers({ 'x-slack-signature': `${signature}, ${signature}` }),
      headers({ 'x-slack-signature': '' }),
    ];
    for (const request of refused) expect((await send(request)).status).toBe(401);
    const strange = [
      '',
      'null',
      '[]',
      '{"type":"block_actions"}',
      '{"type":"view_closed","__proto__":{"type":"block_actions"}}',
      JSON.stringify({ ...click('approve', value, 'U0ALICE'), user: 'U0ALICE' }),
      JSON.stringify({ ...click('approve', value, 'U0ALICE'), actions: [] }),
      JSON.stringify(click('approve', value, 'U0ALICE')).replace('"user":', '"user":{"id":"U0MALLORY"},"user":'),
      JSON.stringify(click('grant', value, 'U0ALICE')),
      JSON.stringify(click('approve', 'x', 'U0ALICE')),
      JSON.stringify(click('approve', JSON.stringify({ ...JSON.parse(value), more: 1 }), 'U0ALICE')),
    ];
    for (const payload of strange) expect((await send(signed(payload))).status).toBe(400);
    const json = { ...signed(click('approve', value, 'U0ALICE')) };
    json.headers = { ...json.headers, 'content-type': 'application/json' };
    expect((await send(json)).status).toBe(415);
    const large = signed('x'.repeat(300_000));
    const { status } = await sendRaw(door.url, {
      method: 'POST',
      path: '/v1/slack/interactions',
      headers: large.headers,
      pieces: [large.body],
    });
    expect(status).toBe(413);
    expect(await decisionsOf(key)).toEqual([]);
    // The same, once and as it was, counts.
    expect(await send(good)).toEqual({ status: 200, body: null });
    expect(await decisionsOf(key)).toMatchObject([{ by: { name: 'alice', source: 'slack' } }]);
  });

  test('by a request that is repeated, also fifty at once, nor by the button of an approval that was raised again', async () => {
    const { key } = await asking('free', 'twice');
    const value = await buttonIn(key, 'approve');
    const request = signed(click('approve', value, 'U0ALICE'));
    const answers = await Promise.all(Array.from({ length: times(20, 50) }, () => send(request)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 401]));
    const raised = JSON.parse(value).raised;
    await expect.poll(async () => (await openOf(project, key))?.raised_at, { timeout: 20_000 }).not.toBe(raised);
    await expect.poll(async () => await openOf(project, key), { timeout: 20_000 }).toBeDefined();
    expect((await openOf(project, key))?.id).toBe(JSON.parse(value).approval);
    expect((await send(request)).status).toBe(401);
    expect((await send(signed(click('approve', value, 'U0BOB')))).status).toBe(200);
    await expect.poll(() => saidTo('U0BOB').at(-1)).toMatch(/^approval\.not_found/);
    expect((await openOf(project, key))?.decisions).toEqual([]);
  });

  test('by someone whom no one knows, may not decide, is no approver, or asked for it', async () => {
    const { key, value } = await asking();
    const reasons: [user: string, says: RegExp][] = [
      ['U0MALLORY', /^door\.unauthenticated: No person .* U0MALLORY/],
      ['U0DAVE', /^door\.forbidden: The right approve does not hold for db\.drop in prod/],
      ['U0ERIN', /^door\.forbidden: The right approve is missing/],
      ['U0CAROL', /^approval\.ignored: .*carol is not among the approvers/],
      ['U0TESTER', /^approval\.ignored: .*tester asked for it/],
      ['<!channel>', /^door\.unauthenticated: .* &lt;!channel&gt; in Slack/],
      ['alice', /^door\.unauthenticated/],
      ['__proto__', /^door\.unauthenticated/],
    ];
    for (const [user, says] of reasons) {
      for (const verdict of ['approve', 'deny']) {
        const said = saidTo(user).length;
        expect(await send(signed(click(verdict, value, user)))).toEqual({ status: 200, body: null });
        await expect.poll(() => saidTo(user).length).toBe(said + 1);
        expect(saidTo(user).at(-1)).toMatch(says);
      }
    }
    // Without the id of a workspace it is not known whose id it is.
    expect(
      (await send(signed(click('approve', value, 'U0ALICE', { team: null, user: { id: 'U0ALICE' } })))).status,
    ).toBe(200);
    expect(await decisionsOf(key)).toEqual([]);
    const { ignored } = (await explainTask(project.connection, key)).approvals[0] ?? {};
    expect(ignored?.map(({ by }) => by)).toEqual(['carol', 'carol', 'tester', 'tester']);
  });

  test('on an approval of another project, of an environment that is not asked, or of no task', async () => {
    const { key, value } = await asking();
    const about = JSON.parse(value);
    const foreign = await asking('prod', 'db.drop', other);
    const { id: apart } = await project.create('db.drop', { table: 't' }, { environment: 'apart' });
    await expect.poll(() => openOf(project, apart), { timeout: 20_000 }).toBeDefined();
    const { id, raised_at } = (await openOf(project, apart)) as NonNullable<Awaited<ReturnType<typeof openOf>>>;
    const attempts: [object, RegExp][] = [
      [JSON.parse(foreign.value), /^task\.other_project/],
      [{ ...JSON.parse(foreign.value), project: about.project }, /^task\.not_found|^task\.other_project/],
      [{ ...about, task: apart, approval: id, raised: raised_at }, /^approval\.not_found/],
      [{ ...about, task: 'none' }, /^task\.not_found/],
      [{ ...about, approval: 'none' }, /^approval\.not_found/],
      [{ ...about, task: `notify:${key}` }, /^task\.not_found/],
    ];
    for (const [target, says] of attempts) {
      const said = saidTo('U0ALICE').length;
      await send(signed(click('approve', JSON.stringify(target), 'U0ALICE')));
      await expect.poll(() => saidTo('U0ALICE').length).toBe(said + 1);
      expect(saidTo('U0ALICE').at(-1)).toMatch(says);
    }
    expect(await decisionsOf(key)).toEqual([]);
    expect((await openOf(other, foreign.key))?.decisions).toEqual([]);
    expect((await openOf(project, apart))?.decisions).toEqual([]);
  });

  test('by a dialog whose approval was exchanged, or whose sender is another one', async () => {
    const [one, two] = [await asking(), await asking('free')];
    await send(signed(click('request_changes', one.value, 'U0ALICE')));
    const { view } = slack.calls('views.open').at(-1)?.body ?? {};
    const metadata = view.private_metadata as string;
    const good = signed(submission(metadata, { comment: 'no' }, 'U0ALICE'));
    const exchanged = { ...good, body: good.body.replace(one.key, two.key) };
    expect(exchanged.body).not.toBe(good.body);
    expect((await send(exchanged)).status).toBe(401);
    const verdict = { ...good, body: good.body.replace('request_changes', 'approve') };
    expect((await send(verdict)).status).toBe(401);
    for (const user of ['U0MALLORY', 'U0DAVE', 'U0CAROL', 'U0TESTER']) {
      const answer = await send(signed(submission(metadata, { comment: 'no' }, user)));
      expect(answer.body).toMatchObject({ response_action: 'errors', errors: { comment: expect.any(String) } });
    }
    const { project: named, ...rest } = JSON.parse(metadata);
    for (const changed of [rest, { ...rest, project: `${named}-b` }, { ...rest, project: named, approval: 'none' }]) {
      const { status, body } = await send(signed(submission(JSON.stringify(changed), { comment: 'no' }, 'U0ALICE')));
      expect([status, body?.response_action]).toEqual('project' in changed ? [200, 'errors'] : [400, undefined]);
    }
    expect(await decisionsOf(one.key)).toEqual([]);
    expect(await decisionsOf(two.key)).toEqual([]);
    expect(await send(good)).toEqual({ status: 200, body: null });
    expect(await decisionsOf(one.key)).toMatchObject([{ decision: 'request_changes', by: { name: 'alice' } }]);
  });
});

test('nothing that people wrote is markup in Slack, and the token of the bot is in no message', async () => {
  const { id } = await project.create(
    'titled',
    { title: `<!channel> *b* \u202e ${BOT_TOKEN}` },
    { environment: 'prod', user: { name: '<@U0ALICE>', source: 'claimed', agent: '<!here>' } },
  );
  await buttonIn(id, 'deny');
  const { text, blocks } = [...slack.messages.values()].at(-1);
  const sent = JSON.stringify(blocks);
  for (const never of [BOT_TOKEN, 'mrkdwn', '\u202e']) expect(sent + text).not.toContain(never);
  // As text, which Slack shows as it is.
  expect(sent).toContain('asked for by <@U0ALICE> (claimed), through <!here>');
  expect(text).toBe('Approval requested: &lt;!channel&gt; *b* \\u202e ***');
});
