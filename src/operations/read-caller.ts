import { userInfo } from 'node:os';
import type { Caller, Person } from '../contracts/callers.js';
import { AbilityError, type Problem, usageError } from '../contracts/problem.js';
import { TRACEPARENT_VARIABLE } from '../contracts/traces.js';
import { readTraceparent } from '../rules/traces/trace-context.js';
import { attempt } from '../text/attempt.js';

/** Variables that agent tools set; see docs/hooks.md. No `CURSOR_TRACE_ID`: people's terminals have it, too. */
export const AGENT_VARIABLES = [
  'AI_AGENT',
  'CLAUDECODE',
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_NETWORK_DISABLED',
  'CODEX_THREAD_ID',
  'CURSOR_AGENT',
  'GEMINI_CLI',
  'OPENCODE',
] as const;

/** Variables that CI services set for their jobs; docs/hooks.md lists them. */
export const CI_VARIABLES = [
  'CI',
  'BUILDKITE',
  'CIRCLECI',
  'GITHUB_ACTIONS',
  'GITLAB_CI',
  'JENKINS_URL',
  'TEAMCITY_VERSION',
  'TF_BUILD',
] as const;

/** The kinds that a command line may claim; `session` and `child` follow from how a task was created. */
const CLAIMS = ['person', 'ci', 'agent'] as const satisfies Caller[];

/**
 * `ABILITY_CALLER`, else `agent` or `ci` by the variables above, else `person`. A claim: the variables are
 * trusted. An agent in CI is an agent. @throws AbilityError `usage.invalid` for another word.
 */
export function readCaller(env: NodeJS.ProcessEnv): Caller {
  const word = env.ABILITY_CALLER;
  if (word !== undefined && word !== '') return claimOf(word);
  if (AGENT_VARIABLES.some((name) => isSet(env[name]))) return 'agent';
  return CI_VARIABLES.some((name) => isSet(env[name])) ? 'ci' : 'person';
}

function claimOf(word: string): Caller {
  const claim = CLAIMS.find((known) => known === word);
  if (claim) return claim;
  throw usageError(
    `ABILITY_CALLER is ${JSON.stringify(word)}, which no caller may claim to be`,
    `Set it to ${CLAIMS.join(', ')}, or leave it out.`,
  );
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
}

/**
 * For what is for people only. The caller is a claim, so this stops only honest agents; `proof: required` and `ability
 * guard` do more. @param problem left out: agents never decide. @throws AbilityError `approval.by_agent`, or the problem.
 */
export function refuseAgents({ env }: { env: NodeJS.ProcessEnv }, problem: Partial<Problem> = {}): void {
  if (readCaller(env) !== 'agent') return;
  throw new AbilityError({
    code: 'approval.by_agent',
    message: 'This command was typed by an agent, and agents decide no approval',
    suggestion: 'Ask a person to type it in a terminal of their own.',
    ...problem,
  });
}

/** The trace of `TRACEPARENT`, which programs pass to those they start; null for any other form. */
export function readTrace(env: NodeJS.ProcessEnv): string | null {
  return readTraceparent(env[TRACEPARENT_VARIABLE]) ?? null;
}

/** The requester: `ABILITY_USER`, else the OS user. A claim. Source: docs/approvals.md#who-may-decide. */
export function currentUser(env: NodeJS.ProcessEnv): Person {
  return { name: env.ABILITY_USER || osUser(), source: 'claimed' };
}

/** For whom commands are shown: the user; null: an agent reads them, and never names who decides. */
export function readerOf(env: NodeJS.ProcessEnv): string | null {
  return readCaller(env) === 'agent' ? null : currentUser(env).name;
}

function osUser(): string {
  return attempt(() => userInfo().username, String(process.getuid?.() ?? 'unknown'));
}
