import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { AuditEvent } from '../contracts/audit.js';
import { reasonOf } from '../contracts/problem.js';
import type { Registry } from '../definitions/registry.js';
import type { AuditLog } from '../server/audit/audit-log.js';
import { defined } from '../text/defined.js';
import { log } from './logger.js';

/** Of names that others choose, in characters. */
const MAX_TEXT = 500;

export type WriteAudit = (
  environment: string,
) => (info: WorkflowInfo, event: AuditEvent, isPlanned: boolean) => Promise<void>;

/**
 * Writes what workflows report. Ends once it is written, or the workflow task has timed out at the server, which then refuses
 * its completion and repeats it: nothing follows from an event that is not in the log. Never throws.
 */
export function writesAudit(to: Pick<AuditLog, 'append'>, lastDefinitions: () => Registry | undefined): WriteAudit {
  return (environment) => async (info, event, isPlanned) => {
    if (!isPlanned && !lastDefinitions()?.project.audit) return;
    const facts = Object.entries(defined({ environment, ...event }));
    const line = Object.fromEntries(facts.map(([name, text]) => [name, text?.slice(0, MAX_TEXT)])) as AuditEvent;
    const until = performance.now() + info.taskTimeoutMs + 5000;
    for (let pauseMs = 100; ; pauseMs = Math.min(2000, pauseMs * 2)) {
      try {
        return await to.append(line);
      } catch (error) {
        const { task, kind } = event;
        log.error({ task, kind, reason: reasonOf(error) }, 'the audit log cannot be written; the task waits for it');
        if (performance.now() > until) return;
        await sleep(pauseMs);
      }
    }
  };
}
