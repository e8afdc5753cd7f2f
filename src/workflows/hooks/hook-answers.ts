import { CancellationScope, sleep } from '@temporalio/workflow';
import type { HookAnswer } from '../../contracts/hooks.js';
import type { TaskAudit } from '../reports/report-audit.js';
import type { Warnings } from '../task/warnings.js';

/** How long the end of a task waits for hooks after calls. */
const JOIN_LIMIT_MS = 10_000;

export class HookAnswers {
  readonly list: HookAnswer[];
  /** Hooks after calls that still run. */
  readonly pending = new Set<Promise<void>>();

  /** @param leftOut number of answers that earlier runs of the task dropped. */
  constructor(
    list: readonly HookAnswer[],
    readonly leftOut: number,
    private readonly warnings: Warnings,
    private readonly audit: Pick<TaskAudit, 'guards'>,
  ) {
    this.list = [...list];
  }

  /** Keeps answers in the result; their warnings, and failures after a call, become warnings of the task. */
  keep(answers: readonly HookAnswer[]): void {
    this.list.push(...answers);
    this.audit.guards(answers);
    for (const { hook_id, warnings = [], status, phase, reason } of answers) {
      this.warnings.add(...warnings);
      if (status === 'error' && phase === 'PostAbilityCall') this.warnings.add(`The hook ${hook_id} failed: ${reason}`);
    }
  }

  /** Waits for the hooks after calls, for ten seconds at most. */
  async join(): Promise<void> {
    if (this.pending.size === 0) return;
    await CancellationScope.nonCancellable(async () => {
      const timer = new CancellationScope();
      const late = timer
        .run(() => sleep(JOIN_LIMIT_MS, { summary: 'waiting for hooks' }))
        .then(
          () => true,
          () => false,
        );
      const done = Promise.allSettled(this.pending).then(() => false);
      if (await Promise.race([late, done])) {
        this.warnings.add(`hook.timeout: ${this.pending.size} hooks after calls still ran at the end and were left`);
      }
      timer.cancel();
      await late;
    });
  }
}
