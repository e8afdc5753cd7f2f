import { type Connection, viewTask } from '../../../client/index.js';
import type { CallReport, PlannedEntry, SessionEndStatus, SessionOutcome } from '../../../contracts/agent-runtime.js';
import { END_STATES, EXIT, EXIT_OF_STATE, type ExitCode } from '../../../contracts/states.js';
import { oneLine } from '../../../rules/shown-text.js';
import type { Context } from '../program/context.js';
import { decisionLines } from './live/announcer.js';
import { plainText } from './plain-text.js';
import { exitOf } from './report.js';
import { asTyped, commandOf } from './typed-command.js';

export function planLine(turn: number, plan: readonly PlannedEntry[]): string {
  const calls = plan.map(({ id, ability_id, after = [] }) => {
    return `  ${id}  ${oneLine(ability_id)}${after.length > 0 ? `  after ${after.join(', ')}` : ''}`;
  });
  return [`plan ${turn}`, ...calls].join('\n');
}

const WORDS: Record<SessionEndStatus, string> = {
  answered: 'done',
  waiting_approval: 'waiting for approval',
  needs_consent: 'not started: the requester has to agree',
  declined: 'not started: the requester did not agree',
  model_failed: 'ended: no plan from the AI',
  turns_exhausted: 'ended: as many plans as allowed',
  interrupted: 'interrupted',
  timed_out: 'not ended in time',
};

export function renderOutcome({ status, tasks, answer, problem }: SessionOutcome): string {
  return [
    WORDS[status],
    ...tasks.flatMap(taskLines),
    ...(problem ? [`${problem.code}: ${plainText(problem.message)}`] : []),
    ...(answer === null ? [] : [plainText(answer)]),
  ].join('\n');
}

function taskLines({ id, ability_id, status, task_key, error }: CallReport): string[] {
  const key = task_key === null ? '' : `  ${task_key}`;
  const why = error ? [`${error.code}: ${error.reason}`, ...(error.suggestion ? [error.suggestion] : [])] : [];
  return [
    `  ${id}  ${status}  ${oneLine(ability_id ?? '')}${key}`,
    ...why.map((line) => `    ${plainText(line, '      ')}`),
  ];
}

/** The command's exit code; if the AI itself ended the run, that of its last plan with calls. */
export function exitOfOutcome(outcome: SessionOutcome): ExitCode {
  const { status, problem, plan, tasks } = outcome;
  if (status === 'waiting_approval' || status === 'needs_consent') return EXIT.waiting;
  if (status === 'interrupted') return EXIT.interrupted;
  if (status !== 'answered') return problem ? exitOf(problem) : EXIT.failed;
  const last = plan.map(({ id }) => tasks.find((task) => task.id === id));
  const failed = last.filter((task) => task?.status !== 'succeeded');
  const [decisive] = [...failed.filter((task) => task && !FOLLOWS.has(task.status)), ...failed];
  return failed.length === 0 ? EXIT.ok : exitOfCall(decisive);
}

/** Statuses that follow from other calls that did not succeed. */
const FOLLOWS: ReadonlySet<string> = new Set(['created', 'cancelled', 'skipped']);

function exitOfCall(task: CallReport | undefined): ExitCode {
  const state = END_STATES.find((one) => one === task?.status);
  if (state) return EXIT_OF_STATE[state];
  if (task?.error?.code === 'guard.denied') return EXIT.denied;
  return task?.status === 'unavailable' ? EXIT.unavailable : EXIT.failed;
}

/** How a waiting run continues: what people must decide, and the command that continues it. For stderr. */
export async function noteWayOn(
  context: Context,
  connection: Connection,
  { status, run, tasks, consent }: SessionOutcome,
  file: string,
): Promise<void> {
  const { terminal } = context;
  const again = ['ability', 'agent', '--request', file, '--key', run];
  for (const { task_key } of tasks.filter((task) => task.status === 'waiting_approval')) {
    if (task_key === null) continue;
    const { result } = await viewTask(connection, task_key);
    const open = result.approvals.filter((approval) => approval.status === 'open');
    for (const approval of open) for (const line of decisionLines(context, task_key, approval)) terminal.note(line);
  }
  if (consent) {
    for (const risk of consent.risks) terminal.note(`${terminal.style('yellow', 'warning')} ${plainText(risk, '  ')}`);
    const agreed = asTyped(commandOf(...again, '--agree', consent.reference), context);
    terminal.note(`To agree, the requester types:  ${agreed}`);
  } else if (['waiting_approval', 'interrupted', 'timed_out'].includes(status)) {
    terminal.note(`Go on:  ${asTyped(commandOf(...again), context)}`);
  }
}
