import type { CallRefusal, CallReport, PlannedEntry } from '../../contracts/agent-runtime.js';
import type { Json } from '../../contracts/json.js';
import type { Problem } from '../../contracts/problem.js';
import type { TaskResult } from '../../contracts/task.js';
import { startOf } from '../../rules/shown-text.js';

/** The maximum length of an output in a report. Characters of its JSON. */
const MAX_OUTPUT = 16_384;
/** The maximum length of a message in a report. Characters. */
const MAX_REASON = 2000;

/** Identifies the call of a report; all but `turn` is null for the plan as a whole. */
type About = Pick<CallReport, 'turn' | 'id' | 'ability_id' | 'task_key'>;

/** For a call without a task, or with a new one. */
export function aboutEntry(turn: number, { id, ability_id }: PlannedEntry, task_key: string | null = null): About {
  return { turn, id, ability_id, task_key };
}

export function aboutPlan(turn: number): About {
  return { turn, id: null, ability_id: null, task_key: null };
}

export function statusReport(about: About, status: string, error: CallRefusal | null = null): CallReport {
  return { ...about, status, output: null, error };
}

/** The report on a call for the AI. @param mask masks known secrets. */
export function reportOf(about: About, result: TaskResult, mask: <T extends Json>(value: T) => T): CallReport {
  const { status, output, error } = result;
  return { ...about, status, ...outputOf(mask(output)), error: error && (mask(refusalFrom(error) as never) as never) };
}

function outputOf(output: Json): Pick<CallReport, 'output' | 'output_cut'> {
  const text = JSON.stringify(output) ?? 'null';
  return text.length <= MAX_OUTPUT ? { output } : { output: startOf(text, MAX_OUTPUT), output_cut: text.length };
}

export function refusalFrom({ code, message, suggestion }: Problem): CallRefusal {
  return { code, reason: startOf(message, MAX_REASON), ...(suggestion !== undefined && { suggestion }) };
}
