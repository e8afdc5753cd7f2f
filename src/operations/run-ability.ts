import { z } from 'zod';
import type { Connection } from '../client/index.js';
import { usageError } from '../contracts/problem.js';
import { ROUTES } from '../contracts/routing.js';
import type { TaskResult } from '../contracts/task.js';
import { type ActedAsk, actOnRequest, endAsk } from './ask/ask.js';
import { type AskAnswer, OUTCOMES, type Request } from './ask/ask-shapes.js';
import { type BegunAsk, beginAsk, dryRun, orAnswered } from './ask/begin-ask.js';
import { start } from './concerns.js';
import { created, createdAnswer, KEY, makeTask, meta, metaOf, newTask } from './create-task.js';
import * as fields from './fields.js';
import { environmentOf, type OpenProject, type OperationCaller, operation } from './operation.js';
import { taskResult } from './task-result.js';
import { resultAnswer, statusOfResult, waitFor } from './wait-for-result.js';

const input = newTask
  .extend({
    ability: newTask.shape.ability.optional().describe('Its id; either this or `prompt`.'),
    prompt: z.string().min(1).optional().describe('What is wanted, in plain words, instead of `ability` and `input`.'),
    pack: z.string().min(1).max(100).optional().describe('With `prompt`: the pack that is to do it.'),
    agreed: z.boolean().optional().describe('With `prompt`: consent in advance to a plan that only reads.'),
    dry_run: z.boolean().optional().describe('With `prompt`: only say what would be done.'),
    wait: fields.wait.optional(),
    soon: z
      .boolean()
      .optional()
      .describe('Answer once Temporal has the task; whether it was formed shows in its result.'),
    leaves: z.boolean().optional().describe('Run it even if a worker takes it up only later.'),
  })
  .describe('Either `ability`, or `prompt`.');

const result = taskResult.extend({ _meta: meta });

/** The answer to a request in plain words. */
const asked = z.looseObject({
  run: z
    .string()
    .nullable()
    .describe('The id of the run: that of `Idempotency-Key`, where one was sent; null with `dry_run`.'),
  session_id: z.string().nullable().describe('To answer a question, send the next `prompt` with this `session`.'),
  outcome: z.enum(OUTCOMES),
  answer: z.string(),
  question: z.string().nullable(),
  options: z.array(z.string()),
  decision: z.looseObject({ decision: z.enum(ROUTES), confidence: z.number() }),
  plan: z.array(z.looseObject({ ability_id: z.string() })),
  unused: z.array(z.string()).describe('Words of the request that the plan does not account for.'),
  problem: fields.problem.nullable(),
  tasks: z.array(
    z.looseObject({
      task_key: z.string(),
      ability_id: z.string(),
      status: z.string(),
      result: taskResult.optional().describe('As far as it has come within `wait`.'),
    }),
  ),
  _meta: z.looseObject({
    pack: z.string().nullable(),
    required_capabilities: z.array(z.string()),
    routing_method: z.string(),
  }),
});

type Wanted = z.output<typeof input>;

/** The answer of a run: that of the created task, its result, or that to a request in plain words. */
export type RunAnswer =
  | ReturnType<typeof createdAnswer>
  | (TaskResult & { _meta?: { session_id: string } })
  | (Omit<AskAnswer, 'tasks'> & { tasks: (AskAnswer['tasks'][number] & { result?: TaskResult })[] });

/** Runs an ability, or does what a request asks for. Source: R-004-20 to R-004-23. */
export const runAbility = operation({
  summary: 'Create and run a task for an ability or for a request in plain words; wait for its end for up to `wait`.',
  right: 'run',
  concerns: start,
  at: 'POST /v1/runs',
  input,
  headers: { key: KEY },
  starts: true,
  answers: {
    200: {
      means: 'It has ended, well or not: `status` says how. For a `prompt`: its outcome, if nothing is still running.',
      schema: result.or(asked),
    },
    202: { means: 'It goes on; without `wait`, only its key is returned.', schema: result.or(created).or(asked) },
  },
  status(answer: RunAnswer) {
    if (!('outcome' in answer)) return statusOfResult(answer);
    const [task] = answer.tasks;
    return task ? statusOfResult(task) : 200;
  },
  async run(project, caller, wanted, signal): Promise<RunAnswer> {
    const { ability, prompt } = onlyOne(wanted);
    if (prompt !== undefined) return inWords(project, caller, { ...wanted, prompt }, signal);
    const { wait, soon, leaves, pack: _, prompt: __, agreed: ___, dry_run: ____, ...task } = wanted;
    const made = await makeTask(project, caller, { ...task, ability }, { run: true, soon, leaves });
    if (wait === undefined) return createdAnswer(made);
    const result = await project.ask((connection) => waitFor(project, caller, connection, made.id, wait, signal));
    return made.session === null ? resultAnswer(result) : { ...resultAnswer(result), ...metaOf(made.session) };
  },
});

