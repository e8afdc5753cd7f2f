import { describe, expect, test } from 'vitest';
import type { Measured } from '../../../bench/measure.js';
import { gatesOf, rowsOf } from '../../../bench/report.js';

const measured = (contender: string, scenario: Measured['scenario'], events: number[]): Measured => ({
  contender,
  scenario,
  round: 1,
  preflightMs: [1],
  preflightCpuMs: 1,
  planBytes: 1000,
  taskMs: events.map(() => 10),
  clientMs: events.map(() => 10),
  events,
  bytes: events.map(() => 1000),
  cpuMs: 1,
  memory: 1,
});

const keepsEvents = (scenario: Measured['scenario'], twin: number[], own: number[]) =>
  gatesOf(rowsOf([measured('twin', scenario, twin), measured('no hooks', scenario, own)], [])).find(({ what }) =>
    what.endsWith(': events'),
  )?.kept;

describe('the gate for events', () => {
  test('compares the minima of fan-outs, where answers that arrive together share a workflow task', () => {
    expect(keepsEvents('fanout', [38, 38, 41], [38, 41, 41])).toBe(true);
    expect(keepsEvents('fanout', [38, 41, 41], [39, 41, 41])).toBe(false);
  });

  test('compares the medians of all other tasks, so that most tasks may not have more events', () => {
    expect(keepsEvents('noop', [11, 11, 11], [11, 11, 12])).toBe(true);
    expect(keepsEvents('noop', [11, 11, 11], [11, 12, 12])).toBe(false);
  });
});
