import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitContext, lengthOf } from '../../../../src/activities/model/fit-context.js';
import type { Message } from '../../../../src/activities/model/transcript.js';

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

describe('as much of a transcript as a request may hold', () => {
  test('keeps the request and the last messages as they are, and no result without its call', () => {
    fc.assert(
      fc.property(turns, fc.integer({ min: 10, max: 4_000 }), (messages, tokens) => {
        const { messages: fitted, left_out } = fitContext(messages, tokens);
        expect(fitted[0]).toEqual(messages[0]);
        expect(fitted.at(-1)).toEqual(messages.at(-1));
        expect(fitted.length + left_out).toBe(messages.length);
        const asked = new Set(
          fitted.flatMap((one) => (one.role === 'assistant' ? (one.calls ?? []).map(({ id }) => id) : [])),
        );
        for (const one of fitted) if (one.role === 'tool') expect(asked.has(one.id)).toBe(true);
        const length = (all: readonly Message[]) => all.reduce((sum, one) => sum + lengthOf(one), 0);
        if (length(messages) <= tokens * 4) expect(fitted).toEqual(messages);
        else if (fitted.length > 12) expect(length(fitted)).toBeLessThanOrEqual(tokens * 4);
      }),
      { numRuns: 500 },
    );
  });

  test('shortens old results before it leaves turns out', () => {
    const result = (id: string, length: number): Message => ({ role: 'tool', id, content: 'x'.repeat(length) });
    const ask = (id: string): Message => ({
      role: 'assistant',
      content: '',
      calls: [{ id, name: 't', arguments: '{}' }],
    });
    const messages: Message[] = [{ role: 'user', content: 'q' }];
    for (let turn = 0; turn < 8; turn += 1) messages.push(ask(`${turn}`), result(`${turn}`, 2_000));
    const { messages: fitted, left_out } = fitContext(messages, 3_000);
    expect(left_out).toBe(0);
    expect(fitted[2]?.content).toMatch(/^x{400} \[\.\.\. 1600 characters left out\]$/);
    expect(fitted.at(-1)?.content).toHaveLength(2_000);
  });
});
