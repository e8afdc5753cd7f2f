import { defineQuery, defineSignal, defineUpdate, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import type { Decision, DecisionOutcome, DecisionProof, Verdict } from '../../contracts/approvals.js';
import type { Json } from '../../contracts/json.js';
import { QUERIES, SIGNALS, SLOT_SIGNAL, UPDATES } from '../../contracts/names.js';
import type { ToldTask } from '../../contracts/run-sinks.js';
import type { EditAnswer, InputEdit, TaskView } from '../../contracts/task.js';
import type { Proof } from '../../rules/decide-approval.js';
import { allSteps } from '../../rules/find-step.js';
import { takeDecision } from '../approvals/await-approval.js';
import { decideProved } from '../approvals/prove-decision.js';
import { asSlotAnswer, hearLock } from '../concurrency/take-turn.js';
import { modify, refuseEdit } from '../input-changes/change-input.js';
import { waitsOf } from '../view/waits.js';
import { type Outcome, resultOf, toldOf } from './finish.js';
import type { TaskRun } from './task-run.js';

/** More kept signals than this are a mistake of their sender. */
const MOST_SIGNALS = 1000;

/** Answers what people ask and takes what they send. No handler waits for a step or an approval. Source: docs/architecture.md#the-way-of-a-task. */
export function listen(run: TaskRun): void {
  setHandler(defineQuery<TaskView>(QUERIES.task), () => viewOf(run), { description: 'The state of the task' });
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
  setHandler(defineSignal<[Decision?]>(SIGNALS.approve), (decision) => takeSignal(run, 'approve', decision), {
    description: 'Approve: {"approval_id": "...", "by": "your name", "comment": "..."}',
  });
  setHandler(defineSignal<[Decision?]>(SIGNALS.deny), (decision) => takeSignal(run, 'deny', decision), {
    description: 'Deny: {"approval_id": "...", "by": "your name", "comment": "...", "request_changes": false}',
  });
  setHandler(
    defineUpdate<DecisionOutcome, [{ verdict: Verdict; decision: Decision }]>(UPDATES.decide),
    ({ verdict, decision }) => decideProved(run, verdict, asDecision(decision)),
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
  if (VERDICTS.some((verdict) => verdict === argument?.verdict)) return;
  throw new TypeError(
    'A decision has the form {verdict: "approve" | "deny" | "request_changes", decision: {approval_id, by, comment}}',
  );
}

const VERDICTS: readonly Verdict[] = ['approve', 'deny', 'request_changes'];

/** Nobody stands behind a signal but whoever it names, so that it never counts where proof is required. */
function takeSignal(run: TaskRun, name: 'approve' | 'deny', sent: unknown): void {
  const { proof: _, ...decision } = asDecision(sent);
  const verdict = name === 'deny' && decision.request_changes ? 'request_changes' : name;
  takeDecision(run, verdict, decision, FROM_SIGNAL);
}

const FROM_SIGNAL: Proof = {
  proved: false,
  reason: 'it came as a signal, which proves nothing, and proof of who decides is required here',
};

/** A signal is kept until a wait takes it, also one that comes before its wait. Source: docs/workflow-language.md#waits. */
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
  const { approval_id, by, comment, fields, request_changes, proof } = value as Record<string, unknown>;
  return {
    ...(typeof approval_id === 'string' && { approval_id }),
    ...(typeof by === 'string' && { by }),
    ...(typeof comment === 'string' && { comment }),
    ...(fields !== null && typeof fields === 'object' && { fields: fields as Record<string, Json> }),
    ...(request_changes === true && { request_changes }),
    ...(isProof(proof) && { proof }),
  };
}

function isProof(value: unknown): value is DecisionProof {
  if (value === null || typeof value !== 'object') return false;
  const { nonce, mac, token } = value as Record<string, unknown>;
  const isNamed = token === undefined || typeof token === 'string';
  return typeof nonce === 'string' && typeof mac === 'string' && isNamed;
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
