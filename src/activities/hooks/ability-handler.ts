import type { EventContext, HookAnswer } from '../../contracts/hooks.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { operationInput } from '../../planning/resolve/check-parameters.js';
import { signalWithin } from '../../rules/any-abort-signal.js';
import { evaluateTemplate } from '../../rules/expressions/template.js';
import { allowedAnswer, failedAnswer, type HandlerOf } from '../../rules/hooks/handlers.js';
import { isTaskId, keyOf } from '../../rules/tasks/task-ids.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { currentTraceparent } from '../../tracing/current-span.js';
import { CallLog } from '../call/call-log.js';
import { checkOutput } from '../call/check-call-output.js';
import type { Execute, RequestedCall } from '../call/execute.js';
import { CallFiles, type FileDependencies } from '../files/call-files.js';
import type { SecretReader } from '../secrets/secret-reader.js';
import { answerOf, questionOf } from './claude-code/answer-foreign.js';
import { readOutput } from './claude-code/read-verdict.js';
import { environmentIn, factsOf, type HookRun, isOfTask } from './hook-context.js';
import { readHookResult } from './read-hook-result.js';

/** Answers a hook whose handler is an ability. @throws where it cannot be called: the hook fails. */
export type AnswerAbility = (
  id: string,
  handler: HandlerOf<'ability'>,
  context: EventContext,
  run: HookRun,
) => Promise<HookAnswer>;

export interface AbilityHookDependencies {
  /** Root of the project, shown to hooks of other tools as their working directory. */
  root: string;
  execute: Execute;
  secrets: (environment: string) => SecretReader;
  files: FileDependencies;
}

/** Maximum bytes of an answer; a longer one is invalid. */
const MAX_BYTES = 1024 * 1024;

/** No hook fires around it and no mark is left: planning allows only repeatable ones. */
export function createAnswerAbility({ root, execute, secrets, files: store }: AbilityHookDependencies): AnswerAbility {
  return async (id, { operation, with: template, timeout_ms, foreign }, context, run) => {
    const { phase } = run;
    const step = `hooks/${phase}.${id}`;
    const log = new CallLog(run.logs?.folder, step, 1, run.logs?.share(step));
    const limit = signalWithin(timeout_ms, [run.signal]);
    const { signal: stop } = limit;
    const task = isOfTask(run) ? run.task : run.session;
    const files = new CallFiles(store, { task, files: [], limits: undefined, room: 0, signal: stop });
    try {
      const asking = foreign && questionOf({ foreign }, run, root);
      const allow = allowedAnswer(id, run);
      if (foreign && !asking) return allow;
      const environment = environmentIn(run);
      const path = `hooks/${phase}.${context.ability_id ?? 'session'}`;
      const trace = currentTraceparent() ?? run.trace;
      // With `with`, the event of another tool is its scope; without, it is the input.
      const event = asking?.event;
      const given = template
        ? evaluateTemplate(template, { values: event ?? factsOf(run), now: () => run.moment })
        : (event ?? { ...context });
      const call: RequestedCall = {
        input: operationInput(operation, given as JsonObject),
        taskKey: isTaskId(task) ? keyOf(task) : null,
        ability: operation.key,
        path,
        idempotencyKey: [task, run.path, path].filter(Boolean).join('/'),
        ...(trace !== undefined && { trace }),
        environment,
        timeoutMs: Math.min(timeout_ms, operation.implementation.timeout_ms),
        outputBytes: MAX_BYTES,
        inputSchema: operation.input_schema,
        outputSchema: operation.output_schema,
        signal: stop,
        stop,
        secrets: secrets(environment.name),
        begin: async () => {},
        log,
        files,
        outputFiles: undefined,
      };
      const answering = Promise.resolve(execute(operation, call));
      const output = checkOutput(operation, call, await Promise.race([answering, ended(stop)]));
      const value = log.maskDeep(output);
      refuseUnsafeKeys(value);
      if (foreign && asking) return answerOf(readOutput(value as Json, asking.question), allow, { foreign });
      return readHookResult(id, value, { phase, path: run.path, ability: context.ability_id });
    } catch (error) {
      if (limit.isLate()) return failedAnswer(id, run, `it took longer than ${timeout_ms} ms`);
      const said = error instanceof AbilityError ? `${error.message} (${error.code})` : String(error);
      return failedAnswer(id, run, log.mask(said));
    } finally {
      limit.release();
      log.save();
      await files.close();
    }
  };
}

/** Rejects after the stop signal, without waiting for a handler that ignores it. */
function ended(stop: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => void setTimeout(() => reject(stop.reason), 250);
    if (stop.aborted) end();
    else stop.addEventListener('abort', end, { once: true });
  });
}
