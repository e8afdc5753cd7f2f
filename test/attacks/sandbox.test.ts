import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { box, failureOf, NEEDS_BOX, runScript, type ScriptCall, WHY_NO_BOX } from '../fixtures/boxed-script.js';
import { LONG } from '../fixtures/extent.js';

const ROOT_WORKER = process.getuid?.() === 0;
const PYTHON = '/usr/bin/python3';
/** Of `.env`, of another task, of another process. */
const CANARY = 'canary-b7d1';

let root: string;
let servers: Server[];
let children: ChildProcess[];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ability-test-box-')));
  servers = [];
  children = [];
  for (const [path, text] of Object.entries(PROJECT)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  // Another user runs in the box of a root worker.
  mkdirSync(join(root, 'out'));
  chmodSync(join(root, 'out'), 0o777);
});
afterEach(() => {
  for (const server of servers) server.close();
  for (const child of children) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

const PROJECT = {
  'ability.yaml': 'format: 1\n',
  '.env': `TOKEN=${CANARY}\n`,
  'data/given.txt': 'given\n',
  '.system/keys/seal': CANARY,
  '.system/calls/other/output.json': CANARY,
};

/** A script of Node that prints whether its attack has got out, as JSON. */
function attack(body: string): string {
  const imports = `import fs from 'node:fs'; import net from 'node:net'; import { spawn, spawnSync } from 'node:child_process';`;
  const tools = `const root = process.env.ABILITY_ROOT;
const tries = (act) => { try { return act() } catch { return false } };
const connects = (to) => new Promise((done) => net.connect(to).on('connect', () => done(true)).on('error', () => done(false)));
const has = (file) => tries(() => fs.readFileSync(file, 'utf8').includes('${CANARY}'));`;
  return `${imports}\n${tools}\nconst out = await (async () => { ${body} })();\nconsole.log(JSON.stringify(Boolean(out)));\nprocess.exit(0);\n`;
}

/** The same attack in a box, and without one, where it must succeed. */
async function bothWays(body: string, call: ScriptCall = {}) {
  const { sandbox, limits, ...rest } = call;
  const boxed = await runScript(root, attack(body), { ...rest, ...box(sandbox), ...(limits && { limits }) });
  return { boxed, free: await runScript(root, attack(body), rest) };
}

const OUT_ONLY_WITHOUT = { boxed: false, free: true };

async function listen(where: string | number): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => {}).end('in'));
  servers.push(server);
  await new Promise<void>((resolve) => {
    if (typeof where === 'number') server.listen(where, '127.0.0.1', resolve);
    else server.listen(where, resolve);
  });
  return server;
}

/** A process outside, with the canary in its environment. */
async function victim(): Promise<number> {
  const child = spawn('sleep', ['60'], { env: { PATH: process.env.PATH, VICTIM: CANARY } });
  children.push(child);
  await once(child, 'spawn');
  return child.pid ?? 0;
}

