import type { ToldTask } from '../../contracts/run-sinks.js';
import { put } from '../bounded-map.js';

/** Tasks that end at once on one worker are fewer. */
const MOST_TOLD = 200;

/** What workflows of this worker have told of themselves, until the records of their tasks are written. */
export class ToldTasks {
  private readonly known = new Map<string, ToldTask>();

  /** Keeps what a run has told. */
  note(runId: string, task: ToldTask): void {
    put(this.known, runId, task, MOST_TOLD);
  }

  /** What a run has told; undefined where it did not tell this worker. */
  of(runId: string): ToldTask | undefined {
    return this.known.get(runId);
  }

  /** Forgets a run whose record is written. */
  drop(runId: string): void {
    this.known.delete(runId);
  }
}
