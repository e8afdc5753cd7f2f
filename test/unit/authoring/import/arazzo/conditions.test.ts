import { describe, expect, test } from 'vitest';
import { translateCriteria } from '../../../../../src/authoring/import/arazzo/criteria.js';
import type { Reading } from '../../../../../src/authoring/import/arazzo/reading.js';
import type { Json } from '../../../../../src/contracts/json.js';
import { evaluateCondition } from '../../../../../src/rules/expressions/condition.js';
import { compileExpression } from '../../../../../src/rules/expressions/evaluate.js';

const reading: Reading = {
  place: 'here',
  note: () => {},
  givenInputs: new Set(['name']),
  stepOutput: () => 'is not there',
  workflowOutput: () => 'is not there',
  answer: {
    status: { cel: 'answer.status', optional: false },
    body: { cel: 'answer.body', optional: false },
    header: (name) => ({ cel: `answer.headers[?"${name}"]`, optional: true }),
    output: () => 'is not there',
    request: () => 'is not there',
    method: { cel: '"GET"', optional: false },
  },
};

function holds(criteria: Json[], body: Json = {}, status = 200): boolean {
  const cel = translateCriteria(criteria, reading) ?? 'true';
  compileExpression(cel);
  const answer = { status, body, headers: { Limit: '12' } };
  return evaluateCondition(cel, { answer, input: { name: 'Ada', limit: 5 } }, {});
}

const simple = (condition: string, body?: Json, status?: number): boolean => holds([{ condition }], body, status);
const query = (condition: string, body: Json): boolean =>
  holds([{ context: '$response.body', type: 'jsonpath', condition }], body);

describe('a simple condition', () => {
  test.each<[string, Json, boolean]>([
    ['$statusCode == 200', {}, true],
    ['$statusCode != 200', {}, false],
    ['$statusCode >= 200 && $statusCode < 300', {}, true],
    ['!($statusCode == 500) && ($statusCode == 1 || $statusCode == 200)', {}, true],
    ["$response.body#/state == 'PLACED'", { state: 'Placed' }, true],
    ["$response.body#/state != 'placed'", { state: 'Placed' }, false],
    ['$response.body#/name == $inputs.name', { name: 'ADA' }, true],
    ['$response.body#/token != null', {}, false],
    ['$response.body#/token == null', {}, true],
    ['$response.body#/items/0/id == 7', { items: [{ id: 7 }] }, true],
    ['$response.body.items[0].id == 7', { items: [{ id: 7 }] }, true],
    ['$response.body#/count > 3', { count: '10' }, true],
    ['$response.body#/count > 3', { count: null }, false],
    ['$response.header.Limit > $inputs.limit', {}, true],
    ['$response.body#/ok', { ok: true }, true],
    ['$response.body#/ok', { ok: 'yes' }, false],
    ["$response.body#/name == 'it''s'", { name: "It's" }, true],
  ])('%s of %j is %s', (condition, body, expected) => {
    expect(simple(condition, body)).toBe(expected);
  });

  test('all criteria of a list must hold', () => {
    expect(holds([{ condition: '$statusCode == 200' }, { condition: '$response.body#/a == 1' }], { a: 1 })).toBe(true);
    expect(holds([{ condition: '$statusCode == 200' }, { condition: '$response.body#/a == 1' }], { a: 2 })).toBe(false);
  });
});

describe('a regular expression', () => {
  test.each<[string, string, Json, boolean]>([
    ['$statusCode', '^2\\d{2}$', {}, true],
    ['$response.body#/a', '^({$inputs.name})$', { a: 'Ada' }, true],
    ['$response.body#/a', 'd', { a: 'Ada' }, true],
    ['$response.body#/a', '.*', {}, false],
    ['$response.body#/a', '.*', { a: { b: 1 } }, false],
  ])('%s with %s of %j is %s', (context, condition, body, expected) => {
    expect(holds([{ context, condition, type: 'regex' }], body)).toBe(expected);
  });
});

describe('a JSONPath selects something, as defined in RFC 9535', () => {
  test.each<[string, Json, boolean]>([
    ['$.pets[*]', { pets: [1] }, true],
    ['$.pets[*]', { pets: [] }, false],
    ['$.pets', { pets: null }, true],
    ["$['a b'].c", { 'a b': { c: 1 } }, true],
    ['$[0]', [], false],
    ['$[1].x', [0, { x: 1 }], true],
    ['$[?@.price < 10]', [{ price: 12 }, { price: 8 }], true],
    ['$[?@.price < 10]', [{ price: '8' }, {}], false],
    ['$[?@.a == @.b]', [{ a: 1, b: 1 }], true],
    ['$[?@.a == @.b]', [{}], true],
    ['$[?@.a == null]', [{}], false],
    ['$[?@.access_token != null]', { x: 'text' }, true],
    ['$[?count(@.pets) > 0]', { a: { pets: [] } }, true],
    ['$[?count(@.pets) > 0]', { pets: [1] }, false],
    ["$.items[?@.kind == 'a' && (@.on || !@.off)]", { items: [{ kind: 'a', off: 1 }, { kind: 'a' }] }, true],
    ["$.items[?match(@.id, 'a.')].x", { items: [{ id: 'ab', x: 1 }] }, true],
    ["$.items[?search(@.id, 'b$')]", { items: [{ id: 'abc' }] }, false],
    ['$.items[?length(@.tags) >= 2]', { items: [{ tags: [1, 2] }] }, true],
    ['$.a', null, false],
  ])('%s of %j is %s', (condition, body, expected) => {
    expect(query(condition, body)).toBe(expected);
  });
});

describe('refused by name, since ignoring the criterion would let more pass', () => {
  test.each<[Json, string]>([
    [{ condition: '/a', type: 'xpath', context: '$response.body' }, 'conditions of type xpath'],
    [
      {
        condition: '$.a',
        type: { type: 'jsonpath', version: 'draft-goessner-dispatch-jsonpath-00' },
        context: '$response.body',
      },
      'is not the JSONPath of RFC 9535',
    ],
    [{ condition: '$..a', type: 'jsonpath', context: '$response.body' }, '`..`'],
    [{ condition: '$[1:2]', type: 'jsonpath', context: '$response.body' }, 'in brackets'],
    [{ condition: '$[?@.x == {$inputs.name}]', type: 'jsonpath', context: '$response.body' }, 'inside of a JSONPath'],
    [{ condition: '(?=a)', type: 'regex', context: '$response.body' }, 'RE2'],
    [{ condition: '^2', type: 'regex' }, 'needs its context'],
    [{ condition: "$response.body#/a == 'Ä'" }, 'beyond ASCII'],
    [{ condition: '$statusCode = 200' }, 'is not understood'],
    [{ condition: '$statusCode == ' }, 'a value is missing'],
    [{ condition: '$url == 1' }, 'cannot be translated'],
    [{ condition: '$steps.x.outputs.y == 1' }, 'is not there'],
    [{ condition: '$statusCode < null' }, 'orders numbers'],
    [{}, 'no condition'],
  ])('%j', (criterion, reason) => {
    expect(() => translateCriteria([criterion], reading)).toThrow(reason);
    expect(() => translateCriteria([criterion], reading)).toThrow('here[0]');
  });
});
