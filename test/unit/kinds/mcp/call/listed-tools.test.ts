import { describe, expect, test } from 'vitest';
import { ListedTools, toolDigest } from '../../../../../src/kinds/mcp/call/listed-tools.js';

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
const faultOf = (definition: unknown, name = 'ill') => {
  const found = new ListedTools([tool('well'), definition]).find(name);
  return found && 'fault' in found ? found.fault : found;
};
/** Nested too deeply for the stack. */
const deep = () => {
  let value: object = {};
  for (let n = 0; n < 100_000; n += 1) value = { a: value };
  return value;
};

describe('a listing', () => {
  test('has each tool by its name, and no others', () => {
    const tools = new ListedTools([tool('a'), tool('b', { title: 'B' })]);
    expect(tools.find('b')).toMatchObject({ name: 'b', tool: { title: 'B' } });
    expect(tools.find('c')).toBeUndefined();
    expect(tools.names()).toEqual(['a', 'b']);
  });

  test.each<[string, unknown, RegExp]>([
    [
      'an annotation of the wrong kind',
      tool('ill', { annotations: { readOnlyHint: 'yes' } }),
      /`annotations\.readOnlyHint`: expected boolean/,
    ],
    ['no input schema', { name: 'ill' }, /`inputSchema` is missing/],
    [
      'an input schema of no object',
      tool('ill', { inputSchema: { type: 'string' } }),
      /`inputSchema\.type`: expected "object"/,
    ],
    ['a description that is no text', tool('ill', { description: {} }), /`description`: expected string/],
    ['a definition of 2 MiB', tool('ill', { description: 'x'.repeat(2 * 1024 * 1024) }), /larger than 1 MiB/],
    [
      'a definition without a bottom',
      tool('ill', { inputSchema: { type: 'object', properties: deep() } }),
      /nested too deeply/,
    ],
  ])('rejects a tool with %s, with a readable reason', (_, ill, fault) => {
    expect(faultOf(ill)).toMatch(fault);
    expect(faultOf(ill)).not.toMatch(/[[{]/);
    const all = new ListedTools([ill, tool('well')]).all();
    expect(all.map(({ name }) => name)).toEqual(['ill', 'well']);
    expect(all[1]).toHaveProperty('tool');
  });

  test('names a tool without a name by its position', () => {
    const all = new ListedTools([tool('well'), { name: 7 }, null, 'text', ['a']]).all();
    expect(all).toMatchObject([
      { name: 'well', tool: {} },
      { name: 'tool 2 of the listing', fault: '`name`: expected string, received number; `inputSchema` is missing' },
      { name: 'tool 3 of the listing', fault: 'it: expected object, received null' },
      { name: 'tool 4 of the listing' },
      { name: 'tool 5 of the listing' },
    ]);
  });

  test('has no tool for a shared name, unless the definitions are equal', () => {
    const [one, other] = [tool('do'), tool('do', { description: 'Other.' })];
    expect(new ListedTools([one, other]).find('do')).toEqual({
      name: 'do',
      fault: 'it is listed 2 times, and not each time as the same',
    });
    expect(new ListedTools([one, { name: 'do' }]).find('do')).toHaveProperty('fault');
    expect(new ListedTools([{ name: 'do' }, one]).find('do')).toHaveProperty('fault');
    expect(new ListedTools([one, { ...one, icons: [] }]).find('do')).toHaveProperty('tool');
    expect(new ListedTools([one, other]).all()).toHaveLength(1);
  });

  test('reads a definition as earlier pins did: annotations that the protocol does not know are dropped', () => {
    const plain = { ...tool('do'), title: 'Do', annotations: { readOnlyHint: true } };
    const found = new ListedTools([{ ...plain, x: 1, annotations: { ...plain.annotations, x: 1 } }]).find('do');
    // The digest of a plan from before tools were read one by one.
    expect(found && 'tool' in found && toolDigest(found.tool)).toBe(
      '92735fa1b6645d33f190c18f85fbb67a12d215fb7981878db5bf361ac8bb10c8',
    );
  });
});
