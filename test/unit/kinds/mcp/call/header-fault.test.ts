import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import { headerFaultOf, ListedTools } from '../../../../../src/kinds/mcp/call/listed-tools.js';

const sent = (name: Json, type: Json = 'string'): JsonObject => ({ type, 'x-mcp-header': name });
const taking = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

test.each<[string, JsonObject]>([
  ['strings, integers and booleans', taking({ a: sent('A'), b: sent('B', 'integer'), c: sent('C', 'boolean') })],
  ['a property of a property', taking({ a: taking({ b: sent('Region') }) })],
  ['a property that has the name of the mark', taking({ 'x-mcp-header': { type: 'object' } })],
  ['a mark among values', taking({ a: { default: sent('two words'), examples: [sent('')] } })],
])('%s may be sent as headers', (_, schema) => {
  expect(headerFaultOf(schema)).toBeUndefined();
});

test.each<[string, JsonObject, RegExp]>([
  ['an empty name', taking({ a: sent('') }), /`a` is sent as a header whose name is not valid/],
  ['a name of two words', taking({ a: sent('My Region') }), /whose name is not valid/],
  ['a name with a break', taking({ a: sent('A\r\nHost') }), /whose name is not valid/],
  ['a name that is no text', taking({ a: sent(1) }), /whose name is not valid/],
  ['an object', taking({ a: sent('A', 'object') }), /is not a string, integer or boolean/],
  ['a number', taking({ a: sent('A', 'number') }), /is not a string, integer or boolean/],
  ['a value of any type', taking({ a: { 'x-mcp-header': 'A' } }), /is not a string, integer or boolean/],
  ['one name twice', taking({ a: sent('Region'), b: taking({ c: sent('region') }) }), /`b\.c`.*so is another/],
  ['the input itself', taking({}, { 'x-mcp-header': 'A' }), /always at the same place/],
  ['an item of a list', taking({ a: { type: 'array', items: sent('A') } }), /always at the same place/],
  ['a branch', taking({}, { anyOf: [taking({ a: sent('A') })] }), /always at the same place/],
  ['a definition', taking({}, { $defs: { a: sent('A') } }), /always at the same place/],
  ['what is named at random', taking({}, { patternProperties: { '^x': sent('A') } }), /always at the same place/],
])('%s may not be sent as headers', (_, schema, fault) => {
  expect(headerFaultOf(schema)).toMatch(fault);
});

test('a tool with an invalid header is not called over a transport that sends headers, but other tools are', () => {
  const tools = [
    { name: 'ill', inputSchema: taking({ a: sent('') }) },
    { name: 'well', inputSchema: taking({ a: sent('A') }) },
  ];
  expect(new ListedTools(tools, true).find('ill')).toMatchObject({ fault: expect.stringContaining('`a`') });
  expect(new ListedTools(tools, true).find('well')).toHaveProperty('tool');
  expect(new ListedTools(tools).find('ill')).toHaveProperty('tool');
});
