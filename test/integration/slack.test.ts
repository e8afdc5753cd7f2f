import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelTask, decide, readApprovals, viewTask } from '../../src/client/index.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { rightsOfPerson } from '../../src/rules/rights.js';
import { ownDoorKey } from '../../src/server/keys/door-key.js';
import { LONG } from '../fixtures/extent.js';
import { type OpenDoor, openDoor } from '../fixtures/http-door.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import {
  buttonsOf,
  CHANNEL,
  click,
  type SlackStub,
  signed,
  slackFiles,
  startSlack,
  submission,
  toDoor,
} from '../fixtures/slack.js';

let slack: SlackStub;
let project: RunningProject;
let door: OpenDoor;

beforeAll(async () => {
  slack = await startSlack();
  const { yaml, env } = slackFiles(slack);
  project = await runProject(
    {
      'ability.yaml': projectFile(
        '{ dev: { approve: [destructive] }, two: { approve: [destructive], edit: [amount], approvers: [leads], quorum: 2 } }',
        `people: { leads: [alice, bob], alice: { slack: U0ALICE }, bob: { slack: U0BOB } }
access: { alice: [approve], leads: [approve] }
policy: { allowed_hosts: ["127.0.0.1:${slack.port}"] }
${yaml}`,
      ),
      '.env': env,
      ...operation('db.drop', 'return input;', { effects: 'destructive' }),
      ...operation('db.trim', 'return input;', {
        effects: 'destructive',
        yaml: 'input_schema: { type: object, properties: { amount: { type: integer } } }',
      }),
      ...workflow(
        'asks',
        `
steps:
  - id: ask
    approval:
      title: Which window?
      comment: on_deny
      approvers: [leads]
      fields:
        ticket: { type: string, title: Ticket }
        count: { type: integer }
        share: { type: number, optional: true }
        night: { type: boolean }
        size: { type: integer, enum: [1, 10] }
        place: { type: string, enum: [a, b], optional: true }
output: "\${{ steps.ask.output }}"`,
      ),
      ...workflow('two', 'steps: [{ id: ask, approval: { title: Both?, approvers: [leads], quorum: 2 } }]'),
      ...workflow('soon', 'steps: [{ id: ask, approval: { title: Soon?, timeout: 2s } }]'),
      ...workflow('calls', 'steps: [{ id: inner, call: two, with: {} }]'),
    },
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
  await project.stop();
  await slack.close();
});

const found = (key: string) =>
  [...slack.messages].findLast(([, { blocks }]) => JSON.stringify(blocks).match(new RegExp(`${key}[,/]`)));
/** A task that waits, and the message that asks. */
async function asking(ability: string, input = {}, more = {}) {
  const { id: key } = await project.create(ability, input, more);
  await expect.poll(() => found(key), { timeout: 20_000 }).toBeDefined();
  const [ts, message] = found(key) as NonNullable<ReturnType<typeof found>>;
  const value = buttonsOf(message)?.[0]?.value as string;
  return { key, ts, message, value };
}
const send = (payload: object) => toDoor(door.url, signed(payload));
const shown = (ts: string) => JSON.stringify(slack.messages.get(ts).blocks);
const opened = () => slack.calls('views.open').at(-1)?.body;
const resultOf = async (key: string) => (await viewTask(project.connection, key)).result;

describe('a dialog', () => {
  test('asks for the fields of an approval, and its entries decide as their types say', async () => {
    const { key, value } = await asking('asks');
    await send(click('approve', value, 'U0ALICE'));
    const { trigger_id, view } = opened();
    expect(trigger_id).toBe('trigger-1');
    expect(
      view.blocks.slice(1).map((one: { block_id: string; optional: boolean; element: { type: string } }) => {
        return [one.block_id, one.element.type, one.optional];
      }),
    ).toEqual([
      ['field:ticket', 'plain_text_input', false],
      ['field:count', 'number_input', false],
      ['field:share', 'number_input', true],
      ['field:night', 'static_select', false],
      ['field:size', 'static_select', false],
      ['field:place', 'static_select', true],
      ['comment', 'plain_text_input', true],
    ]);
    const filled = {
      'field:ticket': 'A-1',
      'field:count': '3',
      'field:share': '0.5',
      'field:night': { chosen: 'false' },
      'field:size': { chosen: '1' },
      comment: 'go',
    };
    const wrong = await send(submission(view.private_metadata, { ...filled, 'field:count': '1e999' }, 'U0ALICE'));
    expect(wrong.body).toEqual({
      response_action: 'errors',
      errors: { comment: expect.stringMatching(/^approval\.ignored: .*the field count must be of the type integer/) },
    });
    expect(await send(submission(view.private_metadata, filled, 'U0ALICE'))).toEqual({ status: 200, body: null });
    const end = await project.wait(key);
    expect(end).toMatchObject({ result: { status: 'succeeded' } });
    expect((await resultOf(key)).approvals[0]?.decisions).toMatchObject([
      {
        by: { name: 'alice', source: 'slack' },
        comment: 'go',
        fields: { ticket: 'A-1', count: 3, share: 0.5, night: false, size: 10 },
      },
    ]);
  });

  test('asks for the comment that a denial or a request for changes needs, and for no field', async () => {
    const { key, value, ts } = await asking('asks');
    await send(click('deny', value, 'U0ALICE'));
    expect(opened().view.blocks.slice(1)).toMatchObject([{ block_id: 'comment', optional: false }]);
    await send(click('request_changes', value, 'U0ALICE'));
    const { view } = opened();
    await send(submission(view.private_metadata, { comment: 'the small <table>', 'field:ticket': 'x' }, 'U0ALICE'));
    expect(await project.wait(key)).toMatchObject({ result: { error: { code: 'approval.changes_requested' } } });
    await expect.poll(() => shown(ts), { timeout: 20_000 }).toContain('request changes: alice (slack)');
    expect(shown(ts)).toContain('the small <table>');
    const late = await send(submission(view.private_metadata, { comment: 'again' }, 'U0BOB'));
    expect(late.body.errors.comment).toMatch(/^approval\.not_found/);
  });
});

describe('the message', () => {
  test('says how it differs from the last approval, and who decided, also elsewhere', async () => {
    const first = await asking('db.drop', { table: 'users' });
    await decide(project.connection, first.key, 'approve', { by: 'carol' });
    await expect.poll(() => shown(first.ts), { timeout: 40_000 }).toContain('approve: carol (claimed)');
    expect(buttonsOf(slack.messages.get(first.ts))).toBeUndefined();
    const { message } = await asking('db.drop', { table: 'orders' });
    expect(JSON.stringify(message.blocks)).toContain(String.raw`- what.input.table: \"users\" -> \"orders\"`);
  });

  test('asks again about an input that a decision changed, and the earlier message as well', async () => {
    const { key, ts, value } = await asking('db.trim', { amount: 500 }, { environment: 'two' });
    await decide(project.connection, key, 'approve', { by: 'alice', fields: { amount: 50 } });
    await expect.poll(() => found(key)?.[0], { timeout: 20_000 }).not.toBe(ts);
    const [, again] = found(key) as NonNullable<ReturnType<typeof found>>;
    for (const blocks of [JSON.stringify(again.blocks), shown(ts)]) {
      expect(blocks).toContain('changed by alice (claimed): amount 500 -> 50');
      expect(blocks).toContain('may be changed: amount');
    }
    await send(click('approve', value, 'U0BOB'));
    await expect.poll(() => slack.calls('chat.postEphemeral').at(-1)?.body.text).toMatch(/^approval\.not_found/);
    // The dialog lets them correct it as well; bob leaves it.
    await send(click('approve', buttonsOf(slack.messages.get(ts))?.[0]?.value ?? '', 'U0BOB'));
    const { view } = opened();
    expect(view.blocks.slice(1)).toMatchObject([{ block_id: 'field:amount', optional: true }, { block_id: 'comment' }]);
    await send(submission(view.private_metadata, {}, 'U0BOB'));
    expect(await project.wait(key)).toMatchObject({ result: { status: 'succeeded', output: { amount: 50 } } });
    await expect.poll(() => shown(ts), { timeout: 20_000 }).toContain('approve: bob (slack)');
    await expect
      .poll(() => JSON.stringify(found(key)?.[1].blocks), { timeout: 20_000 })
      .toContain('approve: bob (slack)');
  });

  test('is of an input that is corrected in its dialog', async () => {
    const { key, value } = await asking('db.trim', { amount: 500 }, { environment: 'two' });
    await send(click('approve', value, 'U0ALICE'));
    const { view } = opened();
    await send(submission(view.private_metadata, { 'field:amount': '60' }, 'U0ALICE'));
    await expect.poll(async () => (await resultOf(key)).approvals[0]?.what.input).toMatchObject({ amount: 60 });
    expect((await resultOf(key)).approvals[0]?.edited).toMatchObject([{ by: { name: 'alice', source: 'slack' } }]);
    await decide(project.connection, key, 'deny', { by: 'bob' });
  });

  test('asks for as many as the quorum says, and for what a called task needs', async () => {
    const { key, value, ts } = await asking('calls');
    expect(JSON.parse(value)).toMatchObject({ task: `${key}/inner` });
    await send(click('approve', value, 'U0ALICE'));
    await expect.poll(() => slack.calls('chat.postEphemeral').at(-1)?.body.text).toMatch(/counts; 1 more is needed/);
    await send(click('approve', value, 'U0BOB'));
    expect(await project.wait(key)).toMatchObject({ result: { status: 'succeeded' } });
    await expect.poll(() => shown(ts), { timeout: 20_000 }).toContain('approve: bob (slack)');
  });

  test('has no buttons any more when no one decided in time, or the task was cancelled', async () => {
    const { ts } = await asking('soon');
    await expect.poll(() => shown(ts), { timeout: 20_000 }).toContain('No one decided in time: Soon?');
    const cancelled = await asking('two');
    await cancelTask(project.connection, cancelled.key);
    await expect.poll(() => shown(cancelled.ts), { timeout: 20_000 }).toContain('No longer needed: Both?');
    expect(buttonsOf(slack.messages.get(cancelled.ts))).toBeUndefined();
  });

  test('has no button that approves what it cannot show whole', async () => {
    const { message } = await asking('db.drop', { table: 'x'.repeat(4000) });
    expect(buttonsOf(message)?.map(({ action_id }) => action_id)).toEqual(['deny', 'request_changes']);
    expect(JSON.stringify(message.blocks)).toContain('The input is too large for a message');
  });

  test('is sent again as Slack asks, and what it refuses is in the history', async () => {
    const before = slack.calls('chat.postMessage').length;
    slack.next('chat.postMessage', {
      status: 429,
      headers: { 'retry-after': '1' },
      body: { ok: false, error: 'ratelimited' },
    });
    const { key, ts } = await asking('db.drop', { table: 'busy' });
    expect(slack.calls('chat.postMessage').length).toBe(before + 2);
    const { body } = slack.calls('chat.postMessage').at(-1) ?? {};
    expect(body.channel).toBe(CHANNEL);
    slack.next('chat.update', { body: { ok: false, error: 'cant_update_message' } });
    const [approval] = await readApprovals(project.connection, key);
    await decide(project.connection, key, 'deny', { by: 'carol' });
    const { workflow } = project.connection.temporal;
    const handle = workflow.getHandle(`notify:${key}:${approval?.id}:approval.decided`);
    const failures = async () => {
      const { events = [] } = await handle.fetchHistory();
      const { raw } = await handle.describe();
      return JSON.stringify([events, raw.pendingActivities?.map(({ lastFailure }) => lastFailure)]);
    };
    await expect.poll(failures).toContain('Slack answered 200 to chat.update: cant_update_message');
    expect(await failures()).not.toContain('xoxb');
    expect(shown(ts)).toContain('Approval requested');
  });
});

test(
  'Slack has its answer before it stops waiting, also while no worker is up, and the person reads the rest',
  LONG,
  async () => {
    const { key, value } = await asking('asks');
    await send(click('deny', value, 'U0ALICE'));
    const { view } = opened();
    await project.stopWorkers();
    const before = performance.now();
    const answer = await send(submission(view.private_metadata, { comment: 'no' }, 'U0ALICE'));
    expect(performance.now() - before).toBeLessThan(3000);
    expect(answer).toEqual({ status: 200, body: null });
    await expect
      .poll(() => slack.calls('chat.postEphemeral').at(-1)?.body, { timeout: 40_000 })
      .toMatchObject({ channel: CHANNEL, user: 'U0ALICE', text: expect.stringMatching(/^worker\.unavailable/) });
    await project.restartWorkers();
    await cancelTask(project.connection, key);
  },
);
