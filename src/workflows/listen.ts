import { defineQuery, defineSignal, defineUpdate, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import type { Decision, DecisionOutcome } from '../contracts/approvals.js';
import type { Json } from '../contracts/json.js';
import { QUERIES, SIGNALS, SLOT_SIGNAL, UPDATES } from '../contracts/names.js';
import type { ToldTask } from '../contracts/run-sinks.js';
import type { EditAnswer, InputEdit, TaskView } from '../contracts/task.js';
import { allSteps } from '../rules/find-step.js';
import { takeDecision } from './approvals.js';
import { type Outcome, resultOf, toldOf } from './finish.js';
import { modify, refuseEdit } from './modify.js';
import { asSlotAnswer, hearLock } from './take-turn.js';
import type { TaskRun } from './task-run.js';
import { waitsOf } from './waits.js';

/** More kept signals than this are a mistake of their sender. */
const MOST_SIGNALS = 1000;

/** Answers what people ask and takes what they send. No handler waits for a step or an approval. Source: design, section 6. */
export function listen(run: TaskRun): void {
  setHandler(defineQuery<TaskView>(QUERIES.task), () => viewOf(run), { description: 'How the task stands' });
  setHandler(defineQuery<ToldTask>(QUERIES.told), () => toldOf(run), {
    description: 'What its calls were given and gave',
  });
  setHandler(
    defineSignal(SIGNALS.run),
    () => {
      run.runRequested = true;
    },
    { description: 'Run the created task' },
  );
  setHandler(defineSignal(SIGNALS.pause), () => setPaused(run, true), { description: 'Start nothing new' });
  setHandler(defineSignal(SIGNALS.resume), () => setPaused(run, false), { description: 'Go on' });
  setHandler(
    defineSignal<[Decision?]>(SIGNALS.approve),
    (decision) => void takeDecision(run, 'approve', asDecision(decision)),
    { description: 'Approve: {"approval_id": "...", "by": "your name", "comment": "..."}' },
  );
  setHandler(
    defineSignal<[Decision?]>(SIGNALS.deny),
    (decision) => void takeDecision(run, 'deny', asDecision(decision)),
    { description: 'Deny: {"approval_id": "...", "by": "your name", "comment": "..."}' },
  );
  setHandler(
    defineUpdate<DecisionOutcome, [{ verdict: 'approve' | 'deny'; decision: Decision }]>(UPDATES.decide),
    ({ verdict, decision }) => takeDecision(run, verdict, asDecision(decision)),
    { validator: refuseNoVerdict, description: 'Decide on an approval' },
  );
  if (run.plan.concurrency) {
    setHandler(defineSignal<[unknown]>(SLOT_SIGNAL), (said) => hearLock(run, asSlotAnswer(said)));
  }
  setHandler(defineUpdate<EditAnswer, [InputEdit]>(UPDATES.modify), (edit) => modify(run, edit), {
    validator: (edit) => refuseEdit(run, edit),
    description: 'Change the input of a created task: {"set": {...}, "unset": [...], "by": {"name": "your name"}}',
  });
  const awaited = new Set(allSteps(run.plan).flatMap(({ step }) => (step.verb === 'wait' ? signalOf(step.wait) : [])));
  setDefaultSignalHandler((name, payload) => receive(run, awaited, name, (payload ?? null) as Json));
}

function signalOf(wait: object): string[] {
  return 'signal' in wait ? [String(wait.signal)] : [];
}

function refuseNoVerdict(argument: { verdict?: unknown } | undefined): void {
  if (argument?.verdict === 'approve' || argument?.verdict === 'deny') return;
  throw new TypeError('A decision has the form {verdict: "approve" | "deny", decision: {approval_id, by, comment}}');
}

/** A signal is kept until a wait takes it, also one that comes before its wait. Source: answers, 49. */
function receive(run: TaskRun, awaited: ReadonlySet<string>, name: string, payload: Json): void {
  if (!awaited.has(name)) {
    const names = [...awaited].join(', ');
    run.warnings.push(
      `The signal ${name} was ignored: ${names ? `this task waits for ${names}` : 'this task waits for none'}`,
    );
  } else if (run.signals.length >= MOST_SIGNALS) {
    run.warnings.push(`The signal ${name} was ignored: ${MOST_SIGNALS} others wait to be taken`);
  } else run.signals.push({ name, payload });
  run.changed();
}

function setPaused(run: TaskRun, paused: boolean): void {
  run.paused = paused;
  run.changed();
}

/** What people send by hand may be anything. */
function asDecision(value: unknown): Decision {
  if (value === null || typeof value !== 'object') return {};
  const { approval_id, by, comment, fields } = value as Record<string, unknown>;
  return {
    ...(typeof approval_id === 'string' && { approval_id }),
    ...(typeof by === 'string' && { by }),
    ...(typeof comment === 'string' && { comment }),
    ...(fields !== null && typeof fields === 'object' && { fields: fields as Record<string, Json> }),
  };
}

function viewOf(run: TaskRun): TaskView {
  const outcome = run.ending as Outcome | undefined;
  return {
    ...resultOf(run),
    error: outcome?.error ?? null,
    created_at: run.createdAt,
    input: run.input,
    summary: run.plan.ability.summary,
    progress: run.progress,
    paused: run.paused,
    ...waitsOf(run),
  };
}
