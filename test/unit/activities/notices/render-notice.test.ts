import { describe, expect, test } from 'vitest';
import { type NoticeLinks, renderNotice } from '../../../../src/activities/notices/send-notice.js';
import type { Notice, NoticeFormat } from '../../../../src/contracts/notices.js';

const approval = {
  id: 'ap-1',
  path: 'a',
  title: 'Deploy <b> & more',
  status: 'open',
  reasons: ['asked for'],
  approvers: ['ops'],
  people: ['bob'],
  groups: [],
  quorum: 1,
  requested_by: { name: 'ada', source: 'claimed' },
  expires_at: null,
  decisions: [
    { decision: 'approve', by: { name: 'bob', source: 'claimed' }, at: 'now' },
    { decision: 'deny', by: 'unnamed', comment: 'no', at: 'now' },
  ],
  what: { ability: 'x', implementation: null, environment: 'dev', effects: null, input: { n: 1 } },
};
const ABOUT = {
  id: 'n-1',
  at: '2030-01-01T00:00:00Z',
  project: 'acme',
  task_key: 't-1',
  ability: 'deploy',
  environment: 'dev',
};
const REQUESTED = { ...ABOUT, event: 'approval.requested', approval } as unknown as Notice;
const FAILED = {
  ...ABOUT,
  event: 'task.failed',
  status: 'timed_out',
  error: { code: 'timeout.task', message: 'late' },
} as Notice;

const NOWHERE: NoticeLinks = { temporal: null, page: null, isOwnRuntime: false };

function bodyOf(notice: Notice, format: NoticeFormat, links: Partial<NoticeLinks> = {}) {
  const { type, body } = renderNotice(notice, format, { ...NOWHERE, ...links });
  return { type, body: JSON.parse(body) };
}

describe('a notice', () => {
  test('is JSON with its type, its time and its id', () => {
    expect(bodyOf(FAILED, 'json')).toMatchObject({
      type: 'application/json',
      body: {
        type: 'task.failed',
        timestamp: ABOUT.at,
        id: 'n-1',
        data: { status: 'timed_out', error: { code: 'timeout.task', message: 'late', step: null } },
      },
    });
  });

  test('is a CloudEvents event', () => {
    expect(bodyOf(FAILED, 'cloudevents')).toMatchObject({
      type: 'application/cloudevents+json',
      body: {
        specversion: '1.0',
        id: 'n-1',
        source: '/ability/acme',
        type: 'ability.task.failed',
        subject: 't-1',
        time: ABOUT.at,
        data: { task_key: 't-1' },
      },
    });
  });

  test('states the next command: to decide if that is requested, or else to find out more', () => {
    expect(bodyOf(REQUESTED, 'json').body.data.links.commands).toEqual([
      'ability approve t-1 --approval ap-1',
      'ability deny t-1 --approval ap-1',
    ]);
    expect(bodyOf(FAILED, 'json').body.data.links.commands).toEqual(['ability why t-1']);
    expect(bodyOf({ ...REQUESTED, event: 'approval.decided' }, 'json').body.data.links.commands).toEqual([
      'ability why t-1',
    ]);
  });

  test('leads to the page: to its address, or with the command that opens that of the own runtime', () => {
    const linksOf = (notice: Notice, links: Partial<NoticeLinks>) => bodyOf(notice, 'json', links).body.data.links;
    const page = 'https://page.test/tasks/t-1';
    for (const notice of [REQUESTED, FAILED]) {
      expect(linksOf(notice, { isOwnRuntime: true })).toMatchObject({ page: null });
      expect(linksOf(notice, { isOwnRuntime: true }).commands.at(-1)).toBe('ability open t-1');
      expect(linksOf(notice, { isOwnRuntime: true, page })).toMatchObject({ page });
      expect(linksOf(notice, { isOwnRuntime: true, page }).commands).not.toContain('ability open t-1');
      expect(linksOf(notice, {}).commands).not.toContain('ability open t-1');
    }
  });

  test('states the subject of an approval and who decided', () => {
    const { data } = bodyOf(REQUESTED, 'json').body;
    expect(data.approval).toMatchObject({ id: 'ap-1', what: { input: { n: 1 } } });
    expect(data.approval.what).not.toHaveProperty('input_left_out');
    expect(data.approval.decisions).toEqual([
      { decision: 'approve', by: { name: 'bob', source: 'claimed' }, comment: null, at: 'now' },
      { decision: 'deny', by: 'unnamed', comment: 'no', at: 'now' },
    ]);
    expect(data).not.toHaveProperty('error');
    expect(data).not.toHaveProperty('status');
    expect(bodyOf(FAILED, 'json').body.data).not.toHaveProperty('approval');
  });

  test('omits a large input', () => {
    const large = (length: number) =>
      ({
        ...REQUESTED,
        approval: { ...approval, what: { ...approval.what, input: 'x'.repeat(length) } },
      }) as unknown as Notice;
    expect(bodyOf(large(15_998), 'json').body.data.approval.what).not.toHaveProperty('input_left_out');
    expect(bodyOf(large(15_999), 'json').body.data.approval.what).toMatchObject({ input: null, input_left_out: true });
  });
});

describe('a notice for Slack', () => {
  const text = (notice: Notice, links: Partial<NoticeLinks> = {}): string[] =>
    bodyOf(notice, 'slack', links).body.text.split('\n');

  test('states what is requested, with the input and a link', () => {
    expect(text(REQUESTED, { temporal: 'http://ui.test/t-1' })).toEqual([
      'Approval requested: Deploy &lt;b&gt; &amp; more',
      'deploy in dev, t-1',
      'input: {"n":1}',
      'ability approve t-1 --approval ap-1',
      'ability deny t-1 --approval ap-1',
      '<http://ui.test/t-1|In the Temporal UI>',
    ]);
    const both = { temporal: 'http://ui.test/t-1', page: 'https://page.test/tasks/t-1' };
    expect(text(REQUESTED, both).at(-1)).toBe('<https://page.test/tasks/t-1|On the page>');
  });

  test('states how a task failed', () => {
    expect(text(FAILED)).toEqual(['deploy timed out: late', 'deploy in dev, t-1', 'ability why t-1']);
    const { error: _, ...silent } = FAILED;
    expect(text(silent)[0]).toBe('deploy timed out: no reason is known');
  });

  test('states that nobody has decided, with the commands', () => {
    const late = (event: string) => ({ ...ABOUT, event, approval }) as unknown as Notice;
    expect(text(late('approval.reminded')).join('\n')).toMatch(
      /^Still waits for a decision: Deploy .*\nability approve t-1/s,
    );
    expect(text(late('approval.escalated')).join('\n')).toMatch(
      /^No one has decided, so ops may: Deploy .*input: \{"n":1\}/s,
    );
  });

  test('states how an approval was decided, without the input', () => {
    const decided = {
      ...REQUESTED,
      event: 'approval.decided',
      approval: { ...approval, status: 'changes_requested' },
    } as unknown as Notice;
    expect(text(decided).slice(0, 3)).toEqual([
      'changes requested: Deploy &lt;b&gt; &amp; more',
      'deploy in dev, t-1',
      'ability why t-1',
    ]);
  });
});
