import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ability } from '../fixtures/called-command.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, type ProjectFolder, projectFile, shellOperation } from '../fixtures/project-folder.js';

let project: ProjectFolder;

beforeAll(() => {
  const unknown = `unknown: { call: pay.find, happened: output.said == "done", not_happened: output.said == "absent", output: { paid: true }, wait: 100ms, attempts: 2 }`;
  project = makeProject({
    'ability.yaml': projectFile(),
    ...shellOperation('pay.make', 'kill -9 $$', { effects: 'destructive', yaml: unknown }),
    ...shellOperation('pay.find', 'printf \'{"said":"%s"}\' "$(cat "$1")"', {
      args: ['"said"'],
      output: 'json',
    }),
    said: 'pending',
  });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const run = (...args: string[]) => ability(args, { cwd: project.root });

test('a payment in doubt: unknown while nobody can tell, and reconciled once somebody can', LONG, async () => {
  const lost = await run('run', 'pay.make', '--key', 'p');
  expect(lost.exitCode).toBe(8);
  expect(lost.stdout + lost.stderr).toContain('pay.find was asked 2 times and could not tell: {"said":"pending"}');
  const why = await run('why', 'p');
  expect(why.stdout).toContain('ability task reconcile p');
  writeFileSync(join(project.root, 'said'), 'done');
  const settled = await run('task', 'reconcile', 'p');
  expect([settled.exitCode, settled.stderr]).toEqual([0, expect.stringContaining('task p.r2')]);
  expect(settled.stdout).toContain('"paid": true');
  const show = await run('task', 'show', 'p.r2');
  expect(show.stdout).toMatch(/run\.unknown/);
});
