import { isDeepStrictEqual } from 'node:util';
import type { ForeignEvent } from '../../../contracts/foreign-hooks.js';
import type { GuardDecision } from '../../../contracts/hooks.js';
import { isJsonObject, type Json, type JsonObject } from '../../../contracts/json.js';
import { parseJson } from '../../../disk/read-json.js';
import { strictestOf } from '../../../rules/hooks/fold-answers.js';
import { refuseUnsafeKeys } from '../../../rules/unsafe-keys.js';
import { duplicateKeys } from '../../../text/lossless-json/replace-parts.js';
import { didYouMean } from '../../../text/nearest.js';

/** Exit code and output of a hook of Claude Code that ended by itself. */
export interface Ending {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface Question {
  event: ForeignEvent;
  /** Undefined for an event of a session. */
  toolInput: JsonObject | undefined;
  /** Whether an unknown key makes the answer unreadable, as it does in Codex. */
  isClosed: boolean;
}

/** Verdict of a hook of Claude Code. `silent`: no opinion. `fault`: the answer cannot be understood. */
export type Verdict =
  | { kind: 'decided'; decision: GuardDecision; reason?: string; messages: string[]; context?: string }
  | { kind: 'silent'; messages: string[]; context?: string }
  | { kind: 'fault'; fault: string };

/**
 * Reads exit code and answer of a hook of Claude Code 2.1.317. Exit code 2 denies whatever stdout contains; with a
 * code other than 0 and 2 only JSON that denies or asks counts. An unreadable or incomplete answer is a fault,
 * never silence.
 */
export function readVerdict({ exitCode, stdout, stderr }: Ending, question: Question): Verdict {
  if (exitCode === 2) return { kind: 'decided', decision: 'deny', reason: reasonOf(stderr, stdout), messages: [] };
  const verdict = readStdout(stdout.trim(), question);
  if (exitCode === 0 || verdict.kind === 'fault') return verdict;
  if (verdict.kind === 'decided' && verdict.decision !== 'allow') return verdict;
  const said = verdict.kind === 'decided' ? ', and what it allows then does not count' : '';
  return { kind: 'fault', fault: `it ended with exit code ${exitCode}${said}` };
}

function reasonOf(stderr: string, stdout: string): string {
  const own = stderr.trim();
  const inJson =
    reasonIn(parseJson<unknown>(own)) ?? (own === '' ? reasonIn(parseJson<unknown>(stdout.trim())) : undefined);
  return inJson ?? (own || 'It ended with exit code 2.');
}

function readStdout(text: string, question: Question): Verdict {
  if (text === '') return { kind: 'silent', messages: [] };
  const value = parseJson<unknown>(text);
  if (value === undefined) {
    // Plain text is no opinion, unless it may contain a decision.
    const isBroken = BEGINS_JSON.test(text) || SIGNS.test(text);
    if (!isBroken) return { kind: 'silent', messages: [], context: text };
    return { kind: 'fault', fault: 'it printed what is no JSON, and what may hold a decision' };
  }
  if (!isJsonObject(value)) {
    return { kind: 'fault', fault: `it printed ${text.slice(0, 60)}, which is no answer` };
  }
  const [twice] = duplicateKeys(text);
  if (twice !== undefined) return { kind: 'fault', fault: `its answer has the key ${JSON.stringify(twice)} twice` };
  try {
    refuseUnsafeKeys(value);
  } catch {
    return { kind: 'fault', fault: 'its answer has a key that no answer has' };
  }
  return verdictOf(wordsOf(value as JsonObject, question.event), question);
}

/** Keys that indicate a decision, also within text that is not JSON. */
const SIGNS = /permissionDecision|hookSpecificOutput|"(decision|continue|behavior|updatedInput)"/;

/** A line that begins an object or a list of objects, but not a log line such as `[INFO] ...`. */
const BEGINS_JSON = /^\s*(\{|\[\s*([{["\]]|$))/m;

function verdictOf(words: Words, { toolInput, isClosed }: Question): Verdict {
  if (words.fault !== undefined) return { kind: 'fault', fault: words.fault };
  if (isClosed && words.unknown !== undefined) {
    return { kind: 'fault', fault: `its answer has an unknown key: ${words.unknown}` };
  }
  const { updatedInput, messages, context } = words;
  if (updatedInput !== undefined && !isDeepStrictEqual(updatedInput, toolInput)) {
    return { kind: 'fault', fault: 'it wants another input (`updatedInput`), and what was approved is what runs' };
  }
  const decision = strictestOf(words.decisions.map((each) => each.decision));
  const more = { messages, ...(context !== undefined && { context }) };
  if (decision === undefined && words.unknown !== undefined) {
    return { kind: 'fault', fault: `its answer decides nothing, and has an unknown key: ${words.unknown}` };
  }
  if (decision === undefined) return { kind: 'silent', ...more };
  const reason = words.decisions.find((each) => each.decision === decision && each.reason !== undefined)?.reason;
  return { kind: 'decided', decision, ...(reason !== undefined && { reason }), ...more };
}

/**
 * Reads an ability's output as the answer of an `http` or `mcp_tool` hook of Claude Code: like the stdout of a
 * successful command, empty is silence. A failed request (a status other than 2xx, `isError`) was reported before.
 */
export function readOutput(output: Json, question: Question): Verdict {
  return readVerdict({ exitCode: 0, stdout: textOf(output), stderr: '' }, question);
}

function textOf(output: Json): string {
  if (output === null) return '';
  if (typeof output === 'string') return output;
  // A text arrives as `{ text }`, perhaps with `content`; with other fields the whole object is the answer.
  if (isJsonObject(output) && typeof output.text === 'string') {
    const others = Object.keys(output).filter((key) => key !== 'text' && key !== 'content');
    if (others.length === 0) return output.text;
  }
  return JSON.stringify(output);
}

interface Words {
  decisions: { decision: GuardDecision; reason: string | undefined }[];
  updatedInput?: Json;
  /** Messages to the user, and unknown keys that cannot hide a decision. */
  messages: string[];
  /** Its message to the AI. */
  context?: string;
  /** An unknown key, which may have been meant as a decision if the answer contains none. */
  unknown?: string;
  fault?: string;
}

const TOP = ['continue', 'stopReason', 'suppressOutput', 'systemMessage', 'decision', 'reason', 'hookSpecificOutput'];
const SPECIFIC = [
  'hookEventName',
  'permissionDecision',
  'permissionDecisionReason',
  'updatedInput',
  'additionalContext',
];
const OF_REQUESTS = ['hookEventName', 'decision'];
const OF_RESULTS = ['hookEventName', 'additionalContext', 'updatedToolOutput', 'updatedMCPToolOutput'];
const BEHAVIOR = ['behavior', 'message', 'interrupt', 'updatedInput', 'updatedPermissions'];

/** `defer` asks the user. */
const PERMISSIONS: Readonly<Record<string, GuardDecision>> = {
  allow: 'allow',
  deny: 'deny',
  ask: 'need_user_confirm',
  defer: 'need_user_confirm',
};
const FORMER: Readonly<Record<string, GuardDecision>> = { approve: 'allow', block: 'deny' };
const BEHAVIORS: Readonly<Record<string, GuardDecision>> = { allow: 'allow', deny: 'deny' };

/** Source: the answers of Claude Code 2.1.317; docs/hooks.md#guards-written-for-claude-code-or-codex. */
export function wordsOf(answer: JsonObject, event: ForeignEvent): Words {
  const reader = new Reader();
  const { hookSpecificOutput: specific, decision } = answer;
  reader.keys(answer, TOP, 'The answer');
  reader.kind(answer, 'continue', 'boolean');
  for (const key of ['stopReason', 'systemMessage', 'reason']) reader.kind(answer, key, 'string');
  if (answer.continue === false) reader.decide('deny', text(answer.stopReason) ?? text(answer.reason));
  if (decision !== undefined && decision !== null) reader.word(decision, FORMER, 'decision', text(answer.reason));
  if (specific !== undefined) readSpecific(specific, event, reader);
  const message = text(answer.systemMessage);
  if (message !== undefined) reader.words.messages.push(message);
  return reader.words;
}

/** Reason in JSON with exit code 2. */
function reasonIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { hookSpecificOutput = {}, ...answer } = value as { hookSpecificOutput?: object };
  const all: Record<string, unknown> = { ...answer, ...hookSpecificOutput };
  const found = [all.permissionDecisionReason, all.reason, all.systemMessage, all.stopReason];
  return found.find((each): each is string => typeof each === 'string' && each !== '');
}

function readSpecific(specific: Json, event: ForeignEvent, reader: Reader): void {
  if (!isJsonObject(specific)) {
    reader.fail('`hookSpecificOutput` is no object');
    return;
  }
  if (specific.hookEventName !== event) {
    reader.fail(`it answers ${JSON.stringify(specific.hookEventName ?? null)}, and was asked about ${event}`);
    return;
  }
  const context = text(specific.additionalContext);
  if (context !== undefined) reader.words.context = context;
  if (event === 'PermissionRequest') readBehavior(specific, reader);
  else if (event === 'PreToolUse') readPermission(specific, reader);
  else reader.keys(specific, OF_RESULTS, '`hookSpecificOutput`');
}

function readPermission(specific: JsonObject, reader: Reader): void {
  reader.keys(specific, SPECIFIC, '`hookSpecificOutput`');
  const { permissionDecision, permissionDecisionReason, updatedInput } = specific;
  if (updatedInput !== undefined) reader.words.updatedInput = updatedInput;
  if (permissionDecision === undefined) return;
  reader.word(permissionDecision, PERMISSIONS, 'permissionDecision', text(permissionDecisionReason));
}

function readBehavior(specific: JsonObject, reader: Reader): void {
  reader.keys(specific, OF_REQUESTS, '`hookSpecificOutput`');
  const { decision } = specific;
  if (decision === undefined) return;
  if (!isJsonObject(decision)) {
    reader.fail('`decision` is no object');
    return;
  }
  reader.keys(decision, BEHAVIOR, '`decision`');
  if (decision.updatedInput !== undefined) reader.words.updatedInput = decision.updatedInput;
  if (decision.updatedPermissions !== undefined)
    reader.words.messages.push('`updatedPermissions` changes nothing here');
  reader.word(decision.behavior ?? null, BEHAVIORS, 'behavior', text(decision.message));
}

class Reader {
  readonly words: Words = { decisions: [], messages: [] };

  fail(fault: string): void {
    this.words.fault ??= fault;
  }

  decide(decision: GuardDecision, reason: string | undefined): void {
    this.words.decisions.push({ decision, reason });
  }

  /** Fails on an unknown value: it may have been meant as a deny. */
  word(value: Json, known: Readonly<Record<string, GuardDecision>>, key: string, reason: string | undefined): void {
    const decision = typeof value === 'string' && Object.hasOwn(known, value) ? known[value] : undefined;
    if (decision) this.decide(decision, reason);
    else this.fail(`\`${key}\` is ${JSON.stringify(value)}, and not ${Object.keys(known).join(', ')}`);
  }

  /** A misplaced or misspelt key may have been a decision: a fault. Other unknown keys are reported. */
  keys(value: JsonObject, known: readonly string[], where: string): void {
    for (const key of Object.keys(value).filter((each) => !known.includes(each))) {
      const isElsewhere = [...TOP, ...SPECIFIC, ...BEHAVIOR].includes(key);
      if (isElsewhere || didYouMean(key, known) !== undefined) {
        this.fail(`${where} has \`${key}\`, which does not belong there`);
        return;
      }
      this.words.unknown ??= key.slice(0, 60);
      this.words.messages.push(`${where} has an unknown key: ${JSON.stringify(key.slice(0, 60))}`);
    }
  }

  kind(value: JsonObject, key: string, kind: 'boolean' | 'string'): void {
    if (value[key] !== undefined && typeof value[key] !== kind) this.fail(`\`${key}\` is no ${kind}`);
  }
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
