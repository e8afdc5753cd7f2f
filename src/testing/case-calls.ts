import { Readable } from 'node:stream';
import { Context } from '@temporalio/activity';
import type { CallInput } from '../activities/call/call-input.js';
import type { Execute } from '../activities/call/execute.js';
import type { FileValue } from '../contracts/files.js';
import type { Json, JsonObject } from '../contracts/json.js';
import type { PlanOperation } from '../contracts/plan.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import type { MockAnswer } from '../definitions/formats/cases.js';
import { kindOf } from '../kinds/kinds.js';
import { lastOf } from './plan-names.js';
import type { PreparedCase } from './prepared-case.js';

/** An executed call, once for all its attempts. */
export interface SeenCall {
  call: string;
  /** Step path. */
  path: string;
  input: JsonObject;
}

interface SequencedCall extends SeenCall {
  /** Whether it is a request to an agent's model. */
  isModel: boolean;
  run: string;
  /** Number of the activity in its run: the order in which the workflow scheduled it. */
  sequence: number;
}

/** Answers the calls of one case from its mocks, and notes them. */
export class CaseCalls {
  /** Calls without a mock; each fails the case, even if the workflow handles the error. */
  readonly unanswered: Problem[] = [];
  private readonly arrived: SequencedCall[] = [];
  private readonly used = new Map<string, number>();

  constructor(private readonly mocks: PreparedCase['mocks']) {}

  /** Calls of each run in scheduling order; with parallel branches, they may arrive in another order. */
  get seen(): SeenCall[] {
    const runs = new Map<string, SequencedCall[]>();
    for (const call of this.arrived) {
      const calls = [...(runs.get(call.run) ?? []), call];
      runs.set(
        call.run,
        calls.sort((a, b) => a.sequence - b.sequence),
      );
    }
    const ordered = this.arrived.flatMap(({ run }) => runs.get(run)?.shift() ?? []);
    const called = ordered.filter(({ isModel }) => !isModel);
    return called.map(({ call, path, input }) => ({ call, path, input }));
  }

  /** Records a call at its first attempt only. */
  note(seen: SeenCall, isModel: boolean): void {
    const { info } = Context.current();
    if (info.attempt > 1) return;
    this.arrived.push({
      ...seen,
      isModel,
      run: info.workflowExecution?.runId ?? '',
      sequence: Number(info.activityId),
    });
  }

  /** Looks up the mock by path, step and operation, in this order. @throws AbilityError `test.no_mock`. */
  answer({ call, path }: SeenCall): MockAnswer {
    const name = [path, lastOf(path), call].find((candidate) => Object.hasOwn(this.mocks, candidate));
    if (name === undefined)
      throw this.refuse(`${call} was called in step ${path}, and the case has no mock for it`, path);
    const mock = this.mocks[name] as MockAnswer | MockAnswer[];
    if (!Array.isArray(mock)) return mock;
    const turn = this.used.get(name) ?? 0;
    this.used.set(name, turn + 1);
    const answer = mock[turn];
    if (answer) return answer;
    const message = `${call} was executed more often than the mock \`${name}\` has answers (${mock.length}), in step ${path}`;
    throw this.refuse(message, path);
  }

  /** A test must not depend on a model's answers, which cost money and vary. */
  refuseModel({ call, path }: SeenCall): AbilityError {
    const problem: Problem = {
      code: 'test.live_model',
      message: `The mock of ${call} in step ${path} is \`live\`, and cases call no model`,
      suggestion:
        'Set the answer of the model: `mocks: { model: [{ output: { text: .. } }] }`, or let a program answer for it.',
    };
    this.unanswered.push(problem);
    return new AbilityError(problem);
  }

  private refuse(message: string, path: string): AbilityError {
    const suggestion = `Set \`mocks: { ${lastOf(path)}: { output: .. } }\`, a list for several executions, or \`live: true\`.`;
    const problem: Problem = { code: 'test.no_mock', message, suggestion };
    this.unanswered.push(problem);
    return new AbilityError(problem);
  }
}

function isEndpoint({ implementation }: PlanOperation): boolean {
  return implementation.kind === 'model' && !implementation.model.script;
}

/** Answers calls from their case's mocks; runs `live` ones by the plan's implementation. */
export function createMockedExecute(callsOf: (task: string) => CaseCalls, live: Execute): Execute {
  return async (operation, call): Promise<Json> => {
    const { task, path } = placeOf(call.idempotencyKey);
    const calls = callsOf(task);
    const seen: SeenCall = { call: operation.key, path, input: call.input };
    calls.note(seen, !kindOf(operation.implementation).isTool);
    const answer = calls.answer(seen);
    if ('live' in answer) {
      if (isEndpoint(operation)) throw calls.refuseModel(seen);
      return live(operation, call);
    }
    // The turn runs as usual, but without a request to the model.
    if ('output' in answer && !kindOf(operation.implementation).isTool) {
      return live(operation, { ...call, said: answer.output });
    }
    // To the task this is a real call, with the mock's answer.
    await call.begin();
    if ('output' in answer) {
      await leaveFiles(operation, call, answer.files ?? {});
      return answer.output;
    }
    const { code, message = `The mock of ${operation.key} fails`, details } = answer.error;
    throw new AbilityError({ code, message, ...(details !== undefined && { details }) });
  };
}

/** Creates a mock's files from its texts. @throws AbilityError `file.missing` as the real call would. */
async function leaveFiles(
  { key, output_files: contract = {} }: PlanOperation,
  { files }: Pick<CallInput, 'files'>,
  texts: Record<string, string | string[]>,
): Promise<void> {
  const strange = Object.keys(texts).find((name) => !Object.hasOwn(contract, name));
  if (strange !== undefined) {
    throw new AbilityError({ code: 'file.missing', message: `The contract of ${key} names no file \`${strange}\`` });
  }
  for (const [name, { glob, many }] of Object.entries(contract)) {
    const given = texts[name] ?? (many ? [] : undefined);
    if (given === undefined || Array.isArray(given) !== (many === true)) {
      const wanted = many ? 'a list of texts' : 'a text';
      const message = `The mock of ${key} leaves no file for \`${name}\` (${glob})`;
      const suggestion = `Set \`files: { ${name}: .. }\` beside \`output\`: ${wanted}.`;
      throw new AbilityError({ code: 'file.missing', message, suggestion });
    }
    const ending = /\.[A-Za-z0-9]+$/.exec(glob)?.[0] ?? '';
    const kept: FileValue[] = [];
    for (const text of Array.isArray(given) ? given : [given]) {
      kept.push(await files.keep(async () => Readable.from([Buffer.from(text)]), { name: `${name}${ending}` }));
    }
    files.made[name] = many ? kept : (kept[0] as FileValue);
  }
}

/** Path from the root, since a child's key begins with its parent's; the same for later attempts of a group. */
function placeOf(idempotencyKey: string): { task: string; path: string } {
  const [task = '', ...path] = idempotencyKey.split('/');
  return { task, path: path.join('/').replaceAll(/~[\d.]+/g, '') };
}
