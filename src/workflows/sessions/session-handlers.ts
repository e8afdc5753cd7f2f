import {
  ApplicationFailure,
  condition,
  defineQuery,
  defineUpdate,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import { ACTIVITIES, QUERIES, SESSION_UPDATES } from '../../contracts/names.js';
import type { Problem } from '../../contracts/problem.js';
import type {
  AskPromptAnswer,
  AskPromptRequest,
  PromptRequest,
  SessionThread,
  SessionView,
  SignedWord,
  ThreadNote,
  TurnContext,
  WordAnswer,
} from '../../contracts/session.js';
import { answerInSession } from '../../rules/sessions/call-ledger.js';
import { isPromptRequest, isSignedWord, isThreadNote } from '../../rules/sessions/read-session-start.js';
import { localActivity } from '../calls/local-activities.js';
import { asApplicationFailure, readActivityFailure } from '../steps/step-failure.js';
import { askEvent } from './ask-event.js';
import type { SessionRun } from './session-run.js';

export function hearSession(run: SessionRun): void {
  setHandler(defineQuery<SessionView>(QUERIES.session), () => run.view(), { description: 'The state of the session' });
  setHandler(defineQuery<SessionThread>(QUERIES.thread), () => run.thread, {
    description: 'What was said in it last, and what waits for an answer',
  });
  setHandler(defineUpdate<void, [ThreadNote]>(SESSION_UPDATES.note), (note) => noteThread(run, note), {
    validator: (note) => {
      refuseStopped(run);
      if (!isThreadNote(note))
        throw refusal('usage.invalid', 'A note has the form {messages: [{role, text}], pending}');
    },
    description: 'What was answered to the user, and what waits for them',
  });
  setHandler(defineUpdate<void, []>(SESSION_UPDATES.open), () => untilOpen(run), {
    description: 'Wait until the hooks of its start have let it begin',
  });
  const inTurn = oneAtATime();
  setHandler(
    defineUpdate<TurnContext, [PromptRequest]>(SESSION_UPDATES.prompt),
    (request) => inTurn(() => prompt(run, request)),
    {
      validator: (request) => {
        refuseStopped(run);
        if (!isPromptRequest(request))
          throw refusal('usage.invalid', 'A prompt has the form {prompt, user: {name, source}}');
      },
      description: 'What the user asks: {"prompt": "...", "user": {"name": "ada", "source": "claimed"}}',
    },
  );
  setHandler(
    defineUpdate<void, []>(SESSION_UPDATES.stop),
    () => {
      run.stopRequested = true;
    },
    { validator: () => refuseStopped(run), description: 'End the session; its tasks go on' },
  );
  setHandler(defineUpdate<WordAnswer, [SignedWord]>(SESSION_UPDATES.word), (word) => hear(run, word), {
    validator: (word) => {
      if (!isSignedWord(word))
        throw refusal('seal.invalid', 'What only workers report to a session did not come from one');
      // The end of a call is accepted even while the session's end hooks run.
      if (word.word.kind !== 'ended') refuseStopped(run);
    },
    description: 'What only workers of the project report to it, signed',
  });
}

async function noteThread(run: SessionRun, { messages, pending }: ThreadNote): Promise<void> {
  await untilOpen(run);
  refuseStopped(run);
  run.touch();
  for (const message of messages) run.noteSaid(message);
  run.thread = { ...run.thread, pending };
}

/** Runs the hooks of a prompt. Their answers never stop it. Source: R-002-24, R-002-36; C-08, C-11. */
async function prompt(run: SessionRun, { prompt: text, user }: PromptRequest): Promise<TurnContext> {
  await untilOpen(run);
  refuseStopped(run);
  run.touch();
  run.turnIndex += 1;
  run.noteSaid({ role: 'user', text });
  const guards = run.guards;
  run.guards = [];
  try {
    const tasks = [...run.tasks.values()].filter(({ settled }) => !settled);
    const question: AskPromptRequest = {
      ...run.surroundings,
      prompt: text,
      // A claim, whatever the client says.
      user: { name: user.name, source: 'claimed' },
      turn_index: run.turnIndex,
      moment: Date.now(),
      guards,
      tasks,
    };
    const answer = await askEvent<AskPromptAnswer>('prompt', question, `turn ${run.turnIndex}`, tasks.length === 0);
    run.turnContext = answer.turn_context;
    run.hooks = answer.hooks;
    run.audit(`turn ${question.turn_index}`);
    // Reports received meanwhile are newer.
    run.noteTasks(answer.tasks.filter(({ task_key }) => !run.tasks.get(task_key)?.settled));
    run.noteSignals(answer.unknown_signals);
    run.touch();
    return answer.turn_context;
  } catch (error) {
    run.guards = [...guards, ...run.guards];
    throw asRefusal(run, error);
  }
}

/** Applies a worker's report at once, after its seal key has proved it. */
async function hear(run: SessionRun, signed: SignedWord): Promise<WordAnswer> {
  await untilOpen(run);
  const check = localActivity<SignedWord, void>(ACTIVITIES.checkWord, {
    scheduleToCloseTimeout: '10s',
    retry: { maximumAttempts: 3, initialInterval: '200ms' },
  });
  try {
    await check(signed);
  } catch (error) {
    throw asRefusal(run, error);
  }
  const { word } = signed;
  if (word.kind !== 'ended') refuseStopped(run);
  run.touch();
  switch (word.kind) {
    case 'task': {
      const known = run.tasks.get(word.task_key);
      // A key that was refused at creation may be used again.
      if (!known || (known.settled && known.status === 'unavailable'))
        run.noteTasks([{ task_key: word.task_key, ability_id: word.ability_id, status: 'created', told: 0 }]);
      return {};
    }
    case 'guards': {
      const task = run.tasks.get(word.task_key);
      if (word.refused && task) run.noteTasks([{ ...task, status: 'unavailable', settled: true }]);
      run.guards.push(...word.guards);
      return {};
    }
    case 'tool':
      run.noteToolAnswer(word.answer);
      return {};
    case 'raised':
      run.ledger.raise(word.hook, word.id, word.by);
      return {};
    case 'call':
      return { hooks: answerInSession(run.start.session_id, run.ledger, word) };
    case 'ended':
      run.ledger.end(word.id, word.status);
      return {};
  }
}

/** @throws ApplicationFailure with a start hook's reason to refuse the session. */
async function untilOpen(run: SessionRun): Promise<void> {
  if (run.status === 'starting') await condition(() => run.status !== 'starting');
  if (run.refusal) throw asApplicationFailure(run.refusal);
}

function refuseStopped(run: SessionRun): void {
  const { status, stopRequested } = run;
  if ((status !== 'open' && status !== 'starting') || stopRequested) throw stopped(run);
}

function stopped({ start }: SessionRun): ApplicationFailure {
  return refusal('session.stopped', `The session ${start.session_id} has ended`);
}

function refusal(type: string, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}

function asRefusal(run: SessionRun, error: unknown): Error {
  // Only the cancellation of the session itself cancels what its handlers ask.
  if (isCancellation(error)) return stopped(run);
  const end = readActivityFailure(error);
  const problem: Problem =
    end.kind === 'problem'
      ? end.problem
      : { code: 'worker.unavailable', message: 'No worker answered for the session in time' };
  return asApplicationFailure(problem);
}

function oneAtATime(): <T>(action: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (action) => {
    const next = last.then(action, action);
    last = next.catch(() => {});
    return next;
  };
}
