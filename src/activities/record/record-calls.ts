import type { CallMade, CallsMade } from '../../contracts/calls-made.js';
import type { Plan, PlanImplementation } from '../../contracts/plan.js';
import type { CalledPlace, RecordedCall, TaskRecord } from '../../contracts/record.js';
import { Masker } from '../../planning/secrets/masking/masker.js';
import type { SecretSource } from '../secrets.js';
import { CutValues } from './cut-values.js';
import { secretsOf } from './secrets-of.js';

/**
 * What the calls of a task were given and gave, as its record tells it: known secrets masked first, long values cut then.
 *
 * @returns nothing where it made none.
 */
export function recordCalls(
  made: CallsMade | undefined,
  plan: Plan,
  secrets: (environment: string) => SecretSource,
): Pick<TaskRecord, 'calls' | 'calls_left_out'> {
  if (!made) return {};
  const values = new CutValues(new Masker(secretsOf(plan, secrets(plan.environment.name))));
  const calls = made.listed.map((call) => recordCall(call, plan, values));
  return { calls, ...(made.left_out > 0 && { calls_left_out: made.left_out }) };
}

function recordCall({ path, call, task, given, gave, error }: CallMade, plan: Plan, values: CutValues): RecordedCall {
  const implementation = plan.operations[call]?.implementation;
  return {
    path,
    call,
    ...(implementation && { implementation: implementation.id }),
    runs: implementation ? placeOf(implementation) : { kind: 'workflow', task: task ?? '' },
    given: values.cut(given),
    ...(gave && { gave: values.cut(gave) }),
    ...(error && { error: { code: error.code, message: values.masker.mask(error.message) } }),
  };
}

function placeOf(implementation: PlanImplementation): CalledPlace {
  switch (implementation.kind) {
    case 'api': {
      const { method, base_url, path } = implementation.api;
      return { kind: 'api', method, url: `${base_url.replace(/\/$/, '')}${path}` };
    }
    case 'mcp': {
      const { server, tool, pinned } = implementation.mcp;
      return { kind: 'mcp', server: server.name, tool, ...(pinned !== undefined && { pinned }) };
    }
    case 'script':
      return { kind: 'script', script: implementation.script.path, digest: implementation.script.digest };
    case 'model': {
      const { name, script } = implementation.model;
      return { kind: 'model', model: name, ...(script && { digest: script.digest }) };
    }
  }
}
