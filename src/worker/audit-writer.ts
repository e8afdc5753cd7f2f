import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { AuditEvent } from '../contracts/audit.js';
import { reasonOf } from '../contracts/problem.js';
import type { Registry } from '../definitions/registry.js';
import type { AuditLog } from '../server/audit/audit-log.js';
import { log } from './logger.js';

const FIRST_MS = 100;
const SLOWEST_MS = 2000;
/** After the time-out of a workflow task: by then the server has given it up. */
const MARGIN_MS = 5000;
/** Names that others choose are cut to so many characters. */
const MAX_TEXT = 500;

interface WriterDependencies {
  log: Pick<AuditLog, 'append'>;
  lastDefinitions: () => Registry | undefined;
}

/** Writes what workflows report to the audit log of their project. */
export class AuditWriter {
  constructor(private readonly dependencies: WriterDependencies) {}

  /**
   * Ends once the event is written, or the workflow task that reports it has timed out at the server, which then refuses its
   * completion and repeats it: nothing follows from an event that is not in the log. Never throws.
   */
  async write(info: WorkflowInfo, environment: string, event: AuditEvent, isPlanned: boolean): Promise<void> {
    if (!isPlanned && !this.dependencies.lastDefinitions()?.project.audit) return;
    const cut = Object.entries(event).map(([name, text]) => [name, String(text).slice(0, MAX_TEXT)]);
    const line = { environment, ...(Object.fromEntries(cut) as unknown as AuditEvent) };
    const until = performance.now() + info.taskTimeoutMs + MARGIN_MS;
    for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(SLOWEST_MS, pauseMs * 2)) {
      try {
        return await this.dependencies.log.append([line]);
      } catch (error) {
        const { task, kind } = event;
        log.error({ task, kind, reason: reasonOf(error) }, 'the audit log cannot be written; the task waits for it');
        if (performance.now() > until) return;
        await sleep(pauseMs);
      }
    }
  }
}
