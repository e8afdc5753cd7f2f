import { type Connection, signalTask } from '../client/index.js';
import type { TaskResult } from '../contracts/task.js';
import { waitKey } from './plan-names.js';
import type { PreparedCase } from './prepared-case.js';

/** Sends the signals of one case, each at the moment at which a step waits for it. */
export class CaseSignals {
  private left: PreparedCase['signals'];

  constructor(
    private readonly connection: Connection,
    signals: PreparedCase['signals'],
    private readonly waits: PreparedCase['waits'],
  ) {
    this.left = [...signals];
  }

  /** Names of those that no step has waited for. */
  get unsent(): string[] {
    return this.left.map(({ name }) => name);
  }

  /** Sends the first one that a step of this workflow waits for. @returns whether there was one. */
  async sendTo(workflow: string, { ability_id, steps }: Pick<TaskResult, 'ability_id' | 'steps'>): Promise<boolean> {
    const waiting = steps.filter(({ status }) => status === 'waiting');
    const awaited = waiting.map(({ id }) => this.waits.get(waitKey(ability_id, id)));
    const signal = this.left.find(({ name }) => awaited.includes(name));
    if (!signal) return false;
    this.left = this.left.filter((other) => other !== signal);
    await signalTask(this.connection, workflow, signal.name, signal.payload);
    return true;
  }
}
