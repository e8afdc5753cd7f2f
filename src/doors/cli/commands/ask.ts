import { type Connection, stopSession, viewTask } from '../../../client/index.js';
import { CODES } from '../../../contracts/codes.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { findScope } from '../../../definitions/find-scope.js';
import type { Registry } from '../../../definitions/registry.js';
import { defined } from '../../../text/defined.js';
import { type ActedAsk, actOnRequest, endAsk } from '../../answers/ask/ask.js';
import type { AskAnswer, Request } from '../../answers/ask/ask-shapes.js';
import { type BegunAsk, beginAsk, orAnswered } from '../../answers/ask/begin-ask.js';
import { dryRun } from '../../answers/ask/dry-run.js';
import { askText, Cancelled, canAsk } from '../input/ask.js';
import { readCaller, readTrace } from '../input/read-caller.js';
import { renderAnswer, renderBefore, unnamedOptions } from '../output/render-ask.js';
import { asTyped, commandOf } from '../output/typed-command.js';
import type { ChoosingFlags } from '../program/choosing.js';
import { type Context, currentUser, environmentOf, openRegistry } from '../program/context.js';
import { connectedInTime, type Deadline } from './following/deadline.js';
import { followTask, readPatience } from './following/follow-task.js';
import { notingStalls } from './run.js';
import { strictly } from './task/review-definitions.js';

type Flags = ChoosingFlags['ask'];

/**
 * `ability ask TEXT`: leads from a request in plain words to the run of an ability, one question, or the reason
 * for neither. At a terminal it is a conversation. Source: R-003-02, R-004-16 to R-004-23.
 */
export async function run(context: Context, [words]: [string[]], flags: Flags): Promise<ExitCode> {
  const given = words.join(' ');
  const text = given === '-' ? context.terminal.readInput() : given;
  const patience = readPatience(context.terminal.isLive, flags);
  const registry = await openRegistry(context);
  const request = await requestOf(context, registry, text, flags);
  if (flags.dryRun) return report(context, await dryRun(request));
  const session = flags.session ?? (context.env.ABILITY_SESSION || undefined);
  // Logged first, even if no server is reached then.
  const begun = beginAsk(request, { run: flags.key, session });
  return connectedInTime(context, registry, patience, 'Nothing was run', (connection, deadline) =>
    converse({ context, connection, flags, deadline }, request, begun, session),
  );
}

async function requestOf(context: Context, registry: Registry, text: string, flags: Flags): Promise<Request> {
  const { env, cwd } = context;
  return {
    text,
    registry,
    environment: await environmentOf(context, registry),
    scope: findScope(registry.root, cwd, flags.scope, env),
    user: currentUser(env),
    caller: readCaller(env),
    env,
    agreed: context.flags.yes === true,
    ...defined({ plan: flags.plan, pack: flags.pack }),
  };
}

interface Talk {
  context: Context;
  connection: Connection;
  flags: Flags;
  deadline: Deadline;
}

/** At a terminal, asks until no question is open; elsewhere the question is the answer. */
async function converse(
  talk: Talk,
  first: Request,
  begunFirst: BegunAsk,
  given: string | undefined,
): Promise<ExitCode> {
  const { context, connection } = talk;
  let [request, begun, session] = [first, begunFirst, given];
  for (;;) {
    if (begun.answered) return again(talk, begun.answered);
    const place = { session };
    const came = await orAnswered(request, begun, async () => {
      const signal = talk.deadline.signal;
      const options = taskOptions(talk, first.registry);
      const acted = await actOnRequest(connection, { ...request, signal }, begun, place, options);
      return { acted, ...(await finish(talk, begun, acted)) };
    });
    if ('answered' in came) return again(talk, came.answered);
    const { acted, answer, exit } = came.done;
    if (answer.outcome !== 'asks' || !canAsk(context)) {
      if (answer.outcome === 'asks') noteWayOn(context, acted.session);
      return exit;
    }
    const said = await askBack(talk, answer, acted);
    if (said === undefined) {
      context.terminal.note('Nothing was run.');
      return EXIT.interrupted;
    }
    // A pack is for the request, not for the answer to a question.
    const { pack: _, ...rest } = request;
    [request, session] = [{ ...rest, text: said }, acted.session];
    begun = beginAsk(request, { session });
  }
}

function taskOptions({ context, deadline }: Talk, registry: Registry): Parameters<typeof actOnRequest>[4] {
  return {
    trace: readTrace(context.env),
    onStall: notingStalls(context, deadline),
    ...strictly(context, registry),
  };
}

/** For a repeated run: prints its recorded answer, or follows its task. */
async function again({ context, connection, flags, deadline }: Talk, answer: AskAnswer): Promise<ExitCode> {
  const [task] = answer.tasks;
  if (!task || context.flags.json) return report(context, answer);
  return followTask(context, connection, task.task_key, flags, deadline);
}

async function finish(talk: Talk, begun: BegunAsk, acted: ActedAsk): Promise<{ answer: AskAnswer; exit: ExitCode }> {
  const { context, connection, flags, deadline } = talk;
  const { terminal } = context;
  for (const line of context.flags.json ? [] : renderBefore(acted.answer, terminal.style)) terminal.note(line);
  if (!acted.created) {
    const answer = await endAsk(connection, begun, acted);
    // At a terminal the question itself follows.
    const exit = answer.outcome === 'asks' && canAsk(context) ? EXIT.waiting : report(context, answer);
    return { answer, exit };
  }
  const key = acted.created.id;
  if (!context.flags.json) terminal.note(`task ${key}`);
  let shown: unknown = null;
  // JSON output is one value, which includes the task's result.
  const printJson = (value: unknown): void => {
    shown = value;
  };
  const quiet = context.flags.json ? { ...context, terminal: { ...terminal, printJson } } : context;
  const exit = await followTask(quiet, connection, key, flags, deadline).catch(async (error: unknown) => {
    // The task continues without this command, and the session says so.
    await endAsk(connection, begun, acted);
    throw error;
  });
  const { result } = await viewTask(connection, key);
  const answer = await endAsk(connection, begun, acted, result);
  const tasks = answer.tasks.map((task) => ({ ...task, result: shown }));
  if (context.flags.json) terminal.printJson({ ...answer, tasks });
  return { answer, exit };
}

/** The user's answer; undefined at Ctrl-C, which also ends the session opened for the request. */
async function askBack(
  { context, connection }: Talk,
  answer: AskAnswer,
  { session, ownsSession }: ActedAsk,
): Promise<string | undefined> {
  const question = answer.question ?? answer.answer;
  const message = `${question}${unnamedOptions(question, answer.options)}`;
  try {
    return await askText(context, undefined, { flag: 'an answer', message });
  } catch (error) {
    if (ownsSession) await stopSession(connection, session);
    if (error instanceof Cancelled) return undefined;
    throw error;
  }
}

function noteWayOn(context: Context, session: string): void {
  if (context.flags.json) return;
  const command = asTyped(commandOf('ability', 'ask', '--session', session, 'ANSWER'), context);
  context.terminal.note(`Answer with: ${command}`);
}

function report({ flags, terminal }: Context, answer: AskAnswer): ExitCode {
  if (flags.json) terminal.printJson(answer);
  else terminal.print(renderAnswer(answer));
  if (answer.outcome === 'asks') return EXIT.waiting;
  if (answer.outcome !== 'unavailable') return EXIT.ok;
  const code = answer.problem?.code;
  return code !== undefined && code in CODES ? CODES[code as keyof typeof CODES].exit : EXIT.unavailable;
}
