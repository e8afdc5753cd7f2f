import type { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { Connection, NewTask } from '../../client/index.js';
import type { Rights } from '../../contracts/access.js';
import type { Person } from '../../contracts/callers.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Registry } from '../../definitions/registry.js';
import type { Asked } from '../../operations/operation.js';
import { hasRight } from '../../rules/rights.js';
import type { Loan } from '../http/connections.js';
import type { CallQueue } from './call-queue.js';
import type { DoorSession } from './door-session.js';

/** Access levels of agents, lowest first. No level decides approvals. */
export const ACCESS = ['read', 'run'] as const;

export type Access = (typeof ACCESS)[number];

/** The access that rights give, somewhere. */
export function accessOf(rights: Rights): Access {
  return hasRight(rights, 'run') ? 'run' : 'read';
}

export interface McpDoor {
  /** The current definitions. @throws AbilityError like `RegistryLoader.load`. */
  registry(): Registry;
  environment: string;
  /** Globs; matching abilities are tools of their own. */
  expose: readonly string[];
  /** The folder that the door's sessions concern. */
  scope: string;
  /** Instructions for working with abilities, for agents whose tool reads skills. */
  skill: SkillsExtension;
  /** Lends the shared connection to one call. */
  lend(): Loan;
  /** Source of credentials for planning. */
  env: NodeJS.ProcessEnv;
  /** Where people see the tasks of this door and decide. */
  findPage(connection: Connection): Promise<Page>;
  /** Rewrites commands in a text as people type them here. */
  typed(text: string): string;
  /** What each start insists on, as with `--strict`. */
  strict(): Pick<NewTask, 'registry' | 'review'>;
  /** Writes a note for the operator; agents do not see it. */
  note(text: string): void;
  /** How long a call waits for the end of its task before it answers with a handle. Milliseconds. */
  patienceMs: number;
  /** How often definitions are checked for abilities that are tools of their own, in milliseconds. */
  lookMs: number;
}

/** Address of the open page, such as `http://127.0.0.1:7231`; else the command that opens it; null: neither is known. */
export type Page = { address: string } | { command: string } | null;

/** The defaults of {@link McpDoor}. */
export const USUAL_TIMES = { patienceMs: 5000, lookMs: 2000 } as const;

/** A caller, as long as a transport or token identifies it. */
export interface Visitor {
  /** The person on whose behalf the agent acts. */
  person: Person;
  /** The agent's proved name; left out: the name that its client claims. */
  agent?: string;
  /** As they are now; `approve` counts for nothing here. */
  rights: Rights;
  session: DoorSession;
  calls: CallQueue;
  /** As in a new task; left out: nothing proves the person. */
  door?: NewTask['door'];
}

export interface ToolCall {
  door: McpDoor;
  visitor: Visitor;
  caller: Person;
  loan: Loan;
  signal: AbortSignal;
  /** Trace context of the call, as W3C `traceparent`. */
  trace?: string;
  /** Notifies the caller of progress; left out unless requested. */
  progress?(steps: number, message: string): Promise<void>;
}

/** The use of a right by a call. */
export function askedOf({ door, visitor, loan }: ToolCall, right: Access): Asked {
  const { registry, environment } = door;
  const { rights } = visitor;
  return { project: { registry, environment, ask: async (action) => action(await loan.connect()) }, rights, right };
}

export interface ToolAnswer {
  data: JsonObject;
  isError: boolean;
  /** Set if the task continues, with its handle. */
  open?: OpenAnswer;
}

interface OpenAnswer {
  handle: string;
  key: string;
  /** Whether it goes on only after somebody has decided, sent a signal or resumed it. */
  needsOthers: boolean;
}
