import { type EventContext, isSessionPhase } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import { CEL, ENGINE } from '../../contracts/names.js';
import type { Plan, PlanHook } from '../../contracts/plan.js';
import type { HookContext } from './hook-context.js';

/** For trying out a hook without a task and a plan: their facts come from the event. */
export function eventAsContext(event: EventContext, hook: PlanHook, moment: number, signal: AbortSignal): HookContext {
  const user = { name: event.user_id, source: 'claimed' } as const;
  const around = { path: '', moment, hooks: [hook], user, caller: undefined, signal, logs: undefined };
  const payload = event.payload as JsonObject;
  if (isSessionPhase(event.event_type)) {
    const { environment, session_id, module_id: module } = event;
    return { ...around, session: session_id ?? 'example', payload, environment, module };
  }
  const isAfter = event.event_type === 'PostAbilityCall';
  const { input = {}, status = 'succeeded', output = null, error = null } = payload;
  return {
    ...around,
    plan: planOf(event),
    scope: event.module_id ?? undefined,
    operation: undefined,
    input: isAfter ? (input as JsonObject) : payload,
    task: event.task_id ?? 'example',
    session: event.session_id,
    planDigest: event.plan_digest,
    ...(isAfter && { outcome: { status: String(status), output, error } }),
  };
}

function planOf({ ability_id, module_id, effects, tags, environment }: EventContext): Plan {
  const limits = { max_ms: null, task_ms: 0, cleanup_ms: 0, expires_ms: 0, output_bytes: 0 };
  return {
    format: 1,
    engine: ENGINE,
    cel: CEL,
    project: '',
    ability: {
      id: ability_id ?? '',
      kind: 'operation',
      version: 1,
      summary: '',
      modules: module_id === null ? [] : [module_id],
      tags,
      effects: effects ?? 'read',
      implementation: null,
      input_schema: {},
      output_schema: null,
      hooks: { pre_create: [], pre_call: [], post_call: [] },
    },
    environment: {
      ...environment,
      approve: [],
      approvers: { listed: [], people: [], groups: [] },
      quorum: 1,
      self_approval: true,
      proof: 'claimed',
    },
    placement: 'local',
    operations: {},
    steps: [],
    finally: [],
    limits,
  };
}
