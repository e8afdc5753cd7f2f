import { describe, expect, test } from 'vitest';
import { withoutNullMembers } from '../../../src/text/absent-as-null.js';

const read = (message: unknown) => JSON.parse(withoutNullMembers(JSON.stringify(message))) as unknown;
const answer = (result: unknown) => ({ jsonrpc: '2.0', id: 1, result });

describe('null where a message of MCP has an optional member is absent', () => {
  test.each<[string, unknown, unknown]>([
    ['an error beside a result', { ...answer({}), error: null }, answer({})],
    ['a result beside an error', { id: 1, result: null, error: { code: 1 } }, { id: 1, error: { code: 1 } }],
    ['the parameters of a request', { id: 1, method: 'tools/list', params: null }, { id: 1, method: 'tools/list' }],
    [
      'members of the answer to a call',
      answer({ content: [], isError: null, structuredContent: null, _meta: null }),
      answer({ content: [] }),
    ],
    ['the next page', answer({ tools: [], nextCursor: null }), answer({ tools: [] })],
    [
      'members of a part of a content',
      answer({ content: [{ type: 'text', text: 'x', annotations: { audience: null }, _meta: null }] }),
      answer({ content: [{ type: 'text', text: 'x', annotations: {} }] }),
    ],
    [
      'members of a tool',
      answer({ tools: [{ name: 'a', title: null, outputSchema: null, annotations: { readOnlyHint: null } }] }),
      answer({ tools: [{ name: 'a', annotations: {} }] }),
    ],
    [
      'what a client says of itself',
      {
        id: 1,
        method: 'initialize',
        params: { capabilities: { sampling: null }, clientInfo: { name: 'x', title: null } },
      },
      { id: 1, method: 'initialize', params: { capabilities: {}, clientInfo: { name: 'x' } } },
    ],
    [
      'a call without arguments',
      { id: 1, method: 'tools/call', params: { name: 'a', arguments: null, _meta: { progressToken: null } } },
      { id: 1, method: 'tools/call', params: { name: 'a', _meta: {} } },
    ],
    ['in each message of a batch', [{ id: 1, params: null }, answer(null)], [{ id: 1 }, { jsonrpc: '2.0', id: 1 }]],
  ])('%s', (_, written, expected) => {
    expect(read(written)).toEqual(expected);
  });
});

describe('null that a program may mean stays', () => {
  test.each<[string, unknown]>([
    ['the id of an answer to what was no request', { jsonrpc: '2.0', id: null, error: { code: -32700 } }],
    ['inside of arguments', { id: 1, method: 'tools/call', params: { name: 'a', arguments: { b: null } } }],
    ['inside of a structured content', answer({ structuredContent: { a: null, content: [null] } })],
    ['inside of a schema', answer({ tools: [{ name: 'a', inputSchema: { default: null, enum: [1, null] } }] })],
    ['in a list', answer({ content: [null] })],
  ])('%s', (_, message) => {
    expect(read(message)).toEqual(message);
  });
});

test.each(['{"a": 1}', 'starting, level: null', '{"a": null', ''])('other text is unchanged: %s', (text) => {
  expect(withoutNullMembers(text)).toBe(text);
});
