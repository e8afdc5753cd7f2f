import { createHash } from 'node:crypto';
import type { ForeignEvent, PlanForeignHook, ToolCall } from '../../../contracts/foreign-hooks.js';
import type { Phase } from '../../../contracts/hooks.js';
import type { Json, JsonObject } from '../../../contracts/json.js';
import { type HookRun, isOfTask } from '../hook-context.js';

/** No transcript exists: hooks that read it find an empty file. */
const NO_TRANSCRIPT = '/dev/null';

/** The event that a hook sees for a phase if it names none. Undefined: such hooks are refused in the phase. */
const USUAL: Record<Phase, ForeignEvent | undefined> = {
  PreAbilityCreate: undefined,
  PreAbilityCall: 'PreToolUse',
  PostAbilityCall: 'PostToolUse',
  SessionStart: undefined,
  PromptSubmit: 'UserPromptSubmit',
  SessionStop: 'SessionEnd',
};

/** @returns undefined: the hook is for another event, such as failed calls where this one succeeded. */
export function eventNameOf({ event }: PlanForeignHook, run: HookRun): ForeignEvent | undefined {
  const hasFailed = isOfTask(run) && run.outcome !== undefined && run.outcome.status !== 'succeeded';
  const seen = run.phase === 'PostAbilityCall' && hasFailed ? 'PostToolUseFailure' : USUAL[run.phase];
  if (event === undefined || event === seen) return seen;
  return run.phase === 'PostAbilityCall' ? undefined : event;
}

/** Fields common to all events. */
export interface Around {
  root: string;
  session: string;
  /** Distinguishes this call from others. */
  call: string;
}

/**
 * Input of a hook on stdin about a call: always these keys. @param outcome after the call. Source: Claude Code
 * 2.1.317; docs/hooks.md#guards-written-for-claude-code-or-codex.
 */
export function toolEvent(name: ForeignEvent, call: ToolCall, around: Around, outcome?: Outcome): JsonObject {
  return {
    ...commonOf(name, around),
    tool_name: call.tool_name,
    tool_input: call.tool_input,
    ...responseOf(name, outcome),
    tool_use_id: `toolu_${createHash('sha256').update(around.call).digest('hex').slice(0, 24)}`,
  };
}

export interface Outcome {
  output: Json;
  error: unknown;
}

function responseOf(name: ForeignEvent, outcome: Outcome | undefined): JsonObject {
  if (!outcome) return {};
  if (name === 'PostToolUse') return { tool_response: outcome.output };
  const { code, message } = (outcome.error ?? {}) as { code?: string; message?: string };
  return { error: [code, message].filter(Boolean).join(': ') || 'The call failed.', is_interrupt: false };
}

/** Input of a hook on stdin about a session. Source: Claude Code 2.1.317; docs/hooks.md#importing-them. */
export function sessionEvent(name: ForeignEvent, payload: JsonObject, around: Around): JsonObject {
  const common = commonOf(name, around);
  if (name === 'UserPromptSubmit')
    return { ...common, prompt: typeof payload.prompt === 'string' ? payload.prompt : '' };
  if (name === 'Stop') return { ...common, stop_hook_active: false };
  return { ...common, reason: payload.reason === 'stop' ? 'prompt_input_exit' : 'other' };
}

function commonOf(name: ForeignEvent, { root, session }: Around): JsonObject {
  return {
    session_id: session,
    transcript_path: NO_TRANSCRIPT,
    cwd: root,
    permission_mode: 'default',
    hook_event_name: name,
  };
}
