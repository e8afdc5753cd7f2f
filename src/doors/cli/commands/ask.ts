import { type Connection, stopSession, viewTask } from '../../../client/index.js';
import { CODES } from '../../../contracts/codes.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { findScope } from '../../../definitions/find-scope.js';
import type { Registry } from '../../../definitions/registry.js';
import { type ActedAsk, actOnRequest, endAsk } from '../../../operations/ask/ask.js';
import type { AskAnswer, PlannedCall, Request } from '../../../operations/ask/ask-shapes.js';
import { type BegunAsk, beginAsk, orAnswered } from '../../../operations/ask/begin-ask.js';
import type { InputOf } from '../../../operations/over-http/call-door.js';
import { currentUser, readCaller, readTrace } from '../../../operations/read-caller.js';
import { asTyped, commandOf } from '../../../shown/typed-command.js';
import { defined } from '../../../text/defined.js';
import { listed } from '../../../text/listed.js';
import { askText, Cancelled, canAsk } from '../input/ask.js';
import { plainText } from '../output/plain-text.js';
import type { Style } from '../output/terminal/terminal.js';
import type { ChoosingFlags } from '../program/choosing.js';
import { type Context, environmentGiven, environmentOf, openRegistry, printAnswer } from '../program/context.js';
import { withDefinitions } from '../program/project-client.js';
import { type ProjectClient, scopeIn } from '../program/project-operations.js';
import { type Deadline, type Patience, projectInTime } from './following/deadline.js';
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
  if (flags.dryRun)
    return withDefinitions(context, async (project) => {
      return report(context, await askOnce(context, project, text, flags, { pack: flags.pack, dry_run: true }));
    });
  if (context.door) return askThere(context, text, flags, patience);
  const registry = await openRegistry(context);
  const request = await requestOf(context, registry, text, flags);
  const session = flags.session ?? (context.env.ABILITY_SESSION || undefined);
  // Logged first, even if no server is reached then.
  const begun = beginAsk(request, { run: flags.key, session });
  return projectInTime(context, patience, 'Nothing was run', (project, deadline) =>
    project.here((connection) => converse({ context, project, connection, flags, deadline }, request, begun, session)),
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
  project: ProjectClient;
  connection: Connection;
  flags: Flags;
  deadline: Deadline;
}

/** At a terminal, asks until no question is open; elsewhere the question is the answer. */
async function converse(talk: Talk, first: Request, begunFirst: BegunAsk, given: string | undefined) {
  const { context, connection, deadline } = talk;
  let [request, begun, session] = [first, begunFirst, given];
  for (;;) {
    if (begun.answered) return again(talk, begun.answered);
    const came = await orAnswered(begun, async () => {
      const { signal } = deadline;
      const onStall = notingStalls(context, deadline);
      const options = { trace: readTrace(context.env), onStall, ...strictly(context, first.registry) };
      const acted = await actOnRequest(connection, begun, { ...options, session, signal });
      return { acted, ...(await finish(talk, begun, acted)) };
    });
    if ('answered' in came) return again(talk, came.answered);
    const { acted, answer, exit } = came.done;
    if (answer.outcome !== 'asks' || !canAsk(context)) return unasked(context, answer, acted.session, exit);
    const leave = () => (acted.ownsSession ? stopSession(connection, acted.session) : undefined);
    const said = await askBack(context, answer, leave);
    if (said === undefined) return EXIT.interrupted;
    // A pack is for the request, not for the answer to a question.
    const { pack: _, ...rest } = request;
    [request, session] = [{ ...rest, text: said }, acted.session];
    begun = beginAsk(request, { session });
  }
}

/** For a repeated run: prints its recorded answer, or follows its task. */
async function again({ context, project, flags, deadline }: Talk, answer: AskAnswer): Promise<ExitCode> {
  const [task] = answer.tasks;
  if (!task || context.flags.json) return report(context, answer);
  return followTask(context, project, task.task_key, flags, deadline);
}

