import type { SeenTask, TaskChain } from '../../../../client/index.js';
import { describeWait } from '../../../../rules/concurrency/describe-concurrency.js';
import { foldAnswers } from '../../../../rules/hooks/fold-answers.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { asTyped, commandOf } from '../../../../shown/typed-command.js';
import { describeStepWait, inOne } from '../../output/live/describe-progress.js';
import { plainText } from '../../output/plain-text.js';
import { renderApproval } from '../../output/result/render-approval.js';
import { renderResult } from '../../output/result/render-result.js';
import { renderSteps } from '../../output/result/render-steps.js';
import type { Context } from '../../program/context.js';
import { withProject } from '../../program/project-client.js';
import { noteNext } from '../following/follow-task.js';

const FROM: Record<SeenTask['source'], string | undefined> = {
  worker: undefined,
  history: undefined,
  description: 'No worker answers, so only what Temporal itself knows is shown.',
  record: 'Temporal no longer has this task; this is its record.',
};

export async function run(context: Context, [key]: [string]): Promise<void> {
  return withProject(context, async (project) => {
    const { terminal, flags } = context;
    const seen = await project.call('viewTask', { key });
    if (flags.json) {
      terminal.printJson(seen);
      return;
    }
    const { source, paused = false, waits = [], retry_of = null, retries = [], ...view } = seen;
    const { created_at: _, input: __, summary: ___, progress: ____, ...result } = view;
    const { folded, left } = foldAnswers(result.hooks);
    const turn = result.status === 'waiting' ? result.concurrency : undefined;
    const open = result.approvals.filter(({ status }) => status === 'open');
    terminal.print(
      [
        renderResult(result, terminal.style, context),
        ...describeChain({ retry_of, retries }, context),
        ...(result.caller === undefined ? [] : [`caller: ${result.caller}`]),
        ...(paused ? [asTyped(`paused: it starts nothing new until \`ability task resume ${key}\``, context)] : []),
        ...(turn ? [`waiting for ${oneLine(describeWait(turn))}`] : []),
        ...renderSteps(result, terminal.style),
        ...waits.map((wait) => `  ${wait.path} ${inOne(describeStepWait(wait, Date.now()))}`),
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
    if (source !== 'record') await noteNext(context, project, result);
  });
}

function describeChain({ retry_of, retries }: TaskChain, context: Context): string[] {
  const newest = retries.at(-1);
  const later = retries.map(({ task, status }) => `${task} (${status})`).join(', ');
  return [
    ...(retry_of === null ? [] : [`tries ${retry_of} again`]),
    ...(newest
      ? [asTyped(`tried again as ${later}; the newest: ${commandOf('ability', 'task', 'show', newest.task)}`, context)]
      : []),
  ];
}
