/** Runs `ability` as its users do: a process of its own, whose output is shown as it comes. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { showCommand, showExit, showOutput } from './show.mjs';

/** A command that takes longer has gone wrong. The first one may have to fetch the Temporal CLI. */
const LIMIT_MS = 90_000;
const FIRST_LIMIT_MS = 300_000;

/** The demo uses the project's own runtime, whatever Temporal the shell it is started from points at. */
function environment() {
  const own = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|ABILITY_ENV$)/.test(name));
  return { ...Object.fromEntries(own), NO_COLOR: '1' };
}

/** The commands of one demo. */
export class AbilityCommands {
  #root;
  #running = new Set();
  #interrupted = false;
  #isFirst = true;

  /** @param {string} root the project */
  constructor(root) {
    this.#root = root;
  }

  /** Runs a command to its end, and shows it. @returns what it printed. @throws when it does not exit as expected. */
  async run(args, { exit = 0 } = {}) {
    return this.start(args).end(exit);
  }

  /** Runs a command unseen. @returns its exit code and its stdout. */
  async ask(args) {
    const { code, stdout } = await this.#spawn(args, () => {});
    return { code, stdout };
  }

  /**
   * Starts a command, and shows it.
   *
   * @returns {{ says(pattern: RegExp): Promise<string>, end(exit: number): Promise<string> }} `says` waits for output,
   * `end` for the end with the exit code given.
   */
  start(args) {
    if (this.#interrupted) throw new Error('interrupted');
    showCommand(args);
    let output = '';
    let changed = () => {};
    const ended = this.#spawn(args, (text) => {
      output += text;
      if (!this.#interrupted) showOutput(text);
      changed();
    });
    // The caller that waits for the end gets the failure; until then it must not end the demo before it has cleaned up.
    ended.catch(() => {});
    return {
      says: async (pattern) => {
        for (;;) {
          const found = pattern.exec(output);
          if (found) return found[0];
          const more = new Promise((resolve) => {
            changed = resolve;
          });
          const end = await Promise.race([more, ended]);
          if (end && !pattern.test(output)) throw new Error(`the command ended without saying ${pattern}`);
        }
      },
      end: async (exit) => {
        const { code } = await ended;
        if (!this.#interrupted) showExit(code);
        if (code !== exit) throw new Error(`expected exit code ${exit}, got ${code}: ability ${args.join(' ')}`);
        return output;
      },
    };
  }

  /** Asks what is running to end; shown commands are refused from now on, those that clean up are not. */
  interrupt() {
    this.#interrupted = true;
    this.endAll('SIGTERM');
  }

  /** Ends what is still running. Tasks are in Temporal's care, not in that of these processes. */
  endAll(signal = 'SIGKILL') {
    for (const child of this.#running) child.kill(signal);
  }

  #spawn(args, onText) {
    const limit = this.#isFirst ? FIRST_LIMIT_MS : LIMIT_MS;
    this.#isFirst = false;
    const child = spawn(process.execPath, [join(this.#root, 'dist/command/bin.js'), ...args], {
      cwd: this.#root,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      onText(text);
    });
    child.stderr.setEncoding('utf8').on('data', onText);
    const timer = setTimeout(() => child.kill('SIGKILL'), limit);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        clearTimeout(timer);
        this.#running.delete(child);
        resolve({ code: code ?? signal, stdout });
      });
    });
  }
}
