import { describe, expect, test } from 'vitest';
import { PLACEMENTS } from '../../../src/contracts/placement.js';
import { DEFAULT_CLOUD_SERVERS, resolvePlacement } from '../../../src/rules/placement.js';

const rules = { cloud: DEFAULT_CLOUD_SERVERS, local: [] };

test('R-001-10: a placement is local or cloud, and nothing else', () => {
  expect([...PLACEMENTS].sort()).toEqual(['cloud', 'local']);
});

test('R-001-02: one local server makes the whole ability local', () => {
  expect(resolvePlacement(['filesystem', 'pml'], rules)).toBe('local');
});

test('R-001-03: servers that may all run in the cloud give cloud', () => {
  expect(resolvePlacement(['pml', 'tavily', 'memory'], rules)).toBe('cloud');
});

test('R-001-04: an explicit placement wins over what the servers need', () => {
  expect(resolvePlacement(['filesystem'], rules, 'cloud')).toBe('cloud');
  expect(resolvePlacement(['memory'], rules, 'local')).toBe('local');
});

test('R-001-05: no servers at all is cloud', () => {
  expect(resolvePlacement([], rules)).toBe('cloud');
});

test('R-001-06: explicit first, then the servers used, then cloud', () => {
  expect(resolvePlacement(['filesystem'], rules, 'cloud')).toBe('cloud');
  expect(resolvePlacement(['filesystem'], rules)).toBe('local');
  expect(resolvePlacement([], rules)).toBe('cloud');
});

test.each(['filesystem', 'fs', 'process', 'shell', 'docker', 'kubernetes', 'ssh', 'sqlite', 'archive'])(
  'R-001-13: %s is local',
  (server) => {
    expect(resolvePlacement([server], rules)).toBe('local');
  },
);

test.each(['memory', 'tavily', 'github', 'slack', 'api', 'http'])('R-001-14: %s may run in the cloud', (server) => {
  expect(resolvePlacement([server], rules)).toBe('cloud');
});

describe('what a project says', () => {
  test('R-001-16: only the servers listed as cloud are; every other one is local', () => {
    const own = { cloud: ['search'], local: [] };
    expect(resolvePlacement(['search'], own)).toBe('cloud');
    expect(resolvePlacement(['memory'], own)).toBe('local');
    expect(resolvePlacement(['never-heard-of'], own)).toBe('local');
  });

  test('a server listed as both is local', () => {
    expect(resolvePlacement(['search'], { cloud: ['search'], local: ['search'] })).toBe('local');
  });
});
