import { expect, test } from 'vitest';
import type { PlannedOperation } from '../../../../../src/authoring/import/planned-import.js';
import { type ImportEnd, renderImport } from '../../../../../src/doors/cli/output/render-import.js';

const difference = { at: 'summary', before: '"a"', after: '"b"' };

function operations(count: number, more: Partial<PlannedOperation>): PlannedOperation[] {
  return Array.from({ length: count }, (_, index) => ({
    key: `big.op${index}`,
    source: `GET /${index}`,
    file: `registry/low-level/big.op${index}.yaml`,
    status: 'new' as const,
    differences: [],
    conflicts: [],
    notes: [],
    ...more,
  }));
}

function shown(more: Partial<ImportEnd['planned']>): string[] {
  const planned = {
    operations: [],
    config: null,
    leftOut: [],
    notSelected: [],
    gone: [],
    undecided: [],
    select: undefined,
    notes: [],
    root: '/',
    writes: [],
    ...more,
  };
  const source = { kind: 'openapi', name: 'big', location: 'big.json' } as const;
  return renderImport({ source, planned, isDryRun: false }, (_, text) => text).split('\n');
}

test('for a large import people see counts by effect, the first few operations, and the number of the others', () => {
  const lines = shown({
    operations: operations(1000, { definition: { effects: 'external_read' }, notes: ['Look at this'] }),
  });
  expect(lines.length).toBeLessThan(40);
  expect(lines).toContain('New: 1000 external_read');
  expect(lines).toContain('  big.op19  external_read  registry/low-level/big.op19.yaml');
  expect(lines).toContain('  and 980 more, which --json lists');
  expect(lines.at(-1)).toBe(
    '  Look at this: big.op0, big.op1, big.op2, big.op3, big.op4 and 995 more, which --json names',
  );
});

test('of many files that people edited, those that need a decision come first', () => {
  const edited = operations(30, { status: 'kept', differences: [difference] });
  const both = operations(1, { key: 'big.both', status: 'kept', differences: [difference], conflicts: [difference] });
  const lines = shown({ operations: [...edited, ...both] });
  const kept = lines.indexOf('Kept as edited by people');
  expect(lines[kept + 1]).toContain('big.both');
  expect(lines[kept + 2]).toContain('both changed summary');
});

test('of many changes in a file only some are listed', () => {
  const differences = Array.from({ length: 100 }, (_, index) => ({ ...difference, at: `a${index}` }));
  const lines = shown({ operations: operations(1, { status: 'changed', differences }) });
  expect(lines.filter((line) => line.startsWith('    a') && line.includes('->'))).toHaveLength(10);
  expect(lines).toContain('    and 90 more, which --json lists');
});

test('each omitted operation is named, and those with the same reason share a line', () => {
  const leftOut = Array.from({ length: 100 }, (_, index) => ({
    source: `webhook ${index}`,
    reason: index < 99 ? 'it is called by the service, not by us' : 'its path has a ?',
  }));
  const lines = shown({ leftOut });
  const names = leftOut.slice(0, 99).map(({ source }) => source);
  expect(lines).toContain(`  it is called by the service, not by us: ${names.join(', ')}`);
  expect(lines).toContain('  its path has a ?: webhook 99');
});
