import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toolNameOf } from '../../../../src/planning/resolve/resolve-agent.js';
import { textOfResult } from '../../../../src/rules/agents.js';

describe('the name of an ability for a model', () => {
  test('is its id in characters that endpoints accept, short enough, and unique', () => {
    const taken = new Set(['turns', 'model', 'calls']);
    expect(toolNameOf('db.read.user-row', taken)).toBe('db_read_user_row');
    expect(toolNameOf('db_read.user_row', taken)).toMatch(/^db_read_user_row_[0-9a-f]{8}$/);
    expect(toolNameOf('model', taken)).toMatch(/^model_[0-9a-f]{8}$/);
    const id = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,99}$/);
    fc.assert(
      fc.property(fc.uniqueArray(id, { maxLength: 40 }), (ids) => {
        const used = new Set<string>();
        const names = ids.map((one) => toolNameOf(one, used));
        expect(new Set(names).size).toBe(ids.length);
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      }),
    );
  });
});

describe('the result of a call for a model', () => {
  test('is JSON, with only the beginning and end of a long output', () => {
    expect(JSON.parse(textOfResult({ status: 'succeeded', output: { n: 1 } }))).toEqual({
      status: 'succeeded',
      output: { n: 1 },
    });
    const long = textOfResult({ status: 'succeeded', output: `a${'x'.repeat(100_000)}z` });
    expect(long.length).toBeLessThan(17_000);
    expect(JSON.parse(long)).toMatchObject({
      status: 'succeeded',
      beginning: expect.stringMatching(/^"a/),
      end: expect.stringMatching(/z"$/),
    });
  });
});
