import { defineQuery, defineSignal, defineUpdate, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import type { Decision, DecisionOutcome } from '../../contracts/approvals.js';
import type { Json } from '../../contracts/json.js';
import { QUERIES, SIGNALS, SLOT_SIGNAL, UPDATES } from '../../contracts/names.js';
import type { TaskReport } from '../../contracts/run-sinks.js';
import type { EditAnswer, InputEdit, TaskView } from '../../contracts/task.js';
import { decide } from '../approvals/decide.js';
import { asSlotAnswer, hearLock } from '../concurrency/take-turn.js';
import { modify, refuseEdit } from '../input-changes/apply-input-change.js';
import { waitsOf } from '../view/waits.js';
import { reportOf, resultOf } from './finish.js';
import type { TaskLifecycle } from './lifecycle.js';
import type { TaskRun } from './task-run.js';

/** Maximum number of kept signals; more are an error of the sender. */
const MAX_SIGNALS = 1000;

/** No handler waits for a step or an approval. */
export function registerHandlers(run: TaskRun): void {
  setHandler(defineQuery<TaskView>(QUERIES.task), () => viewOf(run), { description: 'The state of the task' });
  setHandler(defineQuery<TaskReport>(QUERIES.report), () => reportOf(run), {
    description: 'The inputs and outputs of its calls',
  });
  setHandler(
    defineSignal(SIGNALS.run),
    () => {
      run.life.runRequested = true;
    },
    { description: 'Run the created task' },
  );
  setHandler(defineSignal(SIGNALS.pause), () => setPaused(run.life, true), { description: 'Start nothing new' });
  setHandler(defineSignal(SIGNALS.resume), () => setPaused(run.life, false), { description: 'Go on' });
  setHandler(defineSignal<[Decision?]>(SIGNALS.approve), (decision) => decide(run, 'approve', decision), {
    description: 'Approve: {"approval_id": "...", "by": "your name", "comment": "..."}',
  });
  setHandler(defineSignal<[Decision?]>(SIGNALS.deny), (decision) => decide(run, 'deny', decision), {
    description: 'Deny: {"approval_id": "...", "by": "your name", "comment": "...", "request_changes": false}',
  });
  setHandler(defineQuery<DecisionOutcome | null, [string]>(QUERIES.decision), (id) => run.approvals.outcomeOf(id), {
    description: 'What became of the decision with this id',
  });
  if (run.task.plan.concurrency) {
    setHandler(defineSignal<[unknown]>(SLOT_SIGNAL), (said) => hearLock(run, asSlotAnswer(said)));
  }
  setHandler(defineUpdate<EditAnswer, [InputEdit]>(UPDATES.modify), (edit) => modify(run, edit), {
    validator: (edit) => refuseEdit(run, edit),
    description: 'Change the input of a created task: {"set": {...}, "unset": [...], "by": {"name": "your name"}}',
  });
  const awaited = new Set(
    run.task.listed.flatMap(({ step }) => (step.verb === 'wait' && 'signal' in step.wait ? [step.wait.signal] : [])),
  );
  setDefaultSignalHandler((name, payload) => receive(run, awaited, name, (payload ?? null) as Json));
}

/** Keeps a signal until a wait takes it, even if it comes earlier. Source: docs/workflow-language.md#waits. */
function receive(run: TaskRun, awaited: ReadonlySet<string>, name: string, payload: Json): void {
  if (!awaited.has(name)) {
    const names = [...awaited].join(', ');
    run.warnings.add(
      `The signal ${name} was ignored: ${names ? `this task waits for ${names}` : 'this task waits for none'}`,
    );
  } else if (run.steps.signals.length >= MAX_SIGNALS) {
    run.warnings.add(`The signal ${name} was ignored: ${MAX_SIGNALS} others are waiting already`);
  } else run.steps.signals.push({ name, payload });
  run.life.changed();
}

function setPaused(life: TaskLifecycle, paused: boolean): void {
  life.paused = paused;
  life.changed();
}

function viewOf(run: TaskRun): TaskView {
  return {
    ...resultOf(run),
    error: run.life.ending?.error ?? null,
    created_at: run.task.createdAt,
    input: run.input.value,
    summary: run.task.plan.ability.summary,
    progress: run.steps.progress,
    paused: run.life.paused,
    ...waitsOf(run.steps, run.life.dueAt),
  };
}
