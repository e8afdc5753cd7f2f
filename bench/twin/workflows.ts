/** The scenarios, as one who knows Temporal writes them by hand. Every export is a workflow type. */
import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from './activities.js';
import { listenForDecisions } from './approval.js';
import { approveSignal, type InputOf, type OutputOf, type TaskResult } from './contract.js';
import { runTask } from './task.js';

/** Both calls are idempotent; one that is not would get a proxy of its own with `maximumAttempts: 1`. */
const { echo, add } = proxyActivities<Activities>({
  startToCloseTimeout: '60s',
  scheduleToStartTimeout: '60s',
  heartbeatTimeout: '20s',
  retry: { maximumAttempts: 3, initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

export async function noop({ text }: InputOf<'noop'>): Promise<TaskResult<OutputOf<'noop'>>> {
  return runTask((task) => task.call('echo', () => echo.executeWithOptions({ summary: 'echo' }, [{ text }])));
}

export async function chain(input: InputOf<'chain'>): Promise<TaskResult<OutputOf<'chain'>>> {
  return runTask(async (task) => {
    let { n } = input;
    for (let link = 1; link <= 6; link++) {
      const summary = `add_${link}`;
      ({ n } = await task.call(summary, () => add.executeWithOptions({ summary }, [{ n, by: 1 }])));
    }
    return { n };
  });
}

/** The first failure cancels the other calls and waits until they have ended. */
export async function fanout({ n }: InputOf<'fanout'>): Promise<TaskResult<OutputOf<'fanout'>>> {
  return runTask((task) =>
    CancellationScope.cancellable(async () => {
      const calls = Array.from({ length: 10 }, (_, by) => {
        const summary = `add_${by}`;
        return task.call(summary, () => add.executeWithOptions({ summary }, [{ n, by }]));
      });
      try {
        return (await Promise.all(calls)).map((sum) => sum.n);
      } catch (error) {
        CancellationScope.current().cancel();
        await Promise.allSettled(calls);
        throw error;
      }
    }),
  );
}

export async function loop({ items }: InputOf<'loop'>): Promise<TaskResult<OutputOf<'loop'>>> {
  return runTask(async (task) => {
    const sums: number[] = [];
    for (const [index, item] of items.entries()) {
      const summary = `add_${index}`;
      const sum = await task.call(summary, () => add.executeWithOptions({ summary }, [{ n: item, by: 1 }]));
      sums.push(sum.n);
    }
    return sums;
  });
}

/** A denial is an answer as well: the workflow goes on and tells it. */
export async function approval({ title }: InputOf<'approval'>): Promise<TaskResult<OutputOf<'approval'>>> {
  return runTask(async (task) => {
    const decisionOn = listenForDecisions(task);
    const asked = await task.call('ask', () => echo.executeWithOptions({ summary: 'ask' }, [{ text: title }]));
    const { decision, by } = await decisionOn('decide', title);
    const { text } = await task.call('tell', () => echo.executeWithOptions({ summary: 'tell' }, [asked]));
    return { decision, by, text };
  });
}

/** The least that waiting for a person can be. */
export async function bare({ title }: InputOf<'bare'>): Promise<TaskResult<OutputOf<'bare'>>> {
  return runTask(async (task) => {
    let by: string | null | undefined;
    setHandler(approveSignal, (decision) => {
      by = decision?.by ?? null;
    });
    const asked = await task.call('ask', () => echo.executeWithOptions({ summary: 'ask' }, [{ text: title }]));
    await condition(() => by !== undefined);
    const { text } = await task.call('tell', () => echo.executeWithOptions({ summary: 'tell' }, [asked]));
    return { decision: 'approved', by: by ?? null, text };
  });
}
