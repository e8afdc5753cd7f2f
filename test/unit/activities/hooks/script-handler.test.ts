import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventOf, type HookRun } from '../../../../src/activities/hooks/hook-context.js';
import { createAnswerScript } from '../../../../src/activities/hooks/script-handler.js';
import type { PlanHandler, PlanScript } from '../../../../src/contracts/plan.js';
import { hookDependenciesOf } from '../../../../src/worker/prove-guards.js';
import { makeProject, type ProjectFolder } from '../../../fixtures/project-folder.js';
import { pinnedFile } from '../pinned-file.js';
import { traced } from '../traced.js';
import { sessionRun, taskRun } from './example-run.js';

/** Echoes what it received, or does what its first argument requests. */
const CODE = `
const { readFileSync } = require('node:fs');
const [what, value] = process.argv.slice(2);
const does = {
  echo: () => console.log(JSON.stringify({ guard_decision: 'allow', infra: {
    event: JSON.parse(readFileSync(0, 'utf8')),
    argument: value ?? null,
    names: Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(ABILITY_HOOK|ABILITY_ENV|TRACEPARENT|TOKEN)/.test(name))),
  } })),
  print: () => process.stdout.write(value ?? ''),
  secret: () => console.log(JSON.stringify({ guard_decision: 'deny', reason: 'not ' + process.env.TOKEN })),
  twice: () => console.log('{"guard_decision":"deny","' + process.env.TOKEN + '":1,"' + process.env.TOKEN + '":2}'),
  fail: () => { console.error('It broke'); process.exitCode = 3; },
  quiet: () => { process.exitCode = 4; },
  kill: () => process.kill(process.pid, 'SIGTERM'),
  hang: () => setInterval(() => {}, 1000),
  long: () => process.stdout.write('{"guard_decision":"allow","reason":"' + 'x'.repeat(Number(value)) + '"}'),
};
does[what]();`;

let project: ProjectFolder;
let dependencies: ReturnType<typeof hookDependenciesOf>;
beforeAll(() => {
  project = makeProject({ 'guards/any.cjs': CODE });
  dependencies = hookDependenciesOf(project.root, { ...process.env, TOKEN: 'hunter2-hunter2' });
});
afterAll(() => {
  dependencies.groups.close();
  project.remove();
});

interface AskOptions {
  run?: HookRun;
  script?: Partial<PlanScript>;
  timeoutMs?: number;
}

function ask(args: string[], { run = taskRun(), script = {}, timeoutMs = 20_000 }: AskOptions = {}) {
  const planned: PlanScript = {
    ...pinnedFile('guards/any.cjs', CODE),
    files: [],
    interpreter: ['node'],
    args,
    env: { pass: [], set: {}, secrets: { TOKEN: 'env:TOKEN' } },
    ...script,
  };
  const handler: Extract<PlanHandler, { kind: 'script' }> = { kind: 'script', script: planned, timeout_ms: timeoutMs };
  return createAnswerScript(dependencies)('guard', handler, eventOf(run), run);
}

describe('a script that answers a hook', () => {
  test('receives the event on stdin, and its id and the environment as variables', async () => {
    const answer = await ask(['echo']);
    expect(answer).toMatchObject({ hook_id: 'guard', phase: 'PreAbilityCall', path: 'a', decision: 'allow' });
    const { event, names } = answer.infra as { event: object; names: object };
    expect(event).toEqual(eventOf(taskRun()));
    expect(names).toEqual({ ABILITY_HOOK_ID: 'guard', ABILITY_ENVIRONMENT: 'staging', TOKEN: '***' });
  });

  test.each<[string, HookRun, string]>([
    [
      'input of the call',
      taskRun(),
      '${{ input.n }}/${{ environment.vars.region }}/${{ task.key }}/${{ task.ability }}',
    ],
    [
      'payload of the session',
      sessionRun(),
      '${{ input.turn_index }}/${{ environment.vars.region }}/${{ task == null }}',
    ],
  ])('can use the %s in its arguments', async (_, run, text) => {
    const { infra } = await ask([], { run, script: { args: ['echo', { value: text }] } });
    expect(infra?.['argument']).toBe('plan' in run ? '1/eu/t-1/signup' : '3/eu/true');
  });

  test('can refer to its own copy', async () => {
    const { infra } = await ask(['echo', '{pinned}']);
    expect(infra?.['argument']).toContain(join(project.root, '.system/pinned/'));
  });

  test('has the trace of the hook, or else that of the request', async () => {
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const run = taskRun({ trace });
    expect((await ask(['echo'], { run })).infra).toMatchObject({ names: { TRACEPARENT: trace } });
    const { given } = await traced(() => ask(['echo'], { run }));
    const { TRACEPARENT } = (given.infra as { names: Record<string, string> }).names;
    expect(TRACEPARENT).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(TRACEPARENT).not.toBe(trace);
  });

  test('does not reveal secrets', async () => {
    expect(await ask(['secret'])).toMatchObject({ decision: 'deny', reason: 'not ***' });
  });

  test('with a duplicate key counts as failed, and does not reveal a secret in it either', async () => {
    const { status, reason } = await ask(['twice']);
    expect(status).toBe('error');
    expect(reason).not.toContain('hunter2');
  });

  test.each<[string, string[], string]>([
    ['prints nothing', ['print'], 'it printed nothing, which is no HookResult'],
    ['prints no JSON', ['print', 'all is well'], 'it printed `all is well`, which is no HookResult'],
    ['prints a prototype key', ['print', '{"__proto__":{},"guard_decision":"allow"}'], 'no HookResult'],
    ['decides nothing', ['print', '{}'], 'decides nothing'],
    ['fails', ['fail'], 'it ended with exit code 3 It broke'],
    ['fails without a message', ['quiet'], 'it ended with exit code 4'],
    ['is killed', ['kill'], 'it was killed by SIGTERM'],
    ['prints more than an answer may have', ['long', String(1024 * 1024)], 'too much for an answer'],
  ])('counts as failed if it %s', async (_, args, reason) => {
    const answer = await ask(args);
    expect(answer).toMatchObject({ status: 'error', decision: 'deny' });
    expect(answer.reason?.replaceAll(/\s+/g, ' ')).toContain(reason);
    if (args[0] === 'quiet') expect(answer.reason).toBe(reason);
  });

  test('may print almost as much as the limit, and no more', async () => {
    const around = '{"guard_decision":"allow","reason":""}'.length;
    expect(await ask(['long', String(1024 * 1024 - around - 1)])).toMatchObject({ status: 'ok', decision: 'allow' });
    expect(await ask(['long', String(1024 * 1024 - around)])).toMatchObject({ status: 'error' });
  });

  test('counts as failed if it takes too long', async () => {
    expect((await ask(['hang'], { timeoutMs: 50 })).reason).toContain('it took longer than 50 ms');
  });

  test('is stopped with its call', async () => {
    const signal = AbortSignal.timeout(300);
    expect((await ask(['hang'], { run: taskRun({ signal }) })).reason).toContain('it was stopped');
  });

  test('counts as failed if it cannot be started', async () => {
    const answer = await ask(['echo'], { script: { interpreter: ['/nowhere/node'] } });
    expect(answer.reason).toContain('it could not be started: ');
  });

  test('leaves its output in the log of its task', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hook-logs-'));
    try {
      await ask(['fail'], { run: taskRun({ logs: { folder, share: () => undefined } }) });
      expect(readFileSync(join(folder, 'hooks/PreAbilityCall.guard.jsonl'), 'utf8')).toContain('It broke');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
