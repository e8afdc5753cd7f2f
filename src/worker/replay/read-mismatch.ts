import type { Problem } from '../../contracts/problem.js';

export interface ReplayMismatch {
  /** Undefined if the SDK does not name the event. */
  eventId?: number;
  /** This build's command; completes "this build would". */
  wanted: string;
  /** Set if the history itself is invalid. */
  problem?: Problem;
}

/** Descriptions of the SDK's state machines; commands not listed here keep the SDK's words. */
const MACHINES: Record<string, string> = {
  Activity: 'start an activity',
  LocalActivity: 'start a local activity',
  'Local activity': 'start a local activity',
  Timer: 'start a timer',
  'Child workflow': 'call a workflow',
  'Complete workflow': 'end as succeeded',
  'Fail workflow': 'end as failed',
  'Cancel workflow': 'end as cancelled',
  'Continue as new workflow': 'go on as a new run',
  'Signal external WF': 'signal another workflow',
  'Cancel external WF': 'cancel another workflow',
  Update: 'answer an update',
};

const MACHINE = /^(.+?) machine does not handle this event: /;
const UNMATCHED = /^(.+?) of .+? '(.*)' does not match .+? command '(.*)'$/;
const EVENT = /HistoryEvent\(id: (\d+)/;

/** Translates an error of a replay into plain words. @throws other errors, such as of a broken bundle. */
export function readMismatch(error: unknown): ReplayMismatch {
  if (!(error instanceof Error)) throw error;
  if (error.name === 'DeterminismViolationError') return readDifference(detailOf(error));
  if (error.name !== 'ReplayError') throw error;
  const detail = detailOf(error);
  // The workflow code threw an error where it should have continued.
  if (error.message.includes('workflow task failure')) return { wanted: `stop with an error: ${detail}` };
  return { wanted: '', problem: { code: 'history.invalid', message: `Temporal cannot follow it: ${detail}` } };
}

function readDifference(detail: string): ReplayMismatch {
  const event = EVENT.exec(detail)?.[1];
  return { ...(event !== undefined && { eventId: Number(event) }), wanted: wantedBy(detail) };
}

function wantedBy(detail: string): string {
  const machine = MACHINE.exec(detail)?.[1];
  if (machine !== undefined) return MACHINES[machine] ?? `do something else (${machine})`;
  const [, what, recorded, wanted] = UNMATCHED.exec(detail) ?? [];
  if (what !== undefined) return `have ${what.toLowerCase()} ${wanted} instead of ${recorded}`;
  if (/^No command scheduled for event|could not find a matching command/.test(detail)) return 'do nothing';
  if (detail.startsWith('Missing associated machine for ')) return 'not ask for it';
  return `do something else (${detail})`;
}

const MESSAGE = /Failure \{ message: "((?:[^"\\]|\\.)*)"/s;

/** The message of the SDK's core, extracted from Rust's debug output. */
function detailOf({ message }: Error): string {
  const quoted = MESSAGE.exec(message)?.[1];
  const detail = quoted === undefined ? message.replace(/^.*?Details: /s, '') : quoted.replace(/\\(["'\\])/g, '$1');
  return detail
    .replace(/^(\[TMPRL\d+\] )?Nondeterminism error: /, '')
    .replace(/^Fatal error in workflow machines: /, '');
}
