import { expect, test } from 'vitest';
import { groupGaps, type SaidGap } from '../../../src/operations/gaps.js';

const gap = (request: string, ts: number, more: Partial<SaidGap> = {}): SaidGap => {
  return { request, ts, kind: 'nothing_fits', environment: 'dev', nearest: [], ...more };
};

test('requests for the same thing in other words are counted together, the most frequent first (R-000-93, R-000-94)', () => {
  const groups = groupGaps([
    gap('rotate the certificates of web-1', 100),
    gap('send a mail to all users', 200, { nearest: ['old'] }),
    gap('send a mail to all our users please', 300, { environment: 'prod', nearest: ['mail.draft'] }),
    gap('Send mail to all users', 400, { nearest: ['mail.draft'] }),
  ]);
  expect(groups).toEqual([
    {
      request: 'Send mail to all users',
      also: ['send a mail to all users', 'send a mail to all our users please'],
      times: 3,
      first: '1970-01-01T00:03:20.000Z',
      last: '1970-01-01T00:06:40.000Z',
      environments: ['dev', 'prod'],
      kind: 'nothing_fits',
      nearest: ['mail.draft'],
    },
    expect.objectContaining({ request: 'rotate the certificates of web-1', times: 1, also: [] }),
  ]);
});

test('a request that went through two doors at once counts once', () => {
  const both = [gap('send a mail', 100), gap('send a mail', 100.4), gap('send a mail', 200)];
  expect(groupGaps(both)).toMatchObject([{ times: 2 }]);
});

test('a gap for something that exists elsewhere differs from one for something that does not exist', () => {
  expect(groupGaps([gap('restore the backup', 1), gap('restore the backup', 50, { kind: 'not_here' })])).toHaveLength(
    2,
  );
});

test('no gaps give no groups', () => {
  expect(groupGaps([])).toEqual([]);
});
