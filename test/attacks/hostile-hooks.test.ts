import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWhole, LONG, LONGER } from '../fixtures/extent.js';
import { operation, projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

/** Marks the processes that hooks of this file start, so that a survivor can be found. */
const MARK = `hostile-${process.pid}`;
const ALLOW = '{"guard_decision":"allow"}';

/** What a hostile hook does, in CommonJS. */
const HOSTILE: Record<string, string> = {
  hangs: 'setInterval(() => {}, 1000);',
  crashes: `console.log('${ALLOW}'); process.kill(process.pid, 'SIGKILL');`,
  garbage: 'process.stdout.write(Buffer.from([0, 255, 254, 1, 2, 3]));',
  half_json: `process.stdout.write('${ALLOW.slice(0, -2)}');`,
  floods:
    "const part = 'x'.repeat(1024 * 1024); for (let at = 0; at < 100; at += 1) require('node:fs').writeSync(1, part);",
  grandchild_keeps_stdout: `
    require('node:child_process').spawn('sleep', ['300'], { detached: true, stdio: 'inherit', argv0: '${MARK}' }).unref();
    setInterval(() => {}, 1000);`,
  proto: `console.log('{"guard_decision":"allow","hook_signals":{"__proto__":{"ok":true}}}');`,
  unknown_decision: `console.log('{"guard_decision":"maybe"}');`,
  contradicts: `console.log('${ALLOW}'); process.exitCode = 2;`,
  unknown_key: `console.log('{"guard_decision":"allow","guard_decison":"deny"}');`,
};
const NAMES = Object.keys(HOSTILE);
const TIMEOUT_MS = 2000;

let project: RunningProject;
const effect = () => join(project.root, 'effect');
const hooks = () =>
  JSON.stringify({
    hooks: NAMES.map((id) => ({
      id,
      handler: { script: { path: `hooks/${id}.cjs`, timeout_sec: TIMEOUT_MS / 1000 } },
    })),
  });
const bound = (phase: string, list: string) =>
  NAMES.map((id) =>
    operation(`${phase}.${id}`, "writeFileSync('effect', '')", { yaml: `hooks: { ${list}: [${id}] }` }),
  );

beforeAll(async () => {
  project = await runProject(
    Object.assign(
      {
        'ability.yaml': projectFile(),
        'registry/hooks/PreAbilityCreate.yaml': hooks(),
        'registry/hooks/PreAbilityCall.yaml': hooks(),
        'registry/hooks/PostAbilityCall.yaml': hooks(),
      },
      ...NAMES.map((id) => ({ [`hooks/${id}.cjs`]: HOSTILE[id] ?? '' })),
      ...bound('create', 'pre_create'),
      ...bound('call', 'pre_call'),
      ...bound('after', 'post_call'),
    ),
  );
}, 120_000);
afterAll(async () => {
  await project?.stop();
  expect(survivors()).toEqual([]);
});

/** The processes that a hook started and that are still running. */
function survivors(): string[] {
  const all = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n');
  return all.filter(
    (line) => line.includes(MARK) || NAMES.some((id) => line.includes(`${project.root}`) && line.includes(`${id}.cjs`)),
  );
}

describe('R-002-23, C-08: a hostile hook before a task or a call is a deny with hook.failed', () => {
  test.each(NAMES)('%s, before the call', async (id) => {
    rmSync(effect(), { force: true });
    const { status, error, hooks: answers } = await project.run(`call.${id}`);
    expect([status, error?.code]).toEqual(['denied', 'hook.failed']);
    expect(answers).toMatchObject([{ hook_id: id, status: 'error', decision: 'deny' }]);
    expect(answers[0]?.duration_ms).toBeLessThan(TIMEOUT_MS + 1000);
    expect(existsSync(effect())).toBe(false);
    expect(survivors()).toEqual([]);
  });

  test.each(NAMES)('%s, before the task is created', LONG, async (id) => {
    await expect(project.create(`create.${id}`)).rejects.toMatchObject({ code: 'hook.failed' });
    expect(survivors()).toEqual([]);
  });
});

describe('R-002-27: a hostile hook after the call is logged, and changes nothing', () => {
  test.each(isWhole('LONG') ? NAMES : NAMES.slice(0, 3))('%s', LONGER, async (id) => {
    const { status, hooks: answers, warnings } = await project.run(`after.${id}`);
    expect(status).toBe('succeeded');
    expect(answers).toMatchObject([{ hook_id: id, decision: 'allow' }]);
    expect(warnings.join()).toContain(id);
    expect(survivors()).toEqual([]);
  });
});
