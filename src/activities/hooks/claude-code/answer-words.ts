import type { ForeignEvent } from '../../../contracts/foreign-hooks.js';
import type { GuardDecision } from '../../../contracts/hooks.js';
import { isJsonObject, type Json, type JsonObject } from '../../../contracts/json.js';
import { didYouMean } from '../../../text/nearest.js';

export interface Words {
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

/** `defer` asks the user. Source: docs/hooks.md#guards-written-for-claude-code-or-codex. */
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

/** Reason in JSON with exit code 2. Source: docs/hooks.md#guards-written-for-claude-code-or-codex. */
export function reasonIn(value: unknown): string | undefined {
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