describe.skipIf(WHY_NO_BOX !== undefined)(`a script in a box does not get out by${NEEDS_BOX}`, () => {
  test('the network', async () => {
    const server = await listen(0);
    const { port } = server.address() as { port: number };
    expect(await bothWays(`return connects({ host: '127.0.0.1', port: ${port} });`)).toEqual(OUT_ONLY_WITHOUT);
  });

  test('an abstract socket of the machine', LONG, async () => {
    const name = `ability-test-${process.pid}-${Date.now()}`;
    const listener = `require('node:net').createServer().listen('\\0${name}', () => console.log('up'))`;
    const child = spawn('node', ['-e', listener], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    expect(await bothWays(`return connects({ path: '\\0${name}' });`)).toEqual(OUT_ONLY_WITHOUT);
  });

  test('/proc of other processes', async () => {
    const pid = await victim();
    expect(await bothWays(`return has('/proc/${pid}/environ');`)).toEqual(OUT_ONLY_WITHOUT);
    const any = `return fs.readdirSync('/proc').some((pid) => has('/proc/' + pid + '/environ') || has('/proc/' + pid + '/root/etc/../' + root + '/.env'));`;
    expect(await bothWays(any)).toEqual(OUT_ONLY_WITHOUT);
  });

  test('a socket of the runtime', async () => {
    await listen(join(root, '.system/run.sock'));
    expect(await bothWays(`return connects({ path: root + '/.system/run.sock' });`)).toEqual(OUT_ONLY_WITHOUT);
  });

  test("the project's live files, to read or to change", async () => {
    expect(await bothWays(`return has(root + '/.env') || has(root + '/.system/keys/seal');`)).toEqual(OUT_ONLY_WITHOUT);
    const change = `return tries(() => { fs.writeFileSync(root + '/ability.yaml', 'mine'); return true; });`;
    expect(await bothWays(change)).toEqual(OUT_ONLY_WITHOUT);
    const given = `return tries(() => { fs.writeFileSync(root + '/data/given.txt', 'mine'); return true; });`;
    expect(await bothWays(given, box({ read: ['data'] }))).toEqual(OUT_ONLY_WITHOUT);
  });

  test('its own pinned copy, to change what runs next', LONG, async () => {
    const change = `const file = process.env.ABILITY_PINNED + '/s/main.mjs';
      return tries(() => { fs.chmodSync(file, 0o755); fs.appendFileSync(file, '//'); return true; });`;
    expect(await bothWays(change)).toEqual(OUT_ONLY_WITHOUT);
  });

  test('the files of another task', async () => {
    expect(await bothWays(`return has(root + '/.system/calls/other/output.json');`)).toEqual(OUT_ONLY_WITHOUT);
    const change = `return tries(() => { fs.writeFileSync(root + '/.system/calls/other/output.json', ''); return true; });`;
    expect(await bothWays(change)).toEqual(OUT_ONLY_WITHOUT);
  });

  test('a link in a folder that it has', async () => {
    symlinkSync('../.env', join(root, 'data/env'));
    expect(await bothWays(`return has('data/env');`, box({ read: ['data'] }))).toEqual(OUT_ONLY_WITHOUT);
  });

  test('a link in place of its output', LONG, async () => {
    const content = `import fs from 'node:fs'; fs.symlinkSync(process.env.ABILITY_ROOT + '/secret.json', process.argv[2]);`;
    writeFileSync(join(root, 'secret.json'), JSON.stringify(CANARY));
    const failure = await failureOf(runScript(root, content, { ...box(), args: ['{output_file}'] }));
    expect(failure).toMatchObject({ code: 'script.output_broken' });
    expect(failure.message).not.toContain(CANARY);
    const plain = `import fs from 'node:fs'; fs.copyFileSync('secret.json', process.argv[2]);`;
    expect(await runScript(root, plain, { args: ['{output_file}'] })).toBe(CANARY);
  });

  test('a declared folder that has become a link', LONG, async () => {
    const reads = `return has('data/seal');`;
    rmSync(join(root, 'data'), { recursive: true });
    for (const target of ['.system/keys', '/etc', '.']) {
      rmSync(join(root, 'data'), { force: true });
      symlinkSync(target, join(root, 'data'));
      const failure = await failureOf(runScript(root, attack(reads), box({ read: ['data'] })));
      expect(failure).toMatchObject({ code: 'sandbox.path' });
    }
    rmSync(join(root, 'data'));
    symlinkSync('.system/keys', join(root, 'data'));
    expect(await runScript(root, attack(reads))).toBe(true);
  });

  test('a descriptor that the worker inherited', async () => {
    const module = pathToFileURL(join(import.meta.dirname, '../../build/activities/processes/box/confine.js')).href;
    const worker = `import { spawn } from 'node:child_process';
      const { confine } = await import('${module}');
      const words = ['sh', '-c', 'cat /proc/self/fd/20; true'];
      const free = { command: words[0], args: words.slice(1), env: process.env, descriptors: [] };
      const boxed = await confine({ root: '/tmp', words, env: process.env, confinement: ${JSON.stringify(box())}, report() {} });
      for (const { command, args, env, descriptors } of [free, boxed]) {
        const child = spawn(command, args, { env, stdio: ['ignore', 'inherit', 'ignore', ...descriptors] });
        await new Promise((done) => child.on('close', done));
        console.log('|');
      }`;
    const said = async (): Promise<string> => {
      const secret = openSync(join(root, '.env'), 'r');
      const stdio = ['ignore', 'pipe', 'inherit', ...Array(17).fill('ignore'), secret];
      const child = spawn('node', ['--input-type=module', '-e', worker], { stdio });
      children.push(child);
      let text = '';
      child.stdout?.on('data', (piece: Buffer) => {
        text += piece.toString();
      });
      await once(child, 'close');
      return text;
    };
    expect(await said()).toBe(`TOKEN=${CANARY}\n|\n|\n`);
  });

  test('a fork bomb', async () => {
    const bomb = `let started = 0;
      for (let i = 0; i < 100; i++) await new Promise((done) => {
        spawn('sleep', ['5']).on('spawn', () => { started++; done(); }).on('error', done);
      });
      return started === 100;`;
    expect(await bothWays(bomb, { limits: { processes: 64 } })).toEqual(OUT_ONLY_WITHOUT);
  });

  test('the processes of another box do not count for its own', LONG, async () => {
    const holding = `const all = []; for (let i = 0; i < 20; i++) all.push(spawn('sleep', ['1']));
      await new Promise((done) => setTimeout(done, 700)); return all.every((each) => each.pid > 0);`;
    const one = { ...box(), limits: { processes: 48 } };
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => runScript(root, attack(holding), one)));
    expect(outcomes).toEqual([true, true, true, true]);
  });

  test('gigabytes of output: one file, many files, and temporary ones', LONG, async () => {
    const mib = 1024 * 1024;
    const one = `return tries(() => { const all = Buffer.alloc(${mib});
      for (let i = 0; i < 30; i++) fs.appendFileSync('out/one', all); return true; });`;
    expect(await bothWays(one, { ...box({ write: ['out'] }), fileBytes: 20 * mib })).toEqual(OUT_ONLY_WITHOUT);
    const many = `const folder = process.argv[2].replace(/[^/]*$/, '');
      for (let i = 0; i < 100; i++) { fs.writeFileSync(folder + i, Buffer.alloc(${mib}, 'x')); await new Promise((done) => setTimeout(done, 20)); }
      return true;`;
    const limited = { taskBytes: 30 * mib, args: ['{input_file}'] };
    const failure = await failureOf(runScript(root, attack(many), { ...box(), ...limited }));
    expect(failure).toMatchObject({ code: 'file.too_large' });
    expect(await runScript(root, attack(many), limited)).toBe(true);
    const temporary = `return tries(() => { for (const folder of ['/tmp', '/dev/shm']) {
      const file = folder + '/ability-test-${process.pid}';
      try { for (let i = 0; i < 60; i++) fs.appendFileSync(file, Buffer.alloc(${4 * mib})); } finally { fs.rmSync(file, { force: true }); }
      return true; } });`;
    expect(await bothWays(temporary, { limits: { memory: 1024 * mib }, fileBytes: 1024 * mib })).toEqual({
      boxed: true,
      free: true,
    });
    expect(await bothWays(temporary, { limits: { memory: 160 * mib }, fileBytes: 1024 * mib })).toEqual(
      OUT_ONLY_WITHOUT,
    );
  });

  test('tracing or killing a process outside', async () => {
    const pid = await victim();
    const traces = `return spawnSync('kill', ['-0', '${pid}']).status === 0 || tries(() => fs.openSync('/proc/${pid}/mem', 'r+') > 0);`;
    expect(await bothWays(traces)).toEqual(OUT_ONLY_WITHOUT);
    expect(await bothWays(`return tries(() => process.kill(${pid}, 'SIGKILL'));`)).toEqual(OUT_ONLY_WITHOUT);
  });

  test.skipIf(!existsSync(PYTHON))('the system call that traces', async () => {
    const attach = `import ctypes, sys; sys.exit(10 + ctypes.CDLL(None).ptrace(16, ${await victim()}, None, None))`;
    const traces = `const { status } = spawnSync('${PYTHON}', ['-c', ${JSON.stringify(attach)}]);
      if (status !== 9 && status !== 10) throw new Error('it did not try');
      return status === 10;`;
    expect(await bothWays(traces)).toEqual(OUT_ONLY_WITHOUT);
  });

  test("its parent's environment", async () => {
    const names = `const own = new Set(Object.keys(process.env));
      return tries(() => fs.readFileSync('/proc/' + process.ppid + '/environ', 'utf8').split('\\0')
        .some((line) => line.includes('=') && !own.has(line.split('=')[0])));`;
    expect(await bothWays(names)).toEqual(OUT_ONLY_WITHOUT);
    expect(await bothWays(`return process.env.HOME !== '/tmp';`, { env: { HOME: '/home/x' } })).toEqual({
      boxed: true,
      free: true,
    });
  });

  test('more privileges', async () => {
    const status = `const status = fs.readFileSync('/proc/self/status', 'utf8');
      return !/^CapEff:\\t0+$/m.test(status) || !/^NoNewPrivs:\\t1$/m.test(status);`;
    expect(await bothWays(status)).toEqual(OUT_ONLY_WITHOUT);
    const mounts = `return ['mount -t tmpfs none /usr', 'mount -o remount,rw /usr', 'umount /proc'].some((line) =>
      spawnSync('unshare', ['-Urm', 'sh', '-c', line + ' && touch /usr/ability-test && rm /usr/ability-test']).status === 0 && fs.existsSync('/usr/ability-test'));`;
    expect(await runScript(root, attack(mounts), box())).toBe(false);
  });

  test('outliving its call, whatever it ignores', LONG, async () => {
    const beats = `const beat = "trap '' TERM HUP INT; while :; do echo x >> out/beats; sleep 0.05; done";
      spawn('setsid', ['sh', '-c', beat], { detached: true, stdio: 'ignore', env: { PATH: process.env.PATH } }).unref();
      while (!fs.existsSync('out/beats')) await new Promise((done) => setTimeout(done, 20));`;
    const size = (): number => readFileSync(join(root, 'out/beats')).length;
    expect(await runScript(root, attack(`${beats} return true;`), box({ write: ['out'] }))).toBe(true);
    const after = size();
    await sleep(300);
    expect(size()).toBe(after);
    rmSync(join(root, 'out/beats'));
    const hangs = `${beats} process.on('SIGTERM', () => {}); await new Promise((done) => setTimeout(done, 60_000));`;
    const began = performance.now();
    const failure = await failureOf(runScript(root, attack(hangs), { ...box({ write: ['out'] }), timeoutMs: 1000 }));
    expect(failure).toMatchObject({ code: 'timeout.call' });
    expect(performance.now() - began).toBeLessThan(8000);
    const then = size();
    await sleep(300);
    expect(size()).toBe(then);
  });

  test('the death of its worker', async () => {
    const module = pathToFileURL(join(import.meta.dirname, '../../build/activities/processes/box/confine.js')).href;
    const beats = (file: string): string => `while :; do echo x >> ${root}/out/${file}; sleep 0.05; done`;
    const worker = `import { spawn } from 'node:child_process';
      const { confine } = await import('${module}');
      const { command, args, env } = await confine({ root: '${root}', words: ['sh', '-c', '${beats('boxed')}'], env: { PATH: process.env.PATH }, confinement: ${JSON.stringify(box({ write: ['out'] }))}, report() {} });
      spawn(command, args, { env, detached: true, stdio: 'ignore' });
      const free = spawn('sh', ['-c', '${beats('free')}'], { detached: true, stdio: 'ignore' });
      console.log(free.pid);
      setInterval(() => {}, 1000);`;
    const child = spawn('node', ['--input-type=module', '-e', worker], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [free] = await once(child.stdout as NodeJS.ReadableStream, 'data');
    try {
      await expect.poll(() => ['boxed', 'free'].every((name) => existsSync(join(root, 'out', name)))).toBe(true);
      child.kill('SIGKILL');
      await once(child, 'close');
      await sleep(200);
      const sizes = (): number[] => ['boxed', 'free'].map((name) => readFileSync(join(root, 'out', name)).length);
      const [boxed = 0, grows = 0] = sizes();
      await sleep(500);
      expect(sizes()[0]).toBe(boxed);
      expect(sizes()[1]).toBeGreaterThan(grows);
    } finally {
      process.kill(-Number(String(free)), 'SIGKILL');
    }
  });
});

