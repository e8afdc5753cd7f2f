import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../../src/contracts/plan.js';
import type { StepSummary, TaskResult } from '../../../../src/contracts/task.js';
import { toolsUsed } from '../../../../src/rules/calls/tools-used.js';
import { type ProjectFiles, workflow } from '../../../fixtures/project-folder.js';
import { lowLevel, resolved, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

const FILES: ProjectFiles = {
  ...SCRIPT_FILE,
  ...lowLevel('a.op', SCRIPT),
  ...lowLevel('b.op', SCRIPT),
  ...lowLevel('ask.logs', 'implementation: { kind: mcp, mcp: { server: logs, tool: query } }'),
  'registry/config/m.yaml': 'mcp_servers: { logs: { command: node } }\n',
  ...workflow('w', 'steps: [{ id: a, call: a.op }, { id: b, call: b.op }, { id: logs, call: ask.logs }]'),
};

function step(call: string, more: Partial<StepSummary> = {}): StepSummary {
  const id = call.replace('.', '_');
  return { id, path: id, call, status: 'succeeded', attempts: 1, duration_ms: 1, ...more };
}

function usedBy(steps: StepSummary[], plan: Plan = resolved(FILES, 'w').plan, inner: string[] = []) {
  return toolsUsed(plan, { steps, approvals: [] }, inner);
}

describe('R-001-09, R-001-23: the tools a task used', () => {
  test('are those it called, by server and tool, each once and sorted', () => {
    expect(usedBy([step('b.op'), step('ask.logs'), step('b.op', { path: 'x/b' }), step('a.op')])).toEqual({
      called: ['a.op', 'ask.logs', 'b.op'],
      tools_used: ['logs:query', 'shell:a.op', 'shell:b.op'],
      outside_whitelist: [],
    });
  });

  test('exclude those that were skipped, denied or never reached', () => {
    const steps = [
      step('a.op', { status: 'skipped', attempts: 0 }),
      step('b.op', { status: 'denied', attempts: 1 }),
      step('ask.logs', { status: 'failed', attempts: 0 }),
    ];
    expect(usedBy(steps).tools_used).toEqual([]);
  });

  test('include those whose outcome is unknown, that timed out, or that were cancelled while running', () => {
    const steps = [
      step('a.op', { status: 'unknown', attempts: 0 }),
      step('b.op', { status: 'timed_out', attempts: 0, error: { code: 'timeout.call', message: '' } }),
      step('ask.logs', { status: 'cancelled', attempts: 0 }),
    ];
    expect(usedBy(steps).called).toEqual(['a.op', 'ask.logs', 'b.op']);
    const late = step('a.op', { status: 'timed_out', attempts: 0, error: { code: 'timeout.task', message: '' } });
    expect(usedBy([late]).called).toEqual([]);
  });

  test('exclude those that wait, whatever their attempts, and those that were skipped after an attempt', () => {
    const steps = [
      step('a.op', { status: 'pending', attempts: 1 }),
      step('b.op', { status: 'skipped', attempts: 1 }),
      step('ask.logs', { status: 'denied', attempts: 0 }),
    ];
    expect(usedBy(steps).called).toEqual([]);
  });

  test('exclude those that were cancelled while an approval was open or refused', () => {
    const steps = [
      step('a.op', { status: 'cancelled', attempts: 0 }),
      step('b.op', { status: 'cancelled', attempts: 0 }),
    ];
    const approvals = [
      { path: 'a_op', status: 'cancelled' },
      { path: 'b_op', status: 'approved' },
    ] as TaskResult['approvals'];
    const { plan } = resolved(FILES, 'w');
    expect(toolsUsed(plan, { steps, approvals }).called).toEqual(['b.op']);
  });

  test('include those of the tasks it called', () => {
    expect(usedBy([step('a.op')], undefined, ['http:x', 'shell:a.op']).tools_used).toEqual(['http:x', 'shell:a.op']);
  });
});

describe('R-000-38: what was called is compared with the whitelist', () => {
  const listed = (operations: string): Plan =>
    resolved({ ...FILES, ...workflow('w', `operations: [${operations}]\nsteps: [{ id: a, call: a.op }]`) }, 'w').plan;

  test('as the definition lists it', () => {
    expect(usedBy([step('a.op'), step('b.op')], listed('a.op')).outside_whitelist).toEqual(['b.op']);
    expect(usedBy([step('a.op'), step('b.op')], listed('a.op, b.op')).outside_whitelist).toEqual([]);
  });

  test('as its steps name it if there is no list', () => {
    expect(usedBy([step('a.op'), step('unknown.op')]).outside_whitelist).toEqual(['unknown.op']);
  });

  test('a low-level ability may call only itself', () => {
    const { plan } = resolved(FILES, 'a.op');
    expect(usedBy([step('a.op'), step('b.op')], plan).outside_whitelist).toEqual(['b.op']);
  });
});
