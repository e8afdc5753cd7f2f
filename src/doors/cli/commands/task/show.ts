import {
  type Connection,
  hasEnded,
  readChain,
  type SeenTask,
  type TaskChain,
  viewTask,
} from '../../../../client/index.js';
import { describeWait } from '../../../../rules/concurrency/describe-concurrency.js';
import { foldAnswers } from '../../../../rules/hooks/fold-answers.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { describeStepWait, inOne } from '../../output/live/describe-progress.js';
import { plainText } from '../../output/plain-text.js';
import { renderApproval } from '../../output/result/render-approval.js';
import { renderResult } from '../../output/result/render-result.js';
import { renderSteps } from '../../output/result/render-steps.js';
import { asTyped } from '../../output/typed-command.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import { noteNext } from '../following/follow-task.js';
import { describeChain } from './describe-chain.js';
import { mendRecord } from './mend-record.js';

const FROM: Record<SeenTask['source'], string | undefined> = {
  worker: undefined,
  history: undefined,
  description: 'No worker answers, so only what Temporal itself knows is shown.',
  record: 'Temporal no longer has this task; this is its record.',
};

export async function run(context: Context, [key]: [string]): Promise<void> {
  return withSession(context, await openRegistry(context), async (connection) => {
    const { terminal, flags } = context;
    const seen = await viewTask(connection, key);
    const { view, source } = seen;
    const mended = await mendRecord(connection, key, seen);
    const result = mended ? { ...seen.result, warnings: [...seen.result.warnings, mended] } : seen.result;
    const chain = await chainOf(connection, key, seen);
    if (flags.json) {
      const { retry_of, retries } = chain;
      const others = { ...(retry_of !== null && { retry_of }), ...(retries.length > 0 && { retries }) };
      terminal.printJson({ ...(view ?? result), ...others, source });
      return;
    }
    const { folded, left } = foldAnswers(result.hooks);
    const turn = result.status === 'waiting' ? result.concurrency : undefined;
    const open = result.approvals.filter(({ status }) => status === 'open');
    terminal.print(
      [
        renderResult(result, terminal.style, context),
        ...describeChain(chain, context),
        ...(result.caller === undefined ? [] : [`caller: ${result.caller}`]),
        ...(view?.paused
          ? [asTyped(`paused: it starts nothing new until \`ability task resume ${key}\``, context)]
          : []),
        ...(turn ? [`waiting for ${oneLine(describeWait(turn))}`] : []),
        ...renderSteps(result, terminal.style),
        ...(view?.waits ?? []).map((wait) => `  ${wait.path} ${inOne(describeStepWait(wait, Date.now()))}`),
        ...open.map((approval) => renderApproval(approval, terminal.style)),
        ...folded.map(({ answer: { phase, hook_id, path, status, decision, reason, moment }, times }) => {
          const answer = `${status === 'error' ? 'failed' : decision}${times > 1 ? ` in ${times} turns` : ''}`;
          return `  hook ${hook_id} (${phase}${path ? `, ${path}` : ''}${moment ? `, now() was ${moment}` : ''}): ${answer}${reason ? `: ${plainText(reason, '      ')}` : ''}`;
        }),
        ...(left > 0 ? [`  ${left} more answers of hooks`] : []),
      ].join('\n'),
    );
    const note = FROM[source];
    if (note) terminal.note(note);
    if (source !== 'record') await noteNext(context, connection, result);
  });
}

/** Only ended tasks are retried; tasks that Temporal has forgotten cannot be queried. */
async function chainOf(connection: Connection, key: string, seen: SeenTask): Promise<TaskChain> {
  if (seen.source === 'record') return { retry_of: null, retries: [] };
  const { retry_of, retries } = await readChain(connection, key);
  return { retry_of, retries: hasEnded(seen) ? retries : [] };
}
