import type { SeenTask, TaskChain } from '../../../../client/index.js';
import type { Json } from '../../../../contracts/json.js';
import { AbilityError, usageError } from '../../../../contracts/problem.js';
import { EXIT, EXIT_OF_STATE, type ExitCode, isEndState } from '../../../../contracts/states.js';
import { describeWait } from '../../../../rules/concurrency/describe-concurrency.js';
import { foldAnswers } from '../../../../rules/hooks/fold-answers.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { asTyped, commandOf } from '../../../../shown/typed-command.js';
import { didYouMean } from '../../../../text/nearest.js';
import { refuseMasked } from '../../input/parse-input.js';
import { describeStepWait, inOne } from '../../output/live/describe-progress.js';
import { plainText } from '../../output/plain-text.js';
import { renderApproval } from '../../output/result/render-approval.js';
import { renderResult, renderSteps } from '../../output/result/render-result.js';
import { type Context, printAnswer } from '../../program/context.js';
import { withProject } from '../../program/project-client.js';
import { noteNext, printResult } from '../following/follow-task.js';
import { openInBrowser } from '../open.js';

const FROM: Record<SeenTask['source'], string | undefined> = {
  worker: undefined,
  history: undefined,
  description: 'No worker answers, so only what Temporal itself knows is shown.',
  record: 'Temporal no longer has this task; this is its record.',
};

export async function show(context: Context, [key]: [string]): Promise<void> {
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

/** `ability task get KEY [FIELD]`: the input of a task, or one field. Source: R-000-83. */
export async function get(context: Context, [key, field]: [string, string | undefined]): Promise<void> {
  const { input, whole } = await withProject(context, (project) => project.call('readInput', { key }));
  if (field !== undefined && !Object.hasOwn(input, field)) {
    const suggestion = didYouMean(field, Object.keys(input)) ?? `There are: ${Object.keys(input).join(', ')}.`;
    throw usageError(`The input of ${key} has no field ${field}`, suggestion);
  }
  if (!whole) refuseMasked(key, field === undefined ? input : { [field]: input[field] as Json });
  const value = field === undefined ? input : input[field];
  if (typeof value === 'string' && !context.flags.json) context.terminal.print(value);
  else context.terminal.printJson(value);
}

/**
 * `ability task result KEY`: the result; 5 or 1 while there is none. Source: docs/operations.md#looking-into-a-task.
 */
export async function result(context: Context, [key]: [string]): Promise<ExitCode> {
  return withProject(context, async (project) => {
    const seen = await project.call('readResult', { key });
    await printResult(context, project, seen);
    if (isEndState(seen.status)) return EXIT_OF_STATE[seen.status];
    context.terminal.note(`${key} has not ended yet: ${asTyped(commandOf('ability', 'task', 'watch', key), context)}`);
    return seen.status === 'waiting_approval' ? EXIT.waiting : EXIT.failed;
  });
}

/** `ability task open KEY`: opens a task in the Temporal UI; prints its address where there is no desktop. */
export async function open(context: Context, [key]: [string]): Promise<void> {
  const { project, links } = await withProject(context, (client) => client.call('readResult', { key }));
  const url = links.temporal;
  if (!url) {
    throw new AbilityError({
      code: 'config.invalid',
      message: 'The address of the Temporal UI of this server is not known',
      suggestion: 'Set TEMPORAL_UI_ADDRESS to its address.',
    });
  }
  printAnswer(context, { url, ...(project !== undefined && { project }) }, () => url);
  if (context.terminal.isLive) openInBrowser(url, context.env);
}
