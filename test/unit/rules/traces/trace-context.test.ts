import { expect, test } from 'vitest';
import { readTraceparent } from '../../../../src/rules/traces/trace-context.js';

const [TRACE, SPAN] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

test('reads what W3C Trace Context allows, and nothing else', () => {
  expect(readTraceparent(`00-${TRACE}-${SPAN}-01`)).toBe(`00-${TRACE}-${SPAN}-01`);
  const none = [
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
    'x',
    7,
    null,
  ];
  for (const one of [...none, [`00-${TRACE}-${SPAN}-01`], undefined]) expect(readTraceparent(one)).toBeUndefined();
});
