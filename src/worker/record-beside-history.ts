import type { WorkflowInfo } from '@temporalio/workflow';
import { type RecordBesideDependencies, recordBeside } from '../activities/record/complete-record.js';
import { AbilityError, reasonOf } from '../contracts/problem.js';
import type { EndedTask } from '../contracts/run-sinks.js';
import { endsWithin } from '../rules/any-abort-signal.js';
import { log } from './logger.js';

/** Half of the server's time-out of a workflow task, which waits for the record. */
const LIMIT_MS = 5000;

export class EndRecords {
  private missed = 0;

  constructor(
    private readonly dependencies: RecordBesideDependencies,
    private readonly limitMs = LIMIT_MS,
  ) {}

  get missing(): number {
    return this.missed;
  }

  /**
   * Writes the record of a task before the server learns that it closes. Never throws or exceeds its limit: a task
   * must not wait for a disk. Logs a missing record; `ability task show`, `task record` and `why` write it later.
   */
  async write({ workflowId, runId, taskQueue }: WorkflowInfo, ended: EndedTask): Promise<void> {
    const limit = new AbortController();
    const run = { workflowExecution: { workflowId, runId }, taskQueue };
    try {
      if (await endsWithin(this.limitMs, recordBeside(run, ended, this.dependencies, limit.signal))) return;
      limit.abort(new Error(`it took longer than ${this.limitMs} ms`));
      throw limit.signal.reason;
    } catch (error) {
      this.missed += 1;
      log.error(
        { task: workflowId, ...problemOf(error), records_missing: this.missed },
        `the record of ${workflowId} was not written; ability task record ${workflowId} writes it from the history`,
      );
    }
  }
}

function problemOf(error: unknown): { code: string; reason: string } {
  return { code: error instanceof AbilityError ? error.code : 'record.write_failed', reason: reasonOf(error) };
}
