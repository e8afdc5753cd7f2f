import { expect, test } from 'vitest';
import { linesOf } from '../../../../src/client/view/read-call-logs.js';

const line = (text: string) => JSON.stringify({ time: 't', step: 'a', attempt: 1, stream: 'stdout', text });

test('a truncated line does not affect later lines', () => {
  const cut = `${line('two').slice(0, 20)}${line('three')}`;
  expect(linesOf(`${line('one')}\n${cut}\n${line('four')}\n${line('five').slice(0, 9)}`)).toEqual([
    { time: 't', step: 'a', attempt: 1, stream: 'stdout', text: 'one' },
    { time: 't', step: 'a', attempt: 1, stream: 'runtime', text: `(incomplete) ${cut}` },
    { time: 't', step: 'a', attempt: 1, stream: 'stdout', text: 'four' },
  ]);
});
