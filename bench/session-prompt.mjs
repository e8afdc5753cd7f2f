// How long a prompt of a session takes through the client library, with ten hooks that are expressions. Run after
// `npm run build`: node bench/session-prompt.mjs [prompts]. The project and its runtime are made for it, and removed.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, promptSession, startSession, stopSession } from '../dist/client/index.js';
import { stopRuntime } from '../dist/server/stop-runtime.js';

const prompts = Number(process.argv[2] ?? 200);
const root = mkdtempSync(join(tmpdir(), 'session-prompt-'));
const hooks = Array.from({ length: 10 }, (_, n) => {
  const deny_if = `input.prompt.contains('word ${n}') && environment.name == 'dev' && input.turn_index > 0`;
  return `  - { id: h${n}, blocking: true, handler: { expression: { deny_if: "${deny_if}", reason: Hook ${n}. } } }`;
});
mkdirSync(join(root, 'registry/hooks'), { recursive: true });
writeFileSync(join(root, 'ability.yaml'), 'format: 1\nproject: session-prompt\nenvironments: { dev: {} }\n');
writeFileSync(join(root, 'registry/hooks/PromptSubmit.yaml'), `hooks:\n${hooks.join('\n')}\n`);
const user = { name: 'bench', source: 'claimed' };
const connection = await connect({ root, project: 'session-prompt' });
try {
  const { session_id } = await startSession(connection, { environment: 'dev', scope: 'integration', user });
  const took = [];
  for (let turn = 0; turn < prompts + 20; turn += 1) {
    const began = performance.now();
    const { hook_signals } = await promptSession(connection, session_id, `word ${turn % 10}`, user);
    if (hook_signals.risk_alerts.length !== 1) throw new Error('a hook did not answer');
    if (turn >= 20) took.push(performance.now() - began);
  }
  took.sort((a, b) => a - b);
  const at = (share) => `${took[Math.floor(took.length * share)].toFixed(1)} ms`;
  console.log(`${prompts} prompts, ten expression hooks: p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}`);
  await stopSession(connection, session_id);
} finally {
  await connection.close();
  await stopRuntime(connection.paths);
  rmSync(root, { recursive: true, force: true });
}