async function finish(talk: Talk, begun: BegunAsk, acted: ActedAsk): Promise<{ answer: AskAnswer; exit: ExitCode }> {
  const { context, project, connection, flags, deadline } = talk;
  const { terminal } = context;
  for (const line of context.flags.json ? [] : renderBefore(acted.answer, terminal.style)) terminal.note(line);
  if (!acted.created) {
    const answer = await endAsk(connection, begun, acted);
    // At a terminal the question itself follows.
    const exit = answer.outcome === 'asks' && canAsk(context) ? EXIT.waiting : report(context, answer);
    return { answer, exit };
  }
  const key = acted.created.id;
  const { exit, shown } = await followQuietly(context, project, key, flags, deadline).catch(async (error: unknown) => {
    // The task continues without this command, and the session says so.
    await endAsk(connection, begun, acted);
    throw error;
  });
  const { result } = await viewTask(connection, key);
  const answer = await endAsk(connection, begun, acted, result);
  if (context.flags.json) terminal.printJson(withShown(answer, shown));
  return { answer, exit };
}

/** JSON output is one value, which includes the task's result; so that is returned, and not printed. */
async function followQuietly(context: Context, project: ProjectClient, key: string, flags: Flags, deadline: Deadline) {
  const { terminal } = context;
  if (!context.flags.json) terminal.note(`task ${key}`);
  let shown: unknown = null;
  const printJson = (value: unknown): void => {
    shown = value;
  };
  const quiet = context.flags.json ? { ...context, terminal: { ...terminal, printJson } } : context;
  const exit = await followTask(quiet, project, key, flags, deadline);
  return { exit, shown };
}

function withShown(answer: AskAnswer, shown: unknown) {
  return { ...answer, tasks: answer.tasks.map((task) => ({ ...task, result: shown })) };
}

/** A request to the operation, which answers even where it runs nothing. */
async function askOnce(
  context: Context,
  project: ProjectClient,
  prompt: string,
  { plan, scope }: Flags,
  more: Partial<Pick<InputOf<'runAbility'>, 'session' | 'key' | 'pack' | 'dry_run'>>,
  signal?: AbortSignal,
): Promise<AskAnswer> {
  const place = { environment: environmentGiven(context), scope: scopeIn(project, context, scope) };
  const given = { prompt, agreed: context.flags.yes === true, ...defined({ ...place, plan, ...more }) };
  return (await project.call('runAbility', given, signal)) as AskAnswer;
}

/** The same through a door: a question is answered by the next request in its session. */
function askThere(context: Context, text: string, flags: Flags, patience: Patience): Promise<ExitCode> {
  return projectInTime(context, patience, 'Nothing was run', async (project, deadline) => {
    const ask = (prompt: string, more: Parameters<typeof askOnce>[4]) =>
      askOnce(context, project, prompt, flags, more, deadline.signal);
    const { key, pack } = flags;
    let answer = await ask(text, { key, pack, session: flags.session ?? (context.env.ABILITY_SESSION || undefined) });
    for (;;) {
      for (const line of context.flags.json ? [] : renderBefore(answer, context.terminal.style))
        context.terminal.note(line);
      const [task] = answer.tasks;
      if (task) {
        const { exit, shown } = await followQuietly(context, project, task.task_key, flags, deadline);
        if (context.flags.json) context.terminal.printJson(withShown(answer, shown));
        return exit;
      }
      const { session_id: id } = answer;
      if (answer.outcome !== 'asks' || id === null || !canAsk(context))
        return unasked(context, answer, id, report(context, answer));
      const leave = () => (flags.session === undefined ? project.call('stopSession', { id }) : undefined);
      const said = await askBack(context, answer, leave);
      if (said === undefined) return EXIT.interrupted;
      answer = await ask(said, { session: id });
    }
  });
}

