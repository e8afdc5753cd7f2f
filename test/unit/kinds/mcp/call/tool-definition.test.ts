import type { Tool } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { compareTools, definitionOf, toolDigest } from '../../../../../src/kinds/mcp/call/listed-tools.js';
import { describeDifference } from '../../../../../src/text/value-differences.js';

const TOOL: Tool = {
  name: 'do',
  title: 'Do',
  description: 'Does it.',
  inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
};
const compare = (before: Tool, after: Tool) => compareTools(definitionOf(before), definitionOf(after));

describe('the digest of a tool', () => {
  test.each<[string, Partial<Tool>]>([
    ['name', { name: 'undo' }],
    ['title', { title: 'Do!' }],
    ['description', { description: 'Does it. ' }],
    ['input schema', { inputSchema: { type: 'object' } }],
    ['output schema', { outputSchema: { type: 'object', required: ['a'] } }],
    ['annotations', { annotations: { readOnlyHint: false } }],
    ['lack of a description', { description: undefined }],
  ])('changes with its %s', (_, change) => {
    expect(toolDigest({ ...TOOL, ...change })).not.toBe(toolDigest(TOOL));
  });

  test('does not change with its icons, its `_meta`, or the order of its fields', () => {
    const { annotations, inputSchema, ...rest } = TOOL;
    const other = { inputSchema, annotations, ...rest, icons: [{ src: 'data:,' }], _meta: { at: 1 } } as Tool;
    expect(toolDigest(other)).toBe(toolDigest({ ...TOOL }));
  });
});

describe('the difference between two tools', () => {
  test('names each place that changed, was added or was removed', () => {
    const { title: _, ...untitled } = TOOL;
    const after: Tool = { ...untitled, inputSchema: { type: 'object', properties: { a: { type: 'integer' }, b: {} } } };
    expect(compare(TOOL, after)).toEqual({
      changes: [
        { at: 'inputSchema.properties.a.type', before: '"string"', after: '"integer"' },
        { at: 'inputSchema.properties.b', before: null, after: '{}' },
        { at: 'title', before: '"Do"', after: null },
      ],
      more: 0,
    });
  });

  test('shows only the changed place of a long text', () => {
    const text = 'x'.repeat(50_000);
    const { changes } = compare(
      { ...TOOL, description: `${text} end` },
      { ...TOOL, description: `${text} evil ${text}` },
    );
    expect(changes[0]?.before).toMatch(/^\.\.\.x+ end"$/);
    expect(changes[0]?.after).toMatch(/^\.\.\.x+ evil x+\.\.\.$/);
    expect(describeDifference(changes[0] as never).length).toBeLessThan(600);
  });

  test('shows twenty changes and counts the others', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 5000 }, (_, n) => [`p${n}`, { type: 'string' as const }]),
    );
    const { changes, more } = compare(TOOL, { ...TOOL, inputSchema: { type: 'object', properties } });
    expect([changes.length, more]).toEqual([20, 4981]);
  });

  test('shows invisible characters, such as tags and direction marks', () => {
    const hidden = 'Does it.\u{e0041}\u202e\u200b\u3164';
    expect(compare(TOOL, { ...TOOL, description: hidden }).changes).toEqual([
      { at: 'description', before: '"Does it."', after: '"Does it.\\u{e0041}\\u{202e}\\u{200b}\\u{3164}"' },
    ]);
  });
});
