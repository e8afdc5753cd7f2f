import { expect, test } from 'vitest';
import { unknownCodeWarning } from '../../../../src/planning/steps/named-codes.js';
import { lowLevel, resolved, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

const warning = (entry: string, ...raised: string[]) => unknownCodeWarning(entry, new Set(raised));

test.each([
  'timeout',
  'unavailable',
  'script.exit',
  'script',
  'http.5xx',
  'http.418',
  'http',
  'approval.expired',
  'too_many_rows',
  'billing.card_declined',
  'card_timeout',
])('%s is a code that can occur', (entry) => {
  expect(warning(entry)).toBeUndefined();
});

test.each([
  ['timeuot', /Did you mean timeout/],
  ['unavailble', /Did you mean unavailable/],
  ['script.exti', /Did you mean .*script\.exit/],
  ['http.5x', /Did you mean http, http\.5xx/],
  ['http_409', /Did you mean http\.409\?/],
  ['HTTP-5XX', /Did you mean http\.5xx\?/],
  ['409', /Did you mean http\.409\?/],
  ['http.6xx', /nothing fails with that code/],
  ['guard.no_such_thing_at_all', /nothing fails with that code/],
])('%s causes a warning', (entry, message) => {
  expect(warning(entry)).toMatch(message);
});

test('a code of a `fail` step is known, and a near miss causes a warning', () => {
  expect(warning('timeouts', 'timeouts')).toBeUndefined();
  expect(warning('billing.declined', 'billing.card_declined', 'billing.declined')).toBeUndefined();
  expect(warning('billing.card_declind', 'billing.card_declined')).toMatch(/Did you mean billing\.card_declined/);
});

test('each unknown code causes a warning with its location, wherever the list is', () => {
  const { warnings, planWarnings } = resolved(
    {
      ...SCRIPT_FILE,
      ...lowLevel('op', SCRIPT),
      'registry/high-level/w.yaml': [
        'id: w',
        'type: workflow',
        'version: 1',
        'summary: A test.',
        'steps:',
        '  - { id: a, call: op, retry: { errors: [timeout, timeuot] } }',
        '  - { id: b, call: op, on_error: [{ errors: [mine.own_dode], output: 1 }] }',
        '  - { id: c, if: "false", fail: { code: mine.own_code, message: No } }',
        'on_error: [{ errors: [mine.own_code, http.5xy], output: 1 }]',
      ].join('\n'),
    },
    'w',
  );
  expect(warnings).toEqual([
    expect.stringMatching(/^`errors` names `timeuot`.*Did you mean timeout/),
    expect.stringMatching(/^`errors` names `mine\.own_dode`.*Did you mean mine\.own_code/),
    expect.stringMatching(/^`errors` names `http\.5xy`/),
  ]);
  expect(planWarnings.map(({ location }) => [location.line, location.column])).toEqual([
    [6, 51],
    [7, 46],
    [9, 38],
  ]);
});