/** Fields that do not go with plain words, since choosing the ability decides them. */
const WITH_ABILITY = ['input', 'intent', 'soon', 'leaves'] as const;
const WITH_PROMPT = ['pack', 'agreed', 'dry_run'] as const;
const EITHER = 'Send {"ability": "...", "input": {...}}, or {"prompt": "..."}, with "pack" and "plan" if wanted.';

/** Requires either an ability or plain words. @throws AbilityError `usage.invalid`. Source: R-004-22. */
function onlyOne(wanted: Wanted): { ability: string; prompt?: undefined } | { ability?: undefined; prompt: string } {
  const { ability, prompt } = wanted;
  if (ability !== undefined && prompt !== undefined) throw usageError('Both ability and prompt were given', EITHER);
  if (prompt !== undefined) {
    const wrong = WITH_ABILITY.find((name) => wanted[name] !== undefined);
    if (wrong !== undefined) throw usageError(`${wrong} does not go with prompt`, EITHER);
    return { prompt };
  }
  if (ability === undefined) throw usageError('Neither ability nor prompt was given', EITHER);
  const wrong = WITH_PROMPT.find((name) => wanted[name] !== undefined);
  if (wrong !== undefined) throw usageError(`${wrong} does not go with ability`, EITHER);
  return { ability };
}

type InWords = Wanted & { prompt: string };

/**
 * A plan that needs consent is a question, answered by the next prompt. @throws AbilityError as `beginAsk`,
 * `actOnRequest`.
 */
async function inWords(
  project: OpenProject,
  caller: OperationCaller,
  wanted: InWords,
  signal: AbortSignal,
): Promise<RunAnswer> {
  const request = requestOf(project, caller, wanted, signal);
  if (wanted.dry_run) return dryRun(request);
  const given = wanted.session ?? caller.session ?? undefined;
  // Logged first, even if no server is reached then.
  const begun = beginAsk(request, { run: wanted.key, session: given });
  return project.ask(async (connection) => {
    const awaitEnd = (key: string): Promise<TaskResult> =>
      waitFor(project, caller, connection, key, wanted.wait, signal);
    if (begun.answered) return asBefore(wanted, begun.answered, awaitEnd);
    const act = async (session: string | undefined): Promise<RunAnswer> => {
      const came = await orAnswered(begun, async () => {
        const acted = await actOnRequest(connection, begun, { session, trace: caller.trace, signal });
        return answerFor(wanted, connection, begun, acted, awaitEnd);
      });
      return 'done' in came ? came.done : asBefore(wanted, came.answered, awaitEnd);
    };
    if (given !== undefined) return act(given);
    return project.inSession(connection, caller, request.environment, (session) => act(session ?? undefined));
  });
}

function requestOf(project: OpenProject, caller: OperationCaller, wanted: InWords, signal: AbortSignal): Request {
  const { prompt: text, pack, plan } = wanted;
  const registry = project.registry();
  return {
    text,
    registry,
    environment: environmentOf(project, registry, wanted.environment),
    scope: wanted.scope ?? caller.scope,
    user: caller.person,
    ...(caller.kind && { caller: caller.kind }),
    env: project.env,
    agreed: wanted.agreed === true,
    ...(pack !== undefined && { pack }),
    ...(plan !== undefined && { plan }),
    signal,
  };
}

type Await = (key: string) => Promise<TaskResult>;

async function answerFor(
  { wait }: InWords,
  connection: Connection,
  begun: BegunAsk,
  acted: ActedAsk,
  awaitEnd: Await,
): Promise<RunAnswer> {
  const [task] = acted.answer.tasks;
  if (!task || wait === undefined) return withSession(await endAsk(connection, begun, acted));
  const result = await awaitEnd(task.task_key);
  return withResult(await endAsk(connection, begun, acted, result), result);
}

/** A repeated run: its earlier answer, with the current state of its task. */
async function asBefore({ wait }: InWords, answer: AskAnswer, awaitEnd: Await): Promise<RunAnswer> {
  const [task] = answer.tasks;
  if (!task || wait === undefined) return withSession(answer);
  return withResult(answer, await awaitEnd(task.task_key));
}

function withResult(answer: AskAnswer, ended: TaskResult): RunAnswer {
  const result = resultAnswer(ended);
  const tasks = answer.tasks.map((task) => ({ ...task, status: ended.status, result }));
  return { ...withSession(answer), tasks };
}

function withSession(answer: AskAnswer): AskAnswer {
  const { session_id } = answer;
  return session_id === null ? answer : { ...answer, _meta: { ...answer._meta, session_id } };
}
