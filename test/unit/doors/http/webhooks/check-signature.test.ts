import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { signNotice } from '../../../../../src/activities/notices/send-notice.js';
import { checkSignature } from '../../../../../src/doors/http/webhooks/check-signature.js';

const STANDARD = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
const NOW = Date.parse('2026-11-23T12:00:00Z');
const BODY = Buffer.from('{"zen":"Grüße"}');

test('the example of the GitHub documentation is valid', () => {
  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  const headers = {
    'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    'x-github-delivery': 'one',
  };
  const signed = checkSignature("It's a Secret to Everybody", headers, Buffer.from('Hello, World!'), NOW);
  expect(signed).toEqual({ scheme: 'github', delivery: 'one' });
});

const message = (more: Record<string, string> = {}, at = NOW) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(Math.floor(at / 1000)),
  'webhook-signature': new Webhook(STANDARD).sign('msg_1', new Date(at), BODY.toString()),
  ...more,
});

test('a message signed by the Standard Webhooks library, and a notice of our own, are valid', () => {
  expect(checkSignature(STANDARD, message(), BODY, NOW)).toEqual({ scheme: 'standard', delivery: 'msg_1' });
  expect(checkSignature(STANDARD.slice('whsec_'.length), message(), BODY, NOW).delivery).toBe('msg_1');
  const notice = signNotice(STANDARD, 'task:ask:approval.requested', NOW, BODY.toString());
  expect(checkSignature(STANDARD, notice, BODY, NOW).delivery).toBe('task:ask:approval~requested');
});

const svix = (more: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(message(more)).map(([name, value]) => [name.replace('webhook', 'svix'), value]));

test('a message of Svix has its own names, and is valid only under one set of names', () => {
  expect(checkSignature(STANDARD, svix(), BODY, NOW)).toEqual({ scheme: 'standard', delivery: 'msg_1' });
  expect(checkSignature(STANDARD, { ...message(), ...svix() }, BODY, NOW).delivery).toBe('msg_1');
  const mixed = { ...svix(), 'webhook-id': 'msg_1', 'svix-id': undefined };
  expect(() => checkSignature(STANDARD, mixed, BODY, NOW)).toThrow(/does not fit/);
  const wrong = { ...message(), ...svix({ 'webhook-signature': 'v1,AAAA' }) };
  expect(() => checkSignature(STANDARD, wrong, BODY, NOW)).toThrow(/does not fit/);
});

test.each([
  ['stripe-signature', 't=1,v1=00', /the way of stripe to sign \(`stripe-sig..`\) is not supported/],
  ['x-slack-signature', 'v0=00', /way of slack/],
  ['x-gitlab-token', 'secret', /way of gitlab/],
  ['x-hub-signature', 'sha256=00', /way of bitbucket/],
  ['x-hub-signature', 'sha1=00', /SHA-1 alone/],
  ['x-other', '1', /it has no signature/],
])('a sender with %s: %s is refused by its name', (name, value, why) => {
  expect(() => checkSignature(STANDARD, { [name]: value }, BODY, NOW)).toThrow(why);
});

test('one of several signatures is enough, as while a sender rotates its secret', () => {
  const [, good = ''] = message()['webhook-signature'].split(',');
  const other = Buffer.alloc(32, 1).toString('base64');
  const headers = message({ 'webhook-signature': `v1a,${other} v1,${other} v1,${good}` });
  expect(checkSignature(STANDARD, headers, BODY, NOW).delivery).toBe('msg_1');
  const many = message({ 'webhook-signature': `${`v1,${other} `.repeat(10)}v1,${good}` });
  expect(() => checkSignature(STANDARD, many, BODY, NOW)).toThrow(/does not fit/);
});

test.each([
  [299, true],
  [-299, true],
  [301, false],
  [-301, false],
])('a time %d s before ours', (seconds, isGood) => {
  const check = () => checkSignature(STANDARD, message({}, NOW - seconds * 1000), BODY, NOW);
  if (isGood) expect(check().delivery).toBe('msg_1');
  else expect(check).toThrow(/more than 5 minutes/);
});

test('bytes that decode to the same text are not the same body', () => {
  const broken = Buffer.from([0x22, 0xff, 0x22]);
  const alike = Buffer.from([0x22, 0xfe, 0x22]);
  const headers = message({ 'webhook-signature': new Webhook(STANDARD).sign('msg_1', new Date(NOW), broken) });
  expect(() => checkSignature(STANDARD, headers, alike, NOW)).toThrow(/does not fit/);
});

test.each(['', 'whsec_', 'whsec_c2hvcnQ=', 'no base64, but a text of GitHub'])(
  'the secret %j verifies nothing',
  (secret) => {
    const forged = () => checkSignature(secret, message({ 'webhook-signature': 'v1,' }), BODY, NOW);
    expect(forged).toThrow(/does not fit/);
  },
);
