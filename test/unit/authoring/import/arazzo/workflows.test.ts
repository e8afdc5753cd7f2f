import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { importArazzo, openArazzo } from '../../../../../src/authoring/import/arazzo/import-arazzo.js';
import type { Imported } from '../../../../../src/authoring/import/imported.js';
import { importDocument, openDocument } from '../../../../../src/authoring/import/openapi/import-document.js';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import { readImport } from '../../../../../src/definitions/read-imports.js';
import { SHOP, SHOPPING } from '../../../../fixtures/arazzo-shop.js';
import { errorOf } from '../../../error-of.js';
import { temporaryProject } from '../../../temporary-project.js';
import { importInto, statuses } from '../importing.js';

/** The translated workflows of a document that uses the shop. */
async function translated(
  document: string,
  more: { hasShop?: boolean; guard?: string; made?: JsonObject } = {},
): Promise<Imported> {
  const project = temporaryProject();
  const wanted = { service: 'shop', prefix: 'shop', server: 'https://shop.test' };
  const imported = await importDocument(openDocument(JSON.stringify(SHOP), 'shop.json'), wanted);
  importInto(project, imported, { kind: 'openapi', name: 'shop', prefix: 'shop' });
  const state = more.hasShop === false ? undefined : readImport(project.root, 'openapi', 'shop');
  return importArazzo(openArazzo(document, 'a.yaml'), {
    prefix: 'w',
    sources: [{ name: 'shop', url: './shop.json', type: 'openapi', state }],
    definitionOf: (key) =>
      key.endsWith('.with_status')
        ? more.made
        : imported.operations.find((operation) => operation.key === key)?.definition,
    whyUnguarded: () => more.guard,
  });
}

/** A document with one workflow of these steps. */
function flow(steps: JsonObject[], more: JsonObject = {}, version = '1.1.0'): string {
  const workflows: Json = [{ workflowId: 'flow', steps, ...more }];
  return stringify({ arazzo: version, info: { title: 'x', version: '1' }, sourceDescriptions: [], workflows });
}

const look = (more: JsonObject = {}): JsonObject => ({
  ...{ stepId: 'look', operationId: 'getItem', parameters: [{ name: 'id', in: 'path', value: 'a' }] },
  ...more,
});
const wait: JsonObject = { stepId: 'wait', operationId: 'joinWaiting' };

async function stepsOf(steps: JsonObject[], more?: JsonObject): Promise<Json> {
  const { operations, leftOut } = await translated(flow(steps, more));
  expect(leftOut).toEqual([]);
  return operations.at(-1)?.definition.steps ?? null;
}

async function reasonOf(steps: JsonObject[], more?: JsonObject): Promise<string | undefined> {
  const { leftOut } = await translated(flow(steps, more));
  return leftOut[0]?.reason;
}

describe('a step', () => {
  test('without anything to check calls the imported operation itself', async () => {
    expect(await stepsOf([look()])).toEqual([{ id: 'look', call: 'shop.get_item', with: { id: 'a' } }]);
  });

  test('whose status is read calls a second form of the operation, which is otherwise the same', async () => {
    const { operations } = await translated(flow([look({ successCriteria: [{ condition: '$statusCode == 200' }] })]));
    const [form] = operations;
    expect(form).toMatchObject({
      key: 'shop.get_item.with_status',
      definition: {
        effects: 'external_read',
        output_schema: { required: ['status', 'body'], properties: { status: {}, body: {} } },
        implementation: { api: { path: '/items/{id}', service: 'shop', response: { status: true } } },
      },
    });
  });

  test('that reads other headers than an earlier import keeps the headers of both in the form they share', async () => {
    const reading = (name: string) => flow([look({ outputs: { it: `$response.header.${name}` } })]);
    const made = (await translated(reading('ETag'))).operations[0]?.definition;
    const { operations } = await translated(reading('X-Total'), { ...(made && { made }) });
    expect(operations[0]).toMatchObject({
      key: 'shop.get_item.with_status',
      definition: { implementation: { api: { response: { headers: ['ETag', 'X-Total'] } } } },
    });
  });

  test('passes values that 1.1 selects by pointer, or by a path that leads to one value', async () => {
    const value = (type: string, selector: string) => ({ context: '$inputs.all', selector, type });
    const steps = await stepsOf([
      look({
        parameters: [
          { name: 'id', in: 'path', value: value('jsonpointer', '/a/0') },
          { name: 'lang', in: 'query', value: value('jsonpath', '$.b.c') },
        ],
      }),
    ]);
    expect(steps).toMatchObject([{ with: { id: '${{ input.?all.?a[?0] }}', lang: '${{ input.?all.?b.?c }}' } }]);
  });

  test('sends a constant that looks like one of our expressions as plain text', async () => {
    const [step] = (await stepsOf([look({ parameters: [{ name: 'id', in: 'path', value: '${{ task.key }}' }] })])) as [
      JsonObject,
    ];
    expect(JSON.stringify(step.with)).not.toContain('task.key }}');
    expect(JSON.stringify(step.with)).toContain('task.key');
  });

  test('takes over the timeout of 1.1', async () => {
    expect(await stepsOf([look({ timeout: 1500 })])).toMatchObject([{ timeout: '1500ms' }]);
  });
});

const action = (more: JsonObject): JsonObject[] => [{ name: 'x', ...more }];
const order = (payload: Json): JsonObject => ({ stepId: 'order', operationId: 'placeOrder', requestBody: { payload } });

