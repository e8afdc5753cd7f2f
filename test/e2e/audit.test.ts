import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuditEvent } from '../../src/contracts/audit.js';
import { auditObject } from '../../src/server/audit/audit-chain.js';
import { AuditLog } from '../../src/server/audit/audit-log.js';
import { FolderStore } from '../../src/server/store/folder-store.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';

let project: ProjectFolder;
let name: string;
beforeEach(async () => {
  const file = projectFile('{ dev: {} }', 'audit: true');
  [, name] = /^project: (.*)$/m.exec(file) as unknown as [string, string];
  project = makeProject({ 'ability.yaml': file, ...operation('util.echo', 'return input;') });
  const log = new AuditLog(new FolderStore(join(project.root, '.system/store')), name);
  const event = (at: number, by: string): AuditEvent => {
    const fixed = { time: '2026-11-30T00:00:00.000Z', task: `t-${at}`, result: 'approve' };
    return { kind: 'decision', event: `run/${at}`, by, ...fixed };
  };
  for (const [at, by] of ['=HYPERLINK("http://x")', ' +1', 'ada, the "first"'].entries())
    await log.append(event(at, by));
});
afterEach(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const here = (...args: string[]) => ability(['audit', ...args], { cwd: project.root });
const headOf = async (): Promise<string> =>
  (await abilityJson(['audit', 'verify'], { cwd: project.root })).json.head.hash;

describe('ability audit', { timeout: 60_000 }, () => {
  test('export writes no cell that a spreadsheet takes for a formula', async () => {
    const { stdout, exitCode } = await here('export', '--format', 'csv');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(stdout).toContain(`"' +1"`);
    expect(stdout).toContain(`"ada, the ""first"""`);
    expect(stdout).not.toMatch(/(?:^|,)"\s*[=+@-]/m);
  });

  test(
    'verify finds removed last lines by a hash that was kept, or by the last that this machine wrote',
    LONG,
    async () => {
      const head = await headOf();
      const store = join(project.root, '.system/store');
      expect((await here('verify', '--head', head)).exitCode).toBe(0);
      rmSync(join(store, auditObject(name, 3)));
      expect((await here('verify')).exitCode).toBe(0);
      const removed = await here('verify', '--head', head);
      expect([removed.exitCode, removed.stderr]).toEqual([
        1,
        expect.stringContaining(`--head: no line has the hash ${head}`),
      ]);
      writeFileSync(join(project.root, '.system/audit-head.json'), JSON.stringify({ seq: 3, hash: head }));
      const own = await here('verify');
      expect([own.exitCode, own.stderr]).toEqual([
        1,
        expect.stringMatching(/the last line that this machine has written/),
      ]);
    },
  );

  test('what a task does is appended, and a change of it is found', async () => {
    const before = await headOf();
    await ability(['run', 'util.echo', '--key', 'seen'], { cwd: project.root });
    const { json } = await abilityJson(['audit', 'export', '--task', 'seen'], { cwd: project.root });
    expect(json.map(({ kind }: { kind: string }) => kind)).toEqual(['created', 'effect', 'ended']);
    expect(json[0].prev).toBe(before);
    writeFileSync(join(project.root, '.system/store', auditObject(name, 2)), '{}\n');
    const { exitCode, stderr } = await here('export', '--since', '1h');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(auditObject(name, 2))]);
  });
});
