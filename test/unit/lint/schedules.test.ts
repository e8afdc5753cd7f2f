import { expect, test } from 'vitest';
import { formatLocation } from '../../../src/contracts/problem.js';
import { findingsOf, markedPlaces, workflow } from './lint-case.js';

const INPUT = 'input_schema: { type: object, required: [n], properties: { n: { type: integer } } }';
const STEPS = 'steps: [{ id: one, call: op.read, with: { id: x } }]';
const states = (entry: string, ...more: string[]) => workflow(...more, `schedules: [${entry}]`, STEPS);

test('sound schedules have no findings', () => {
  const files = states(
    '{ id: a, cron: "0 3 * * *", environment: dev, input: { n: 1 } }, { id: b, cron: "@daily", timezone: Europe/Berlin, environment: prod, input: { n: 2 } }',
    INPUT,
  );
  expect(findingsOf({ files })).toEqual([]);
});

test.each([
  ['environment.not_found', 'an unknown environment', states('{ id: a, cron: "@daily", environment: ▶production }')],
  [
    'scope.environment',
    'an environment outside of the scope',
    states('{ id: a, cron: "@daily", environment: ▶prod }', 'scope: { environments: [dev] }'),
  ],
  [
    'input.invalid',
    'an input that breaks the contract',
    states('{ id: a, cron: "@daily", environment: dev, input: ▶{ n: many } }', INPUT),
  ],
  ['input.invalid', 'an input that is missing', states('▶{ id: a, cron: "@daily", environment: dev }', INPUT)],
  [
    'definition.duplicate',
    'a name that two have, at the second',
    states('{ id: a, cron: "@daily", environment: dev }, { id: ▶a, cron: "@hourly", environment: dev }'),
  ],
  [
    'definition.invalid',
    'times that cron does not have',
    states(
      '{ id: a, cron: ▶"0 25 * * *", environment: dev }, { id: b, cron: ▶"0 9 * * 5#2", environment: dev }, { id: c, cron: ▶"30 2 30 2 *", environment: dev }',
    ),
  ],
  [
    'definition.invalid',
    'a zone that does not exist, and one that has no name',
    states(
      '{ id: a, cron: "@daily", timezone: ▶Middle/Earth, environment: dev }, { id: b, cron: "@daily", timezone: ▶"+01:00", environment: dev }',
    ),
  ],
  [
    'definition.invalid',
    'what cannot be asked ahead: longer than the interval, with jitter, with another overlap',
    states(
      [
        '{ id: a, cron: "0 3,5 * * *", environment: dev, approve_before: ▶121m }',
        '{ id: b, cron: "0 3 * * mon", environment: dev, approve_before: ▶8d }',
        '{ id: c, cron: "0 3 13 * fri", environment: dev, approve_before: ▶25h }',
        '{ id: d, cron: "0 3 * * *", environment: dev, jitter: 1m, approve_before: ▶2h }',
        '{ id: e, cron: "0 3 * * *", environment: dev, overlap: buffer_one, approve_before: ▶2h }',
      ].join(', '),
    ),
  ],
])('%s: %s', (code, _, files) => {
  const found = findingsOf({ files }).filter((finding) => finding.code === code);
  expect(found.map(({ location }) => formatLocation(location)).sort()).toEqual(markedPlaces(files).sort());
});

test('a time that a change of the clock takes away is noted at its cron text, with the date', () => {
  const files = states(
    '{ id: a, cron: ▶"30 2 * * *", timezone: Europe/Berlin, environment: dev }, { id: b, cron: "0 * * * *", timezone: Europe/Berlin, environment: dev }',
  );
  const found = findingsOf({ files });
  expect(found.map(({ location }) => formatLocation(location))).toEqual(markedPlaces(files));
  expect(found[0]).toMatchObject({
    ...{ code: 'lint.schedule_clock', severity: 'note' },
    message: expect.stringMatching(/^On \d{4}-03-\d\d there is no 02:30 in Europe\/Berlin/),
  });
});

test('a second schedule of the same name refers to the first one', () => {
  const files = states('{ id: a, cron: "@daily", environment: dev }, { id: a, cron: "@hourly", environment: dev }');
  const [found] = findingsOf({ files });
  expect(found?.message).toMatch(/^The schedule a is in registry\/high-level\/flow\.yaml:\d+ as well$/);
});
