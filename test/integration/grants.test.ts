import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, openApprovals } from '../../src/client/index.js';
import type { Grant } from '../../src/contracts/approvals.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

const each = (more: string) => `
input_schema: { type: object, properties: { hosts: { type: array } } }
steps:
  - id: hosts
    foreach: "input.hosts"
    as: host
    ${more}
    steps: [{ id: restart, call: host.restart, with: { host: "\${{ host }}" } }]`;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile(
      '\n  dev: { approve: [destructive] }\n  prod: { protected: true, approve: [destructive], self_approval: true }',
    ),
    ...operation('host.restart', 'appendFileSync("restarted", input.host + "\\n"); return 1;', {
      effects: 'destructive',
    }),
    ...workflow('rollout', each('')),
    ...workflow('rollout.wide', each('max_parallel: 5')),
  });
});
afterAll(() => project.stop());

const hosts = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}-${at + 1}`);
const restarted = (name: string) => {
  const file = join(project.root, 'restarted');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.filter((line) => line.startsWith(`${name}-`)).length;
};
const asked = async (key: string, count = 1) => {
  await expect.poll(async () => (await openApprovals(project.connection, key)).length, { timeout: 20_000 }).toBe(count);
  return openApprovals(project.connection, key);
};
const approve = async (key: string, grant?: Grant) => {
  const [first] = await asked(key);
  return decide(project.connection, key, 'approve', {
    by: 'alice',
    approval_id: first?.id as string,
    ...(grant && { grant }),
  });
};

describe('one yes for what is alike', () => {
  test('serves the further calls of its task, each counted and recorded', async () => {
    const { id } = await project.create('rollout', { hosts: hosts(6, 'a') });
    await approve(id, { for: 'task', up_to: 5 });
    const [sixth] = await asked(id);
    expect(sixth?.path).toBe('hosts/5/restart');
    expect(restarted('a')).toBe(5);
    await approve(id);
    const end = await project.wait(id);
    if (end.kind !== 'ended') throw new Error(end.kind);
    const { approvals, status, warnings } = end.result;
    expect([status, warnings]).toEqual(['succeeded', []]);
    const [first] = approvals;
    expect(first).toMatchObject({ grants: ['task'], grant_id: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(approvals.map(({ granted }) => granted?.use)).toEqual([undefined, 2, 3, 4, 5, undefined]);
    expect(approvals[1]).toMatchObject({
      status: 'approved',
      decisions: [],
      granted: { by: first?.grant_id, task_key: id, approval_id: first?.id, of: 5 },
    });
  });
});
