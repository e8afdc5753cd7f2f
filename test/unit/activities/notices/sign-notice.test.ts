import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { signNotice } from '../../../../src/activities/notices/send-notice.js';

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 0xfb).toString('base64')}`;
const BODY = '{"type":"task.failed","note":"Grüße"}';

test.each([24, 32, 33, 64])(
  'a notice signed with a secret of %i bytes is verified by the published library',
  (bytes) => {
    const headers = signNotice(secretOf(bytes), 'k1:task.failed', Date.now(), BODY);
    expect(Object.keys(headers)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
    expect(new Webhook(secretOf(bytes)).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    const other = new Webhook(secretOf(bytes === 24 ? 32 : 24));
    expect(() => other.verify(BODY, headers)).toThrow(/No matching signature/);
    for (const [name, value] of Object.entries({ 'webhook-id': 'k2', 'webhook-signature': 'v1,AAAA' })) {
      expect(() => new Webhook(secretOf(bytes)).verify(BODY, { ...headers, [name]: value })).toThrow(/No matching/);
    }
  },
);

test('an old notice is rejected, and the prefix of a secret may be missing', () => {
  const secret = secretOf(32);
  const old = signNotice(secret, 'k1', Date.now() - 10 * 60_000, BODY);
  expect(() => new Webhook(secret).verify(BODY, old)).toThrow(/too old/);
  const bare = signNotice(secret.replace('whsec_', ''), 'k1', Date.now(), BODY);
  expect(new Webhook(secret).verify(BODY, bare)).toEqual(JSON.parse(BODY));
});

test('full stops of a key are replaced in the signed id, so that it can be read in one way only', () => {
  const id = signNotice(secretOf(32), 'release-1.1700000000.x:task.failed', Date.now(), BODY)['webhook-id'];
  expect(id).toBe('release-1~1700000000~x:task~failed');
});

test.each([
  ['too short', secretOf(23)],
  ['too long', secretOf(65)],
  ['no base64', 'whsec_not base64!'],
  ['empty', 'whsec_'],
])('a secret that is %s is refused without being repeated', (_, secret) => {
  const sign = () => signNotice(secret, 'k1', Date.now(), BODY);
  expect(sign).toThrow(/no key of Standard Webhooks/);
  try {
    sign();
  } catch (error) {
    const text = secret.replace('whsec_', '');
    expect(text !== '' && JSON.stringify(error).includes(text)).toBe(false);
  }
});
