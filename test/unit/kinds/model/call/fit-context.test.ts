import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitContext, lengthOf, tokensOf } from '../../../../../src/kinds/model/call/call-model.js';
import type { Message } from '../../../../../src/kinds/model/call/transcript.js';

/** A conversation as agents have it: a request, and turns of a question with the results of its calls. */
const turns = fc.array(fc.array(fc.nat(3_000), { maxLength: 4 }), { maxLength: 30 }).map((all): Message[] => [
  { role: 'user', content: 'the request' },
  ...all.flatMap((results, turn): Message[] => [
    {
      role: 'assistant',
      content: 'words',
      ...(results.length > 0 && {
        calls: results.map((_, at) => ({ id: `${turn}_${at}`, name: 'tool', arguments: '{}' })),
      }),
    },
    ...results.map((length, at): Message => ({ role: 'tool', id: `${turn}_${at}`, content: 'x'.repeat(length) })),
  ]),
]);

describe('fitting a transcript into a request', () => {
  test('keeps the request and the last messages unchanged, and no result without its call', () => {
    fc.assert(
      fc.property(turns, fc.integer({ min: 10, max: 4_000 }), (messages, tokens) => {
        const { messages: fitted, left_out } = fitContext(messages, tokens);
        expect(fitted[0]).toEqual(messages[0]);
        expect(fitted.at(-1)).toEqual(messages.at(-1));
        expect(fitted.length + left_out).toBe(messages.length);
        const callIds = new Set(
          fitted.flatMap((one) => (one.role === 'assistant' ? (one.calls ?? []).map(({ id }) => id) : [])),
        );
        for (const one of fitted) if (one.role === 'tool') expect(callIds.has(one.id)).toBe(true);
        const length = (all: readonly Message[]) => all.reduce((sum, one) => sum + lengthOf(one), 0);
        if (length(messages) <= tokens * 4) expect(fitted).toEqual(messages);
        else if (fitted.length > 12) expect(length(fitted)).toBeLessThanOrEqual(tokens * 4);
      }),
      { numRuns: 500 },
    );
  });

  const words = (length: number): Message => ({ role: 'assistant', content: 'w'.repeat(length) });
  const result = (id: string, length: number): Message => ({ role: 'tool', id, content: 'x'.repeat(length) });
  const ask = (id: string): Message => ({
    role: 'assistant',
    content: '',
    calls: [{ id, name: 't', arguments: '{}' }],
  });
  const request: Message = { role: 'user', content: 'q'.repeat(84) };
  const lengthsOf = (messages: readonly Message[]) => messages.map(({ content }) => content.length);
  const lastSix = [1, 2, 3, 4, 5, 6].map(() => words(84));

  test('shortens old results before it leaves out turns', () => {
    const messages: Message[] = [request];
    for (let turn = 0; turn < 8; turn += 1) messages.push(ask(`${turn}`), result(`${turn}`, 2_000));
    const { messages: fitted, left_out } = fitContext(messages, 3_000);
    expect(left_out).toBe(0);
    expect(fitted[2]?.content).toMatch(/^x{400} \[\.\.\. 1600 characters left out\]$/);
    expect(fitted.at(-1)?.content).toHaveLength(2_000);
  });

  test('shortens no more results than necessary', () => {
    const messages = [request, ask('a'), result('a', 2_000), ask('b'), result('b', 2_000), ...lastSix];
    // All but 100 characters of the first result fit.
    const limit = messages.reduce((sum, one) => sum + lengthOf(one), 0) - 100;
    const { messages: fitted, left_out } = fitContext(messages, limit / 4);
    expect([left_out, fitted[4]]).toEqual([0, messages[4]]);
    expect(fitted[2]?.content.length).toBeLessThan(500);
  });

  test('shortens only results, and none that is short', () => {
    const messages = [request, words(500), ask('a'), result('a', 400), result('b', 401), ...lastSix];
    const { messages: fitted } = fitContext(messages, 0);
    expect(fitted).toEqual([request, ...lastSix]);
    const limit = messages.reduce((sum, one) => sum + lengthOf(one), 0) - 1;
    // The only result that is long enough grows by the text that marks the omission, so turns are left out too.
    expect(fitContext(messages, limit / 4)).toEqual({
      messages: [
        request,
        ...messages
          .slice(2, 5)
          .map((one, at) => (at === 2 ? { ...one, content: `${'x'.repeat(400)} [... 1 characters left out]` } : one)),
        ...lastSix,
      ],
      left_out: 1,
    });
  });

  test('leaves out whole turns, the oldest first, and no more than necessary', () => {
    const messages = [request, words(184), ask('a'), result('a', 100), words(284), ...lastSix];
    const all = messages.reduce((sum, one) => sum + lengthOf(one), 0);
    const fitted = (limit: number) => lengthsOf(fitContext(messages, limit / 4).messages).slice(1, -6);
    expect(fitted(all)).toEqual([184, 0, 100, 284]);
    expect(fitted(all - 1)).toEqual([0, 100, 284]);
    expect(fitted(all - 200)).toEqual([0, 100, 284]);
    // The call with its name, arguments and result is one turn.
    expect(fitted(all - 201)).toEqual([284]);
    expect(fitted(all - 200 - 19 - 116)).toEqual([284]);
    expect(fitted(all - 200 - 19 - 117)).toEqual([]);
  });

  test('keeps the last six messages, however long they are', () => {
    expect(fitContext([request, words(100), ...lastSix], 0)).toEqual({ messages: [request, ...lastSix], left_out: 1 });
    expect(fitContext([request, ...lastSix], 0)).toEqual({ messages: [request, ...lastSix], left_out: 0 });
  });

  test('keeps a last turn of many results whole', () => {
    const results = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => result(`${id}`, 300));
    const messages = [request, ask('a'), ...results];
    expect(fitContext(messages, 0)).toEqual({ messages, left_out: 0 });
  });

  test('leaves out a turn of many results if a message follows it', () => {
    const results = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => result(`${id}`, 300));
    const messages = [request, ask('a'), ...results, words(10)];
    expect(fitContext(messages, 0)).toEqual({ messages: [request, words(10)], left_out: 9 });
  });

  test('leaves out the turn before a last turn of many results', () => {
    const results = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => result(`${id}`, 300));
    const messages = [request, words(10), ask('a'), ...results];
    expect(fitContext(messages, 0)).toEqual({ messages: [request, ask('a'), ...results], left_out: 1 });
  });
});

test.each<[Message, number]>([
  [{ role: 'user', content: 'abc' }, 3 + 16],
  [{ role: 'tool', id: 'long-id', content: 'abc' }, 3 + 16],
  [{ role: 'assistant', content: 'abc' }, 3 + 16],
  [{ role: 'assistant', content: 'abc', calls: [{ id: 'x', name: 'ab', arguments: '{}' }] }, 3 + 16 + 2 + 2],
])('a message counts with its text, its calls and an overhead: %j', (message, length) => {
  expect(lengthOf(message)).toBe(length);
});

test('four characters are a token, and a part of a token counts as a whole one', () => {
  expect([0, 1, 4, 5].map(tokensOf)).toEqual([0, 1, 1, 2]);
});
