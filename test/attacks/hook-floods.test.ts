import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { scriptAbility } from '../fixtures/servers/definitions.js';
import { times, WHOLE } from './extent.js';

const MIB = 1024 * 1024;

describe('100 MB of output cost a worker less than 64 MB', () => {
  /** A separate process with the built code; it reports by how much its memory grew. */
  const WORKER = `
import { CallLog } from '${built('activities/call/call-log.js')}';
import { createAnswerScript } from '${built('activities/hooks/script-handler.js')}';
import { runProcess } from '${built('activities/processes/run-process.js')}';
import { RunningGroups } from '${built('worker/running-groups.js')}';
import { readdirSync, statSync } from 'node:fs';
const [, , folder, kind, flood] = process.argv;
const groups = new RunningGroups(folder + '/running');
const source = { resolve: () => 'a-secret-of-some-length', inherited: (name) => process.env[name] };
const secrets = () => ({ read: async () => source });
const env = { pass: ['PATH'], set: {}, secrets: kind === 'hook' ? { TOKEN: 'env:TOKEN' } : {} };
const signal = new AbortController().signal;
const plan = { ability: { id: 'flooded' }, environment: { name: 'dev', protected: false, vars: {} } };
const scripts = { find: async ({ path }) => ({ file: path, pinned: folder, names: {} }) };
const answer = createAnswerScript({ root: folder, groups, secrets, scripts });
const hook = (code, phase = 'PreAbilityCall') => answer(
  'flood',
  { timeout_ms: 60_000, script: { path: code, interpreter: ['node', '-e'], args: [], env } },
  { environment: { name: 'dev' } },
  { phase, path: 'step', signal, logs: { folder: folder + '/logs', share: () => undefined }, plan, input: {}, task: 'T' },
);
const script = async (code) => {
  const log = new CallLog(folder + '/logs', 'step', 1);
  const request = { command: 'node', args: ['-e', code], cwd: folder, env: { PATH: process.env.PATH }, signal, log };
  await runProcess({ ...request, timeoutMs: 60_000 }, groups);
  log.save();
  log.tailOf('stderr');
};
const run = kind === 'hook' ? hook : script;
await run('console.log("{}")');
globalThis.gc();
const before = process.memoryUsage().rss;
let most = 0;
const look = () => { most = Math.max(most, process.memoryUsage().rss - before); };
const clock = setInterval(look, 5);
await run(flood);
look();
clearInterval(clock);
const logs = readdirSync(folder + '/logs', { recursive: true }).map((name) => statSync(folder + '/logs/' + name).size);
process.send({ most, logged: Math.max(...logs) });
`;

  function built(file: string): string {
    return new URL(`../../build/${file}`, import.meta.url).href;
  }

  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ability-test-flood-'));
    writeFileSync(join(folder, 'worker.mjs'), WORKER);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Code that writes `size` bytes of repeated `piece` to a stream, and retries while the reader is behind. */
  const write = (stream: 'stdout' | 'stderr', piece: string, size = 100e6) =>
    `const { writeSync } = require('node:fs'); const piece = ${piece};
     const buffer = Buffer.from(piece.repeat(Math.max(1, Math.floor(65536 / piece.length))));
     for (let left = ${size}; left > 0; ) {
       try { left -= writeSync(${stream === 'stdout' ? 1 : 2}, buffer); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
     }`;

  const FLOODS: [string, string, string][] = [
    ['hook', 'one line without an end on stdout', write('stdout', "'x'")],
    ['hook', 'long lines on stderr', write('stderr', "'x'.repeat(60000) + '\\n'")],
    ...(WHOLE
      ? ([
          ['script', 'very long lines', write('stdout', "'x'.repeat(200000) + '\\n'")],
          ['hook', 'empty lines on stderr', write('stderr', "'\\n'")],
          ['hook', 'one line without an end on stderr', write('stderr', "'x'")],
          ['script', 'short lines', write('stdout', "'a line of a log\\n'")],
          ['script', 'characters outside of ASCII', write('stdout', "'\\u{1F600}\\n'.repeat(3)")],
          ['script', 'empty lines', write('stdout', "'\\n'")],
        ] as [string, string, string][])
      : []),
  ];

  test.each(FLOODS)('a %s that prints %s', async (kind, _, flood) => {
    const own = mkdtempSync(join(folder, 'flood-'));
    const worker = fork(join(folder, 'worker.mjs'), [own, kind, flood], { execArgv: ['--expose-gc'] });
    const [{ most, logged }] = (await once(worker, 'message')) as [{ most: number; logged: number }];
    worker.disconnect();
    // Some of the output was stored, so the flood took place.
    expect(logged / MIB).toBeGreaterThan(0.25);
    expect(most / MIB).toBeLessThan(64);
  });
});

describe('a guard without an answer denies within a second after its time-out', () => {
  const GUARDS: Record<string, string> = {
    leaves_the_pipe: `
      require('node:child_process').spawn('sleep', ['300'], { detached: true, stdio: 'inherit', env: {} });
      setInterval(() => {}, 1000);`,
    says_yes_and_hangs: `console.log('{"guard_decision":"allow"}'); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`,
    allows_when_asked_to_end: `process.on('SIGTERM', () => { console.log('{"guard_decision":"allow"}'); process.exit(0); }); setInterval(() => {}, 1000);`,
    ...(WHOLE && {
      ignores_sigterm: "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);",
      closes_stdout: "require('node:fs').closeSync(1); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);",
      writes_without_end:
        "process.on('SIGTERM', () => {}); for (;;) { try { require('node:fs').writeSync(1, 'x'.repeat(65536)); } catch {} }",
    }),
  };
  /** More than a pipe holds, and never read. */
  const INPUT = { text: 'x'.repeat(times(200_000, 5_000_000)) };
  /** A busy machine may be late once; a guard that is waited for in vain is late every time. */
  const MOST_TRIES = 3;

  let project: RunningProject;
  beforeAll(async () => {
    const ids = Object.keys(GUARDS);
    const hooks = ids.map((id) => ({ id, handler: { script: { path: `hooks/${id}.cjs`, timeout_sec: 1 } } }));
    const abilities = ids.map((id) =>
      scriptAbility(
        `x.${id}`,
        'scripts/effect.mjs',
        "import { writeFileSync } from 'node:fs'; writeFileSync('effect', '');",
        {
          script: { args: [] },
          more: { effects: 'destructive', hooks: { pre_call: [id] } },
        },
      ),
    );
    project = await runProject({
      'registry/hooks/PreAbilityCall.yaml': JSON.stringify({ hooks }),
      ...Object.fromEntries(ids.map((id) => [`hooks/${id}.cjs`, GUARDS[id] ?? ''])),
      ...Object.assign({}, ...abilities),
    });
  });
  afterAll(() => project.stop());

  test.concurrent.each(Object.keys(GUARDS))('%s', async (id) => {
    const took: number[] = [];
    while (took.length < MOST_TRIES && (took.at(-1) ?? Infinity) >= 2000) {
      const result = await project.run(`x.${id}`, id === 'allows_when_asked_to_end' ? {} : INPUT);
      expect(result).toMatchObject({ status: 'denied', error: { code: 'hook.failed' } });
      expect(result.error?.message).toMatch(/took longer than 1000 ms/);
      took.push(result.hooks[0]?.duration_ms ?? Infinity);
    }
    expect(Math.min(...took)).toBeLessThan(2000);
    expect(existsSync(join(project.root, 'effect'))).toBe(false);
  });
});
