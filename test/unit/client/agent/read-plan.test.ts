import { describe, expect, test } from 'vitest';
import { MAX_CALLS, readPlan } from '../../../../src/client/agent/ask-provider.js';

const call = { id: 'a', ability_id: 'notes.search', input: { query: 'x' } };

describe('readPlan', () => {
  test.each([[{ plan: [] }], [{ plan: [], answer: 'done' }], [{ plan: [call, { ...call, id: 'b', after: ['a'] }] }]])(
    'reads %j as a value, as text, and in a code fence (R-002-52)',
    (answer) => {
      const text = JSON.stringify(answer);
      for (const reply of [answer, text, `\`\`\`json\n${text}\n\`\`\``]) expect(readPlan(reply)).toEqual({ answer });
    },
  );

  test.each([
    ['', 'no JSON'],
    ['Sure! {"plan": []}', 'no JSON'],
    [undefined, 'no JSON'],
    [null, 'expected object'],
    [[], 'expected object'],
    [{}, 'plan'],
    [{ plan: {} }, 'plan'],
    [{ plan: [], note: 1 }, 'note'],
    [{ plan: [{ ...call, why: 'x' }] }, 'why'],
    [{ plan: [{ ...call, id: '../x' }] }, 'plan.0.id'],
    [{ plan: [{ ...call, id: 7 }] }, 'plan.0.id'],
    [{ plan: [{ ...call, input: [] }] }, 'plan.0.input'],
    [{ plan: [{ ...call, input: null }] }, 'plan.0.input'],
    [{ plan: [{ ...call, after: 'a' }] }, 'plan.0.after'],
    [{ plan: [{ id: 'a', ability_id: 'x' }] }, 'plan.0.input'],
    [{ plan: Array.from({ length: MAX_CALLS + 1 }, (_, index) => ({ ...call, id: `c${index}` })) }, 'plan'],
    [{ plan: [], answer: 7 }, 'answer'],
    [{ plan: [], answer: 'x'.repeat(100_001) }, 'answer'],
    ['{"plan": [{"id": "a", "ability_id": "x", "input": {"__proto__": {"admin": true}}}]}', '__proto__'],
    [`{"plan": [], "answer": "${'x'.repeat(1024 * 1024)}"}`, 'no JSON'],
  ])('refuses anything else, and states why: %.60j', (reply, fault) => {
    expect(readPlan(reply)).toEqual({ fault: expect.stringContaining(fault) });
  });
});
