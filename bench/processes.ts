/** The processes of the benchmark, and what the kernel says they used. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** A process of ours, which says one thing when it is ready. */
export interface Running {
  pid: number;
  /** The line that told it was ready. */
  said: string;
  stop(): Promise<void>;
}

/** How a process is started. */
export interface Program {
  script: string;
  args: string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Options of Node itself, as for a profile. */
  node?: string[];
  /** Where it says that it is ready, and how the line begins. */
  ready: { stream: 'stdout' | 'stderr'; begins: string };
}

/** Starts a Node program and waits until it says that it is ready. @throws Error with what it printed when it ends. */
export async function start({ script, args, cwd, env, node = [], ready }: Program): Promise<Running> {
  const child = spawn(process.execPath, [...node, script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...env },
    ...(cwd && { cwd }),
  });
  const said = await untilReady(child, script, ready);
  return {
    pid: child.pid as number,
    said,
    async stop() {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    },
  };
}

function untilReady(child: ChildProcess, script: string, { stream, begins }: Program['ready']): Promise<string> {
  const printed: string[] = [];
  return new Promise((resolve, reject) => {
    for (const name of ['stdout', 'stderr'] as const) {
      const lines = child[name] && createInterface({ input: child[name] });
      lines?.on('line', (line) => {
        if (printed.length < 50) printed.push(line);
        if (name === stream && line.startsWith(begins)) resolve(line);
      });
    }
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}:\n${printed.join('\n')}`)));
  });
}

/**
 * CPU time of a process since it began, all its threads together. Milliseconds.
 *
 * Summed over the threads that live, which count nanoseconds; the count of the process itself moves in steps of 10 ms.
 */
export function cpuOf(pid: number): number {
  let ns = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // It has ended since.
    }
  }
  return ns / 1e6;
}

/** Memory of a process that is in use. MiB. */
export function memoryOf(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}
