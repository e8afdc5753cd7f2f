import { expect, test } from 'vitest';
import { decide } from '../../../../src/choosing/decide/decide.js';
import { inputOf } from '../../../fixtures/decide-about.js';
import { readConversations } from '../../../fixtures/read-conversations.js';

const [template] = readConversations();
if (!template) throw new Error('there are no conversations');
const LONGEST = 262_144;
const slot = { kind: 'slot_request', expects: { input: 'x', schema: { type: 'string' } } } as const;
const pending = { ...slot, thread_key: template.thread_key, since: '2026-03-10T09:00:00Z' };
const at = '2026-03-10T09:00:00Z';

/** Repeating one of these makes patterns try every way to read a text. */
test.each([
  ' ',
  'a',
  '"',
  '" ',
  '[{"',
  '> ',
  '```\n',
  'do it ',
  'do that ',
  'please ',
  "don't ",
  'write 10 ',
  'and then ',
  'if ',
  '退',
])('a message of the maximum length that repeats %j is decided at once', async (part) => {
  const text = part.repeat(LONGEST / part.length);
  const messages = ['m1', 'm2'].map((id) => ({ id, role: 'user' as const, text: `${text}${id}`, at }));
  const began = process.cpuUsage();
  for (const waits of [null, pending]) await decide(inputOf({ ...template, messages, pending: waits }));
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1_000_000).toBeLessThan(10);
});
