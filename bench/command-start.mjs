// What commands cost as whole processes beside `node -e 0`, in turns with it, while the runtime of a project is up: through its socket and
// without it. Run after `npm run build`: node bench/command-start.mjs [turns]. It exits with 1 where `run` of a workflow that calls nothing
// is above the limit. The project and its runtime are made for it, and removed.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Times of a bare Node. Source: issue 13, 3. */
const LIMIT = 4;
const COMMAND = fileURLToPath(new URL('../dist/command/bin.js', import.meta.url));
const turns = Number(process.argv[2] ?? 11);
const root = mkdtempSync(join(tmpdir(), 'command-start-'));
mkdirSync(join(root, 'registry/high-level'), { recursive: true });
writeFileSync(join(root, 'ability.yaml'), 'format: 1\nproject: command-start\nenvironments: { dev: {} }\n');
writeFileSync(
  join(root, 'registry/high-level/nothing.yaml'),
  'id: nothing\ntype: workflow\nversion: 1\nsummary: Call nothing.\nsteps: [{ id: one, let: { n: 1 } }]\n',
);

function start(args, env = {}) {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - began;
}

const median = (took) => [...took].sort((a, b) => a - b)[Math.floor(took.length / 2)];
const withoutSocket = { ABILITY_SOCKET: 'off' };
const measured = {
  'node -e 0': () => start(['-e', '0']),
  run: () => start([COMMAND, 'run', 'nothing', '--json']),
  'run, without the socket': () => start([COMMAND, 'run', 'nothing', '--json'], withoutSocket),
  'task list': () => start([COMMAND, 'task', 'list', '--json']),
  'task list, without the socket': () => start([COMMAND, 'task', 'list', '--json'], withoutSocket),
};

try {
  start([COMMAND, 'up', '--detach']);
  const took = Object.fromEntries(Object.keys(measured).map((name) => [name, []]));
  // The first one of each loads what stands behind the door.
  for (const measure of Object.values(measured)) measure();
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [name, measure] of Object.entries(measured)) took[name].push(measure());
  }
  const bare = median(took['node -e 0']);
  for (const [name, times] of Object.entries(took)) {
    console.log(`${name.padEnd(32)} ${median(times).toFixed(0).padStart(5)} ms  ${(median(times) / bare).toFixed(2)}`);
  }
  if (median(took.run) / bare > LIMIT) {
    console.error(`run is above ${LIMIT} x a bare Node`);
    process.exitCode = 1;
  }
} finally {
  spawnSync(process.execPath, [COMMAND, 'down'], { cwd: root });
  rmSync(root, { recursive: true, force: true });
}
