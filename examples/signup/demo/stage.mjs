/** What the demo needs, and how all of it is put away again. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { claimEnvFiles } from '../env-files.mjs';
import { PROJECT_ROOT, SYSTEM_FOLDER, startSystem } from '../start-system.mjs';
import { AbilityCommands } from './ability-commands.mjs';

/** Task keys of the demo begin like this, so that a later one finds what an earlier one was killed over. */
export const KEY_PREFIX = 'demo-';

/** Starts the example system. @returns {Promise<Stage>} */
export async function setStage() {
  const files = claimEnvFiles(PROJECT_ROOT, ['dev', 'staging']);
  // A runtime that is up belongs to another program, unless a demo that was killed left it together with its files.
  const runtimeWasUp = isRuntimeUp() && !files.wereLeft;
  try {
    const system = await startSystem({ folder: SYSTEM_FOLDER });
    files.write(system.env);
    return new Stage(system, files, runtimeWasUp);
  } catch (error) {
    files.remove();
    throw error;
  }
}

class Stage {
  ability = new AbilityCommands(PROJECT_ROOT);

  constructor(system, files, runtimeWasUp) {
    this.system = system;
    this.files = files;
    this.runtimeWasUp = runtimeWasUp;
  }

  /** A path as people at the root of the project would write it. */
  pathOf(file) {
    return relative(PROJECT_ROOT, file);
  }

  /** The record of a task, for people. */
  recordOf(key) {
    const file = join(PROJECT_ROOT, '.system', 'implement', key, 'tool_call.md');
    return { file, text: readFileSync(file, 'utf8') };
  }

  /** Puts everything away: open tasks (their clean-up runs), the runtime, the system. @returns what it did. */
  async strike() {
    const done = [];
    try {
      // Not started for this alone: what an earlier demo left is found when a later one ends.
      if (isRuntimeUp()) done.push(...(await this.#cancelOpenTasks()));
      if (this.runtimeWasUp) done.push('the runtime was up before the demo, and stays');
      else if ((await this.ability.ask(['down'])).code === 0) done.push('the runtime is down');
      else done.push('the runtime did not stop; try: npx ability down');
    } finally {
      this.ability.endAll();
      await this.system.stop();
      this.files.remove();
      done.push(`service and database are stopped, ${this.files.names.join(' and ')} are removed`);
    }
    return done;
  }

  async #cancelOpenTasks() {
    const { code, stdout } = await this.ability.ask(['task', 'list', '--limit', '1000', '--json']);
    if (code !== 0) return [];
    const open = JSON.parse(stdout).filter(({ task_key, finished_at }) => {
      return task_key.startsWith(KEY_PREFIX) && finished_at === null;
    });
    const done = [];
    for (const { task_key } of open) {
      await this.ability.ask(['task', 'cancel', task_key]);
      const end = await this.ability.ask(['task', 'watch', task_key, '--timeout', '20s', '--json']);
      const cleanUp = JSON.parse(end.stdout).cleanup_ran ? 'its clean-up ran' : 'its clean-up did not run';
      done.push(`${task_key} was still open, and is cancelled; ${cleanUp}`);
    }
    return done;
  }
}

function isRuntimeUp() {
  try {
    const { state, pid } = JSON.parse(readFileSync(join(PROJECT_ROOT, '.system', 'runtime.json'), 'utf8'));
    process.kill(pid, 0);
    return state === 'up' || state === 'starting';
  } catch {
    return false;
  }
}