describe('refused by name with its location, for its workflow only', () => {
  test.each<[string, JsonObject[], string]>([
    [
      'a jump back',
      [look(), { ...wait, onSuccess: action({ type: 'goto', stepId: 'look' }) }],
      'steps.wait.onSuccess.x: it goes back to look',
    ],
    ['a jump nowhere', [look({ onSuccess: action({ type: 'goto', stepId: 'y' }) })], 'there is no step y'],
    [
      'a retry by way of a step',
      [look({ onFailure: action({ type: 'retry', stepId: 'wait' }) }), wait],
      'a retry that first goes to wait',
    ],
    [
      'a failure by its body',
      [look({ onFailure: action({ type: 'end', criteria: [{ condition: '$response.body#/a == 1' }] }) })],
      'of a failure only `$statusCode == N`',
    ],
    [
      'success by a status that fails',
      [look({ successCriteria: [{ condition: '$statusCode == 302' }] })],
      '`$statusCode == 302` is no success here',
    ],
    ['an unknown operation', [{ stepId: 'a', operationId: 'nope' }], 'steps.a: the operation nope is not among'],
    [
      'an unknown parameter',
      [look({ parameters: [{ name: 'zz', in: 'query', value: 1 }] })],
      'steps.look.parameters[0]: shop.get_item has no parameter zz in query',
    ],
    ['a parameter without place', [look({ parameters: [{ name: 'id', value: 1 }] })], 'does not say where it goes'],
    [
      'the header of a credential',
      [look({ parameters: [{ name: 'Authorization', in: 'header', value: 1 }] })],
      'is sent with the credentials',
    ],
    ['an input that is missing', [look({ parameters: [] })], 'shop.get_item needs id, which the step does not give'],
    [
      'an output of a later step',
      [look({ parameters: [{ name: 'id', in: 'path', value: '$steps.wait.outputs.a' }] }), wait],
      'names a step that has not run before it',
    ],
    [
      'an output that is not there',
      [wait, look({ parameters: [{ name: 'id', in: 'path', value: '$steps.wait.outputs.a' }] })],
      'names an output that the step wait does not have',
    ],
    [
      'another media type',
      [{ ...order({}), requestBody: { contentType: 'application/xml', payload: '<a/>' } }],
      'its body is application/xml, and the operation was imported with application/json',
    ],
    ['a payload that is no JSON', [order('{ nope')], 'its payload is a text, and no JSON'],
    [
      'an XPath selector',
      [
        look({
          parameters: [{ name: 'id', in: 'path', value: { context: '$inputs.a', selector: '/a', type: 'xpath' } }],
        }),
      ],
      'xpath cannot be translated',
    ],
    ['a message', [{ stepId: 'a', channelPath: 'x', action: 'send' }], 'messages (`channelPath`)'],
    ['the status of a workflow', [{ stepId: 'a', workflowId: 'flow' }], 'it calls itself'],
    ['a step that depends on a later one', [look({ dependsOn: ['wait'] }), wait], 'wait comes later'],
    [
      'cookies that hold secrets',
      [look({ outputs: { a: '$response.header.Set-Cookie' } })],
      'Set-Cookie holds a secret',
    ],
    ['a URL', [look({ outputs: { a: '$url' } })], '$url cannot be translated'],
  ])('%s', async (_, steps, reason) => {
    expect(await reasonOf(steps)).toContain(reason);
  });

  test('a source that is not imported, with the command to run first', async () => {
    const { leftOut } = await translated(flow([look({ operationId: '$sourceDescriptions.shop.getItem' })]), {
      hasShop: false,
    });
    expect(leftOut[0]?.reason).toContain('run `ability import openapi ./shop.json` first');
  });

  test('a second form that a guard of the operation would not see', async () => {
    const { leftOut, operations } = await translated(SHOPPING, { guard: 'a hook is only for the first' });
    expect(leftOut.map(({ source }) => source)).toEqual(['client-credentials-flow', 'buy']);
    expect(operations).toEqual([]);
  });
});

describe('an invalid Arazzo document', () => {
  test.each([
    ['of another version', flow([wait], {}, '2.0.0'), 'import.unsupported'],
    ['of another kind', '{"openapi": "3.1.0"}', 'import.unreadable'],
    ['without workflows', 'arazzo: 1.0.0\nworkflows: []\n', 'import.unreadable'],
    [
      'with a workflow twice',
      'arazzo: 1.0.0\nworkflows: [{ workflowId: a }, { workflowId: a }]\n',
      'import.unreadable',
    ],
  ])('%s', (_, text, code) => {
    expect(errorOf(() => openArazzo(text, 'a.yaml'))).toMatchObject({ code });
  });
});

test('a re-import keeps what people changed and takes over what changed in the document', async () => {
  const project = temporaryProject();
  const take = async (steps: JsonObject[]) =>
    importInto(project, await translated(flow(steps, { summary: 'One.' })), { kind: 'arazzo', name: 'w', prefix: 'w' });
  await take([look()]);
  const file = 'registry/high-level/w.flow.yaml';
  const text = (await take([look()])).operations[0]?.file;
  expect(text).toBe(file);
  const { readFileSync } = await import('node:fs');
  project.write({ [file]: readFileSync(`${project.root}/${file}`, 'utf8').replace('summary: One.', 'summary: Ours.') });
  const planned = await take([look(), wait]);
  expect(statuses(planned)).toEqual({ 'w.flow': 'changed' });
  const now = readFileSync(`${project.root}/${file}`, 'utf8');
  expect(now).toContain('summary: Ours.');
  expect(now).toContain('shop.join_waiting');
});
