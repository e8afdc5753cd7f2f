import type { Client } from '@temporalio/client';
import type { LockAccess } from '../activities/concurrency/lock-access.js';
import type { LockState, SlotRequest } from '../contracts/concurrency.js';
import { LOCK_SIGNALS, WORKFLOWS } from '../contracts/names.js';
import { unlessNotFound } from './not-found.js';

type Lock = (state: LockState) => Promise<void>;

export function accessLocks(client: Client): LockAccess {
  return {
    async enter({ lock, taskQueue, key, entry, summary }) {
      await client.workflow.signalWithStart<Lock, [SlotRequest]>(WORKFLOWS.lock, {
        workflowId: lock,
        taskQueue,
        args: [{ key, holders: [], line: [] }],
        signal: LOCK_SIGNALS.enter,
        signalArgs: [entry],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        staticSummary: summary,
      });
    },
    async leave(lock, { task, run }) {
      await unlessNotFound(() => client.workflow.getHandle(lock).signal(LOCK_SIGNALS.leave, { task, run }));
    },
    async isOpen({ task, run }) {
      const described = await unlessNotFound(() => client.workflow.getHandle(task).describe());
      if (described?.status.name !== 'RUNNING') return false;
      // A time-skipping server reports no first run, but never reuses ids.
      const first = described.raw.workflowExecutionInfo?.firstRunId;
      return !first || first === run;
    },
  };
}
