import type { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { JsonObject } from '../../contracts/json.js';
import type { Person } from '../../contracts/people.js';
import type { PreflightAnswer } from '../../contracts/task.js';
import type { Registry } from '../../definitions/registry.js';
import type { Loan } from '../http/connections.js';
import type { CallQueue } from './call-queue.js';
import type { DoorSession } from './door-session.js';

/** What agents may do through a door, the least first. No level decides approvals. */
export const ACCESS = ['read', 'run'] as const;

/** One of {@link ACCESS}. */
export type Access = (typeof ACCESS)[number];

/** What all callers of a door share. It knows no transport. */
export interface McpDoor {
  /** The definitions as they are now. @throws AbilityError as `RegistryLoader.load`. */
  registry(): Registry;
  /** The one environment in which everything runs. */
  environment: string;
  /** Abilities whose ids fit one of these globs are tools of their own. */
  expose: readonly string[];
  /** The folder that sessions of the door are about. */
  scope: string;
  /** How to work with abilities, for agents whose tool reads skills. */
  skill: SkillsExtension;
  /** The connection that all calls share, for one of them. */
  lend(): Loan;
  /** The environment in which credentials are looked for when something is planned. */
  env: NodeJS.ProcessEnv;
  /** A text in which commands are as people type them here. */
  typed(text: string): string;
  /** Looks at what preflight resolved before a task is started; refuses by throwing. */
  review(answer: PreflightAnswer): Promise<void>;
  /** Writes a note for the operator; agents do not see it. */
  note(text: string): void;
  /** How long a call waits for the end of its task before it answers with a handle. Milliseconds. */
  patienceMs: number;
  /** How often definitions are checked for abilities that are tools of their own, in milliseconds. */
  lookMs: number;
}

/** The defaults of {@link McpDoor}. */
export const USUAL_TIMES = { patienceMs: 5000, lookMs: 2000 } as const;

/** Who calls, for as long as a transport or a token knows them as one. */
export interface Visitor {
  /** The person in whose name the agent asks. */
  person: Person;
  /** Name of the agent, where it is proved; left out: as its client calls itself. */
  agent?: string;
  access: Access;
  session: DoorSession;
  calls: CallQueue;
}

/** One call of a tool. */
export interface ToolCall {
  door: McpDoor;
  visitor: Visitor;
  /** The person with the agent that calls. */
  caller: Person;
  /** The connection, as this call uses it. */
  loan: Loan;
  /** Fires when the caller cancels the request. */
  signal: AbortSignal;
  /** Trace context that came with the call, as W3C `traceparent` has it. */
  trace?: string;
  /** Notifies the caller of progress; left out where it did not ask for it. */
  progress?(steps: number, message: string): Promise<void>;
}

/** The answer of a tool: data, and whether they are a refusal or a failure. */
export interface ToolAnswer {
  data: JsonObject;
  isError: boolean;
  /** The task continues, under this handle. */
  open?: OpenAnswer;
}

/** A task that was still open when its caller was answered. */
export interface OpenAnswer {
  handle: string;
  key: string;
}