describe.skipIf(WHY_NO_BOX !== undefined)(`a script in a box${NEEDS_BOX}`, () => {
  test('has what it declares, its own folder, and room for temporary files', async () => {
    const works = `fs.writeFileSync('out/made', 'made'); fs.writeFileSync('/tmp/x', 'x'); fs.writeFileSync('/dev/shm/x', 'x');
      return fs.readFileSync('data/given.txt', 'utf8') === 'given\\n' && process.cwd() === root;`;
    expect(await runScript(root, attack(works), box({ read: ['data'], write: ['out'] }))).toBe(true);
    expect(readFileSync(join(root, 'out/made'), 'utf8')).toBe('made');
    const copies = `import fs from 'node:fs'; fs.copyFileSync(process.argv[2], process.argv[3]);`;
    expect(await runScript(root, copies, { ...box(), args: ['{input_file}', '{output_file}'] })).toEqual({});
  });

  test.skipIf(!ROOT_WORKER)(
    'is refused where the user that a root worker runs it as lacks a right to a path',
    async () => {
      mkdirSync(join(root, 'own'), { mode: 0o700 });
      for (const [word, sandbox] of Object.entries({ write: { write: ['data'] }, read: { read: ['own'] } })) {
        const failure = await failureOf(runScript(root, attack(`fs.writeFileSync('out/ran', '');`), box(sandbox)));
        expect(failure).toMatchObject({ code: 'sandbox.path', unclear: false });
        expect(failure.message).toContain(`nobody, as whom a root worker runs a box, may not ${word} it`);
      }
    },
  );

  test('receives SIGTERM first, and may end in order', LONG, async () => {
    const controller = new AbortController();
    const waits = `process.on('SIGTERM', () => { fs.writeFileSync('out/ended', ''); process.exit(0); });
      fs.writeFileSync('out/began', ''); await new Promise((done) => setTimeout(done, 20_000));`;
    const call = failureOf(runScript(root, attack(waits), { ...box({ write: ['out'] }), signal: controller.signal }));
    await expect.poll(() => existsSync(join(root, 'out/began'))).toBe(true);
    controller.abort();
    expect(await call).toMatchObject({ code: 'timeout.call' });
    expect(existsSync(join(root, 'out/ended'))).toBe(true);
  });

  test('that is killed by a signal is no answer, though bubblewrap reports an exit code', async () => {
    const failure = await failureOf(runScript(root, attack(`process.kill(process.pid, 'SIGSEGV');`), box()));
    expect(failure).toMatchObject({ code: 'script.exit', unclear: true });
    expect(failure.message).toContain('was killed by SIGSEGV');
  });

  test('keeps its limits of memory and processor time', LONG, async () => {
    const grows = `const all = []; for (let i = 0; i < 40; i++) all.push(Buffer.alloc(16 * 1024 * 1024, 1)); return all.length === 40;`;
    const limits = { memory: 256 * 1024 * 1024 };
    expect(await runScript(root, attack(grows), { ...box(), limits: { memory: 2 ** 31 } })).toBe(true);
    expect(await failureOf(runScript(root, attack(grows), { ...box(), limits }))).toMatchObject({
      code: 'script.exit',
    });
    expect(await failureOf(runScript(root, attack(grows), { limits }))).toMatchObject({ code: 'script.exit' });
    const spins = `for (;;);`;
    for (const how of [box(), {}]) {
      const failure = await failureOf(runScript(root, attack(spins), { ...how, limits: { cpu: 1 } }));
      expect(failure.message).toMatch(/killed by SIG(XCPU|KILL)/);
    }
  });

  test.skipIf(!ROOT_WORKER)('of a root worker is never root, and another user where one is named', async () => {
    const uid = `return process.getuid() === 0;`;
    expect(await bothWays(uid)).toEqual(OUT_ONLY_WITHOUT);
    expect(
      await runScript(root, attack(`return process.getuid() === 1;`), { ...box(), limits: { user: 'daemon' } }),
    ).toBe(true);
    chmodSync(root, 0o755);
    const apart = attack(`return process.getuid() === 1;`);
    expect(await runScript(root, apart, { limits: { user: 'daemon' } })).toBe(true);
    const unknown = await failureOf(runScript(root, apart, { limits: { user: 'no-such-user' } }));
    expect(unknown).toMatchObject({ code: 'sandbox.unavailable' });
  });

  test.skipIf(ROOT_WORKER)('of a worker that is not root runs as no other user', async () => {
    const failure = await failureOf(runScript(root, attack(`return true;`), { limits: { user: 'daemon' } }));
    expect(failure).toMatchObject({ code: 'sandbox.unavailable' });
  });
});

test('where boxes cannot be made, a script does not run', async () => {
  const before = process.env.PATH;
  try {
    process.env.PATH = '/nowhere';
    const failure = await failureOf(
      runScript(root, `import fs from 'node:fs'; fs.writeFileSync('out/ran', '');`, box()),
    );
    expect(failure).toMatchObject({ code: 'sandbox.unavailable' });
    expect(existsSync(join(root, 'out/ran'))).toBe(false);
  } finally {
    process.env.PATH = before;
  }
});