/** A question that is not asked here can be answered later. */
function unasked(
  { flags, terminal, env }: Context,
  { outcome }: AskAnswer,
  session: string | null,
  exit: ExitCode,
): ExitCode {
  if (outcome !== 'asks' || flags.json || session === null) return exit;
  terminal.note(`Answer with: ${asTyped(commandOf('ability', 'ask', '--session', session, 'ANSWER'), { flags, env })}`);
  return exit;
}

/** The user's answer; undefined at Ctrl-C, which also ends the session opened for the request. */
async function askBack(context: Context, answer: AskAnswer, leave: () => unknown): Promise<string | undefined> {
  const question = answer.question ?? answer.answer;
  const message = `${question}${unnamedOptions(question, answer.options)}`;
  try {
    return await askText(context, undefined, { flag: 'an answer', message });
  } catch (error) {
    await leave();
    if (!(error instanceof Cancelled)) throw error;
    context.terminal.note('Nothing was run.');
    return undefined;
  }
}

function report(context: Context, answer: AskAnswer): ExitCode {
  printAnswer(context, answer, () => renderAnswer(answer));
  if (answer.outcome === 'asks') return EXIT.waiting;
  if (answer.outcome !== 'unavailable') return EXIT.ok;
  const codes: Partial<Record<string, { exit: ExitCode }>> = CODES;
  return codes[answer.problem?.code ?? '']?.exit ?? EXIT.unavailable;
}

/** The text before an answer: hints of the hooks, and the plan with its reason. For stderr. */
function renderBefore(answer: Pick<AskAnswer, 'turn_context' | 'plan' | 'decision'>, style: Style): string[] {
  const { risk_alerts = [], ability_guards = [] } = answer.turn_context?.hook_signals ?? {};
  const guards = ability_guards
    .filter(({ decision }) => decision !== 'allow')
    .map(({ ability_id, decision, reason }) => `${ability_id}: ${decision.replaceAll('_', ' ')}, ${reason}`);
  const alerts = [...risk_alerts, ...guards].map((text) => `${style('yellow', 'warning')} ${plainText(text, '  ')}`);
  return [...alerts, ...answer.plan.flatMap((call) => planLines(call, answer.decision, style))];
}

function planLines(
  { ability_id, input, effects, approvals, warnings }: PlannedCall,
  { rationale, continuation }: AskAnswer['decision'],
  style: Style,
): string[] {
  const inputs = Object.entries(input).map(([name, value]) => `  ${name}  ${plainText(JSON.stringify(value))}`);
  const expected = approvals.map(({ title, asked: when, approvers }) => {
    const by = approvers.length > 0 ? ` by ${listed(approvers, 'or')}` : '';
    return `  approval  ${plainText(title)}${by}${when === 'maybe' ? ', perhaps' : ''}`;
  });
  return [
    `${style('bold', ability_id)}  ${effects.replaceAll('_', ' ')}`,
    ...inputs,
    ...expected,
    ...warnings.map((warning) => `  ${style('yellow', 'warning')} ${plainText(warning, '    ')}`),
    ...(continuation ? [] : [`  because ${plainText(rationale)}`]),
  ];
}

function renderAnswer({ outcome, answer, question, options, problem }: AskAnswer): string {
  const said = [answer, ...(question !== null && question !== answer ? [question] : [])];
  const choices = outcome === 'asks' ? unnamedOptions(said.join('\n'), options) : '';
  const advice = problem?.suggestion ? `\n  ${problem.suggestion}` : '';
  const code = problem ? `${problem.code}: ` : '';
  return `${code}${said.map((text) => plainText(text)).join('\n')}${plainText(choices)}${plainText(advice)}`;
}

/** The options that a question does not name itself: ` (yes or no)`. */
function unnamedOptions(question: string, options: readonly string[]): string {
  if (options.every((option) => question.includes(option))) return '';
  return ` (${listed(options, 'or')})`;
}
