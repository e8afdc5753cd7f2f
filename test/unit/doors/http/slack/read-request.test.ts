import { expect, test } from 'vitest';
import { TakenRequests } from '../../../../../src/doors/http/slack/read-request.js';
import { signed } from '../../../../fixtures/slack.js';

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const TIME = 1_531_420_618;
/** The example of Slack's documentation. */
const BODY =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
const HEADERS = {
  'x-slack-request-timestamp': String(TIME),
  'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
};

const take = (requests: TakenRequests, now: number, headers: Record<string, string> = HEADERS, body = BODY) =>
  requests.take(SECRET, headers, Buffer.from(body), now * 1000);

test('a request that Slack signed is taken once, within five minutes of its time', () => {
  for (const now of [TIME - 300, TIME, TIME + 300]) {
    const requests = new TakenRequests();
    take(requests, now);
    expect(() => take(requests, now)).toThrow(/received before/);
  }
  for (const now of [TIME - 301, TIME + 301]) {
    expect(() => take(new TakenRequests(), now)).toThrow(/more than five minutes/);
  }
});

test('it stays taken for as long as it is valid, however many come meanwhile', () => {
  const requests = new TakenRequests();
  take(requests, TIME - 300);
  for (let n = 0; n < 300; n += 1) {
    const { headers, body } = signed(`{"n":${n}}`, { secret: SECRET, at: TIME });
    take(requests, TIME - 300 + 2 * n, headers, body);
  }
  expect(() => take(requests, TIME + 299)).toThrow(/received before/);
});

test.each<[string, Record<string, string>, string]>([
  ['another body', HEADERS, `${BODY}&x=1`],
  ['another time', { ...HEADERS, 'x-slack-request-timestamp': String(TIME + 1) }, BODY],
  ['no time', { 'x-slack-signature': HEADERS['x-slack-signature'] }, BODY],
  ['no signature', { 'x-slack-request-timestamp': String(TIME) }, BODY],
  ['a part of the signature', { ...HEADERS, 'x-slack-signature': HEADERS['x-slack-signature'].slice(0, 20) }, BODY],
])('one with %s is refused, and does not count as taken', (_, headers, body) => {
  const requests = new TakenRequests();
  expect(() => take(requests, TIME, headers, body)).toThrow(/not accepted/);
  take(requests, TIME);
});
