// How long a prompt of a session takes through the client library, with ten hooks that are expressions, beside an update
// that does nothing, and how many events it is. Run after `npm run build`: node bench/session-prompt.mjs [prompts]. The
// project and its runtime are made for it, and removed.
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { connect, promptSession, startSession, stopSession } from '../build/client/index.js';
import { sessionIdOf } from '../build/contracts/names.js';
import { stopRuntime } from '../build/server/runtime/stop-runtime.js';

const WARM_UP = 20;
const PROJECT = 'session-prompt';
const prompts = Number(process.argv[2] ?? 200);
const root = mkdtempSync(join(tmpdir(), 'session-prompt-'));
const hooks = Array.from({ length: 10 }, (_, n) => {
  const deny_if = `input.prompt.contains('word ${n}') && environment.name == 'dev' && input.turn_index > 0`;
  return `  - { id: h${n}, blocking: true, handler: { expression: { deny_if: "${deny_if}", reason: Hook ${n}. } } }`;
});
mkdirSync(join(root, 'registry/hooks'), { recursive: true });
writeFileSync(join(root, 'ability.yaml'), `format: 1\nproject: ${PROJECT}\nenvironments: { dev: {} }\n`);
writeFileSync(join(root, 'registry/hooks/PromptSubmit.yaml'), `hooks:\n${hooks.join('\n')}\n`);
const user = { name: 'bench', source: 'claimed' };
const connection = await connect({ root, project: PROJECT });

/** The middle of what was measured, and how far the slow ones are from it. */
function shares(took) {
  const sorted = [...took].sort((a, b) => a - b);
  const at = (share) => sorted[Math.floor(sorted.length * share)];
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}

async function timed(action) {
  const began = performance.now();
  await action();
  return performance.now() - began;
}

/** Serves the workflow that does nothing, while an action asks it. */
async function besideNoop(action) {
  const native = await NativeConnection.connect({ address: connection.address });
  const taskQueue = `noop-${randomUUID()}`;
  const workflowsPath = fileURLToPath(new URL('noop-workflow.mjs', import.meta.url));
  const worker = await Worker.create({ connection: native, taskQueue, workflowsPath });
  await worker.runUntil(async () => {
    const handle = await connection.temporal.workflow.start('noop', { taskQueue, workflowId: taskQueue });
    await action(() => handle.executeUpdate('nothing'));
    await handle.executeUpdate('end');
    await handle.result();
  });
  await native.close();
}

try {
  const { session_id } = await startSession(connection, { environment: 'dev', scope: 'integration', user });
  const took = { prompt: [], nothing: [] };
  await besideNoop(async (doNothing) => {
    for (let turn = 0; turn < prompts + WARM_UP; turn += 1) {
      const prompt = await timed(async () => {
        const { hook_signals } = await promptSession(connection, session_id, `word ${turn % 10}`, user);
        if (hook_signals.risk_alerts.length !== 1) throw new Error('a hook did not answer');
      });
      const nothing = await timed(doNothing);
      if (turn < WARM_UP) continue;
      took.prompt.push(prompt);
      took.nothing.push(nothing);
    }
  });
  const handle = connection.temporal.workflow.getHandle(sessionIdOf(PROJECT, session_id));
  const { events } = await handle.fetchHistory();
  const [prompt, nothing] = [shares(took.prompt), shares(took.nothing)];
  for (const [name, { p50, p90, p99 }] of Object.entries({ prompt, nothing })) {
    console.log(`${name}: p50 ${p50.toFixed(1)} ms, p90 ${p90.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  }
  console.log(
    `${prompts} prompts with ten expression hooks: ${(prompt.p50 / nothing.p50).toFixed(2)} x an update that does nothing`,
  );
  console.log(`${(events.length / (prompts + WARM_UP)).toFixed(1)} events a prompt`);
  await stopSession(connection, session_id);
} finally {
  await connection.close();
  await stopRuntime(connection.paths);
  rmSync(root, { recursive: true, force: true });
}
