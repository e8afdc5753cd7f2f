import { describe, expect, test } from 'vitest';
import { formatLocation } from '../../../src/contracts/problem.js';
import { lowLevel, SCRIPT } from '../temporary-project.js';
import { findingsOf, markedPlaces, workflow } from './lint-case.js';

const INPUT = 'input_schema: { type: object, required: [n], properties: { n: { type: integer } } }';
const STEPS = 'steps: [{ id: one, call: op.read, with: { id: x } }]';
const HOOK = 'webhook: a, secret: "env:A", environment: dev';
const states = (entry: string, ...more: string[]) => workflow(...more, `triggers: [${entry}]`, STEPS);
const body = '${{ webhook.body }}';
const id = "${{ webhook.headers['x-id'] }}";

test('sound triggers have no findings', () => {
  const files = {
    ...states(
      `{ ${HOOK}, if: "webhook.body.action == 'opened' && webhook.headers['x-github-event'] == 'push'", input: "${body}", key: "pr-${id}" }, { webhook: b, secret: "file:b.key", environment: prod, input: { n: "\${{ webhook.body.n }}" } }`,
      INPUT,
    ),
    ...lowLevel(
      'op.one',
      'scope: { environments: [staging] }',
      'triggers: [{ webhook: c, secret: "env:C" }]',
      'input_schema: { type: object }',
      SCRIPT,
    ),
  };
  expect(findingsOf({ files })).toEqual([]);
});

test.each([
  [
    'environment.not_found',
    'an unknown environment',
    states('{ webhook: a, secret: "env:A", environment: ▶production }'),
  ],
  [
    'scope.environment',
    'an environment outside of the scope',
    states('{ webhook: a, secret: "env:A", environment: ▶prod }', 'scope: { environments: [dev] }'),
  ],
  ['config.no_environment', 'no environment where several would fit', states('▶{ webhook: a, secret: "env:A" }')],
  [
    'definition.duplicate',
    'a name that two have, at the second, also in another file',
    {
      ...states(`{ ${HOOK} }, { webhook: ▶a, secret: "env:B", environment: dev }`),
      ...lowLevel('op.one', 'triggers: [{ webhook: ▶a, secret: "env:A", environment: dev }]', SCRIPT),
    },
  ],
  ['definition.invalid', 'no secret', states('▶{ webhook: a, environment: dev }')],
  ['definition.invalid', 'a secret that is written out', states('{ webhook: a, secret: ▶hunter2, environment: dev }')],
  ['definition.invalid', 'a name that is no part of an address', states('{ webhook: ▶a/b, secret: "env:A" }')],
  ['definition.invalid', 'an input that is no object', states(`{ ${HOOK}, input: ▶[1] }`)],
  ['definition.invalid', 'an input that is a text', states(`{ ${HOOK}, input: ▶"x${body}" }`)],
  ['definition.invalid', 'a key with what no key has', states(`{ ${HOOK}, key: ▶"gh:${id}" }`)],
  ['definition.invalid', 'a key that begins with a dash', states(`{ ${HOOK}, key: ▶"-${id}" }`)],
  ['definition.invalid', 'a key that is always the same', states(`{ ${HOOK}, key: ▶same }`)],
  ['definition.invalid', 'a key of nothing that came', states(`{ ${HOOK}, key: ▶"\${{ 'x' }}" }`)],
  ['definition.invalid', 'a header in capitals', states(`{ ${HOOK}, key: ▶"\${{ webhook.headers['X-Id'] }}" }`)],
  [
    'definition.invalid',
    'a header that is never shown',
    states(`{ ${HOOK}, input: ▶{ s: "\${{ webhook.headers['x-hub-signature-256'] }}" } }`),
  ],
  ['definition.invalid', '${{ }} around `if`', states(`{ ${HOOK}, if: ▶"\${{ true }}" }`)],
  ['expression.syntax', 'a name that is not known', states(`{ ${HOOK}, if: ▶"input.x == 1" }`)],
  ['expression.syntax', 'CEL that is none', states(`{ ${HOOK}, if: ▶"webhook.body.a ==" }`)],
  ['expression.syntax', 'chance in a key', states(`{ ${HOOK}, key: ▶"\${{ uuid() }}" }`)],
  ['expression.syntax', 'the moment in `if`', states(`{ ${HOOK}, if: ▶"now() > timestamp('2020-01-01T00:00:00Z')" }`)],
  ['lint.not_boolean', 'an `if` that is no condition', states(`{ ${HOOK}, if: ▶"webhook.headers" }`)],
  ['lint.unknown_field', 'a part of a webhook that there is not', states(`{ ${HOOK}, if: ▶"webhook.boddy.a == 1" }`)],
  ['lint.not_text', 'a key that is no text', states(`{ ${HOOK}, key: ▶"\${{ webhook.headers }}" }`)],
  ['lint.missing_parameter', 'an input that is missing', states(`▶{ ${HOOK} }`, INPUT)],
  ['lint.wrong_parameter', 'an input that breaks the contract', states(`{ ${HOOK}, input: { n: ▶many } }`, INPUT)],
  ['lint.wrong_parameter', 'an input of another type', states(`{ ${HOOK}, input: { n: ▶"${id}" } }`, INPUT)],
])('%s: %s', (code, _, files) => {
  const found = findingsOf({ files }).filter((finding) => finding.code === code);
  expect(found.map(({ location }) => formatLocation(location)).sort()).toEqual(markedPlaces(files).sort());
});

test('a second trigger of the same name refers to the first one, and all mistakes of one trigger are reported', () => {
  const [twice] = findingsOf({ files: states(`{ ${HOOK} }, { ${HOOK} }`) });
  expect(twice?.message).toMatch(/^The webhook a is in registry\/high-level\/flow\.yaml:\d+:\d+ as well$/);
  const codes = findingsOf({ files: states(`{ webhook: a, secret: "env:A", if: "x", key: k }`) }).map(
    ({ code }) => code,
  );
  expect(codes).toEqual(expect.arrayContaining(['config.no_environment', 'expression.syntax', 'definition.invalid']));
});

describe('habits from other engines', () => {
  test.each([
    ['on: { push: {} }', /`triggers: \[/],
    ['trigger: webhook', /`triggers: \[/],
    ['webhook: github', /`triggers: \[/],
    ['events: [push]', /`triggers: \[/],
    ['schedule: "0 3 * * *"', /`schedules: \[/],
    ['cron: "0 3 * * *"', /`schedules: \[/],
  ])('%s', (line, wanted) => {
    const found = findingsOf({ files: workflow(line, STEPS) });
    expect(found.some(({ fix }) => wanted.test(fix ?? ''))).toBe(true);
  });
});
