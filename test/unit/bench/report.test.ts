import { describe, expect, test } from 'vitest';
import type { Measured } from '../../../bench/measure.js';
import { gatesOf, rowsOf } from '../../../bench/report.js';
import { BARE } from '../../../bench/scenarios.js';

const measured = (contender: string, scenario: Measured['scenario'], events: number[], ms = 10): Measured => ({
  contender,
  scenario,
  round: 1,
  planBytes: 1000,
  taskMs: events.map(() => 10),
  clientMs: events.map(() => ms),
  events,
  bytes: events.map(() => 1000),
  cpuMs: 1,
  workerMs: 1,
  memory: 1,
});

const keepsEvents = (scenario: Measured['scenario'], base: number[], own: number[]) => {
  const beside = measured(scenario === 'approval' ? BARE : 'twin', scenario, base);
  const gates = gatesOf(rowsOf([beside, measured('no hooks', scenario, own)], []));
  return gates.find(({ what }) => what.endsWith(': events'))?.kept;
};

describe('the gate for events', () => {
  test('compares the minima of fan-outs, where answers that arrive together share a workflow task', () => {
    expect(keepsEvents('fanout', [38, 38, 41], [39, 42, 42])).toBe(true);
    expect(keepsEvents('fanout', [38, 41, 41], [40, 42, 42])).toBe(false);
  });

  test('compares the medians of all other tasks, which have one more event than the twin', () => {
    expect(keepsEvents('noop', [11, 11, 11], [12, 12, 13])).toBe(true);
    expect(keepsEvents('noop', [11, 11, 11], [12, 13, 13])).toBe(false);
  });

  test('compares an approval with a bare signal', () => {
    expect(keepsEvents('approval', [21], [25])).toBe(true);
    expect(keepsEvents('approval', [21], [26])).toBe(false);
  });
});

test('the time of a task counts from the request to the result', () => {
  const gates = (ms: number) =>
    gatesOf(rowsOf([measured('twin', 'noop', [11]), measured('no hooks', 'noop', [12], ms)], []));
  const time = (ms: number) => gates(ms).find(({ what }) => what === 'noop, no hooks: p50');
  expect(time(12.5)).toMatchObject({ kept: true, hard: true, limit: 1.25 });
  expect(time(12.6)).toMatchObject({ kept: false });
});
