import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const page = readFileSync(join(ROOT, 'docs/contributing/placement.md'), 'utf8');
const [, table = ''] = /\| Source 001 \| Here \|\n\|.*\|\n((?:\|.*\n)+)/.exec(page) ?? [];
const rows = table
  .trim()
  .split('\n')
  .map((row) => row.split('|').map((cell) => cell.trim()))
  .map(([, source = '', here = '']) => ({ source, here }));
const code = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
const isPath = (name: string): boolean => /^(src|test)\/.*\.ts$/.test(name);

test('C-17, R-001-30: docs/contributing/placement.md states where each name of source 001 is, including its test files', () => {
  const named = rows.map(({ source }) => source).join('\n');
  for (const name of [
    ...['src/capabilities/routing-resolver.ts', 'src/capabilities/mod.ts', 'config/mcp-routing.json', 'LOCAL_SERVERS'],
    ...['CapabilityRouting', 'extractServerName', 'isLocalServer', 'isCloudServer', 'getToolRouting', 'resolveRouting'],
    ...['isValidConfig', 'parseConfig', 'initRoutingConfig', 'reloadRoutingConfig', 'loadRoutingJsonSync'],
    ...['checkAndSyncRouting', 'src/cli/commands/serve.ts', 'capability_records.routing', 'user_routing_overrides'],
    ...['CreateCapabilityRecordInput', 'capability-registry.ts', 'capability-store.ts', 'execute-handler.ts'],
    ...['dag_structure.tools_used', 'cap:lookup', 'pml:discover', 'pml_registry'],
    ...['tests/unit/capabilities/routing_resolver_test.ts', 'tests/integration/routing_inheritance_test.ts'],
  ]) {
    expect(named).toContain(name);
  }
  const { here = '' } = rows.find(({ source }) => source.includes('routing_inheritance_test')) ?? {};
  expect(code(here)).toEqual(['test/integration/placement.test.ts']);
});

test('each file it names exists, and declares the functions named with it', () => {
  const files = rows.flatMap(({ here }) => code(here).filter(isPath));
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  for (const { here } of rows) {
    const [name = '', file = ''] = code(here);
    if (isPath(name) || !isPath(file)) continue;
    const declared = new RegExp(`(function|class|type|const) ${name.replace(/\W.*$/, '')}\\b`);
    expect(readFileSync(join(ROOT, file), 'utf8')).toMatch(declared);
  }
});

test('each function that it lists under the same or another name is in src/planning/steps/placement.ts', async () => {
  const rules: Record<string, unknown> = await import(join(ROOT, 'src/planning/steps/placement.ts'));
  const names = ['extractServerName', 'isLocalServer', 'isCloudServer', 'placementOfTool', 'resolvePlacement'];
  expect(names.filter((name) => typeof rules[name] !== 'function' || !page.includes(name))).toEqual([]);
  expect(rules).toHaveProperty('DEFAULT_LOCAL_SERVERS');
});
