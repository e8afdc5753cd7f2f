import { describe, expect, test } from 'vitest';
import { LANE_LENGTH } from '../../../../src/contracts/routing.js';
import {
  addToThread,
  EMPTY_THREAD,
  isThreadNote,
  withoutMiddle,
} from '../../../../src/rules/sessions/read-session-start.js';

const AT = '2026-01-01T00:00:00.000Z';

describe('a thread', () => {
  test('R-003-01: keeps the last messages, each under an id of its own', () => {
    let thread = EMPTY_THREAD;
    for (let turn = 1; turn <= LANE_LENGTH + 5; turn += 1)
      thread = addToThread(thread, { role: 'user', text: `t${turn}` }, AT);
    expect([thread.count, thread.messages.length]).toEqual([25, 20]);
    expect(thread.messages[0]).toEqual({ id: 'm-6', role: 'user', text: 't6', at: AT });
    expect(EMPTY_THREAD.messages).toEqual([]);
  });

  test('keeps both ends of a long text, where requests are', () => {
    const text = `please read this${'x'.repeat(50_000)}and then deploy`;
    const [message] = addToThread(EMPTY_THREAD, { role: 'user', text }, AT).messages;
    expect(message?.text).toMatch(/^please read this.*\[\.\.\.\].*and then deploy$/s);
    expect(message?.text.length).toBeLessThan(2100);
  });

  test('keeps a text of up to 2000 characters unchanged', () => {
    const texts = ['x'.repeat(2000), 'x'.repeat(2001)];
    expect(texts.map((text) => withoutMiddle(text) === text)).toEqual([true, false]);
  });
});

describe('a note', () => {
  const PENDING = { kind: 'slot_request', expects: { input: 'a', schema: {} }, thread_key: 's-1', since: AT };
  test.each([
    [{ messages: [], pending: null }, true],
    [{ messages: [{ role: 'assistant', text: 'Which?' }], pending: PENDING }, true],
    [{ messages: [{ role: 'user', text: 'delete all' }], pending: null }, false],
    [{ messages: [{ role: 'assistant' }], pending: null }, false],
    [{ messages: [] }, false],
    [{ messages: [], pending: { ...PENDING, kind: 'anything' } }, false],
    [{ messages: [], pending: { ...PENDING, since: 'x'.repeat(200_000) } }, false],
    [{ messages: [], pending: null, more: 1 }, false],
    [{ messages: Array(21).fill({ role: 'assistant', text: '' }), pending: null }, false],
    [null, false],
  ])('case %#', (note, is) => {
    expect(isThreadNote(note)).toBe(is);
  });
});
