import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { metaTools } from '../../../../src/doors/mcp/tools.js';

const listed = [...metaTools('run').values()].map((tool) => tool.listed);

test('the tools take fewer than 7,000 characters of tools/list together, in the same order each time', () => {
  const text = JSON.stringify({ tools: listed });
  expect(text.length).toBeLessThan(7000);
  expect(JSON.stringify({ tools: [...metaTools('run').values()].map((tool) => tool.listed) })).toBe(text);
});

test('each has a schema for its input and its output, and states whether it only reads', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  for (const { name, description, inputSchema, outputSchema, annotations } of listed) {
    expect(() => ajv.compile(inputSchema), name).not.toThrow();
    expect(() => ajv.compile(outputSchema ?? false), name).not.toThrow();
    expect(outputSchema, name).toMatchObject({ type: 'object' });
    expect(description, name).toMatch(/\.$/);
    expect(annotations?.readOnlyHint, name).toBeTypeOf('boolean');
  }
});

test('the read level has exactly the tools that only read, and no level has one that decides (design, section 8)', () => {
  const reading = [...metaTools('read').keys()];
  const only = listed.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
  expect(reading).toEqual(only);
  expect(listed.map(({ name }) => name).filter((name) => /approve|decide|deny|signal/.test(name))).toEqual([]);
});

test('a search is asked for in the language of the abilities, and may say that nothing fits', () => {
  const { inputSchema, outputSchema } = metaTools('run').get('ability_search')?.listed ?? {};
  expect(JSON.stringify(inputSchema?.properties?.query)).toContain('in the language of the abilities, usually English');
  expect(outputSchema?.properties).toMatchObject({ nothing_fits: { type: 'boolean' } });
});
