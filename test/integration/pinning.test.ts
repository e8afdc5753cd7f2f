import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decide, listTasks } from '../../src/client/index.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const ABILITIES = 10;
const EACH = 5;

let project: RunningProject;

beforeAll(async () => {
  const files = Array.from({ length: ABILITIES }, (_, n) => ({
    ...operation(`op.n${n}`, `return { text: "as shown ${n}" };`),
    ...workflow(
      `flow${n}`,
      `steps: [{ id: ask, approval: { title: Go on? } }, { id: a, call: op.n${n}, with: {} }]\noutput: "\${{ steps.a.output.text }}"`,
    ),
  }));
  project = await runProject(Object.assign({ 'ability.yaml': projectFile() }, ...files));
});
afterAll(() => project.stop());

test('tasks in flight finish as they were created, whatever happens to their definitions and scripts', async () => {
  const tasks: { id: string; n: number }[] = [];
  for (let n = 0; n < ABILITIES; n += 1) {
    const created = await Promise.all(Array.from({ length: EACH }, () => project.create(`flow${n}`)));
    tasks.push(...created.map(({ id }) => ({ id, n })));
  }
  for (const { id } of tasks) expect(await project.wait(id, { approvalMs: 0 })).toMatchObject({ kind: 'approval' });
  for (const folder of ['registry/low-level', 'registry/high-level', 'scripts']) {
    for (const [index, name] of readdirSync(join(project.root, folder)).entries()) {
      const file = join(project.root, folder, name);
      if (index % 3 === 0) rmSync(file);
      else if (index % 3 === 1) renameSync(file, `${file}.old`);
      else writeFileSync(file, 'this: [is nothing');
    }
  }
  await project.restartWorkers();
  for (const { id } of tasks) await decide(project.connection, id, 'approve', { by: 'tester' });
  for (const { id, n } of tasks) {
    expect(await project.wait(id)).toMatchObject({ result: { status: 'succeeded', output: `as shown ${n}` } });
  }
});

test('many callers with few keys create one task per key, and each caller gets the task of its key', async () => {
  project.write({
    ...operation('op.keyed', 'return { n: input.n };'),
    ...workflow(
      'keyed',
      'steps: [{ id: a, call: op.keyed, with: { n: "${{ input.n }}" } }]\noutput: "${{ steps.a.output.n }}"',
    ),
  });
  const keys = 50;
  const callers = 100;
  const created = await Promise.all(
    Array.from({ length: callers }, (_, index) => {
      const n = index % keys;
      return project.create('keyed', { n }, { key: `many-${n}` });
    }),
  );
  expect(created.map(({ id }) => id)).toEqual(Array.from({ length: callers }, (_, index) => `many-${index % keys}`));
  for (let n = 0; n < keys; n += 1) expect(await project.wait(`many-${n}`)).toMatchObject({ result: { output: n } });
  await expect
    .poll(async () => (await listTasks(project.connection, { ability: 'keyed', limit: 100 })).length, {
      timeout: 20_000,
    })
    .toBe(keys);
});
