import type { PlanImplementation, PlanScript } from '../contracts/plan.js';
import type { PlanConfinement } from '../contracts/plan-operation.js';
import type { CalledPlace } from '../contracts/record.js';
import type { SpanAttributes } from '../contracts/traces.js';
import type { ImplementationBody } from '../definitions/formats/implementation.js';

/** The kinds in a plan; no definition has `model`. */
export type KindName = PlanImplementation['kind'];
/** The kinds in definitions. */
export type WrittenKindName = ImplementationBody['kind'];

export type ImplementationOf<K extends KindName> = Extract<PlanImplementation, { kind: K }>;
export type BodyOf<K extends WrittenKindName> = Extract<ImplementationBody, { kind: K }>;
type PlaceOf<K extends KindName> = Extract<CalledPlace, { kind: K }>;

export interface CredentialReference {
  reference: string;
  what: string;
}

/** How a record marks up texts. */
interface Markup {
  code(text: string): string;
  line(text: string): string;
}

/** What a kind of implementation is to the rest of the code. Runs in Temporal's sandbox too. */
export interface Kind<K extends KindName> {
  /** Whether abilities have it, so that spans show its calls as tools, with their contents if enabled. */
  isTool: boolean;
  /** Whether its tool is pinned when a task is created. */
  hasPins: boolean;
  /** The program, the tool or the request. */
  describe(implementation: ImplementationOf<K>): string;
  /** The same with the address of the server, for previews. */
  describeFully(implementation: ImplementationOf<K>): string;
  /** The tool that decides the placement of the operation `key`, as `server:tool`. Source: C-32. */
  tool(implementation: ImplementationOf<K>, key: string): string;
  credentials(implementation: ImplementationOf<K>): CredentialReference[];
  /** Scripts whose bytes the plan seals. */
  scripts(implementation: ImplementationOf<K>): PlanScript[];
  /** Whether calls of a task keep state in a server, and so all reach the worker that has the connection. */
  holdsSession(implementation: ImplementationOf<K>): boolean;
  /** Whether its answer is a file. */
  answersFile(implementation: ImplementationOf<K>): boolean;
  rateLimit(implementation: ImplementationOf<K>): { per_minute?: number; per_day?: number } | null;
  /** Without the pin of its tool; the same object if there is none. */
  withoutPin(implementation: ImplementationOf<K>): ImplementationOf<K>;
  /** The target of a call in a record. */
  place(implementation: ImplementationOf<K>): PlaceOf<K>;
  renderPlace(place: PlaceOf<K>, markup: Markup): string;
  /** Attributes of the span of a call, besides those that every kind has. */
  attributes(implementation: ImplementationOf<K>): SpanAttributes;
  /** Whether the span of a call is that of a request over a network or a pipe. */
  isRequest(implementation: ImplementationOf<K>): boolean;
}

/** Settings of an environment that take precedence over a definition. */
interface ToolSettings {
  mcp_server?: string | undefined;
  mcp_tool?: string | undefined;
}

export interface WrittenKind<K extends WrittenKindName> extends Kind<K> {
  /** Settings in registry/config that no other kind reads. */
  settings: readonly string[];
  /** As {@link Kind.answersFile}, without a plan. */
  writtenAnswerIsFile(body: BodyOf<K>): boolean;
  timeoutSec(body: BodyOf<K>): number | undefined;
  /** As {@link Kind.tool}, without a plan; null if the server is unknown. */
  writtenTool(body: BodyOf<K>, key: string, settings: ToolSettings | undefined): string | null;
  /** Why it seems to change something, and the path in the body. @param changes whether a name says so. */
  signOfChange(body: BodyOf<K>, changes: (name: string) => boolean): { message: string; path: string[] } | undefined;
}

/** What most kinds have not. */
export const PLAIN = {
  isTool: true,
  hasPins: false,
  scripts: () => [],
  holdsSession: () => false,
  answersFile: () => false,
  rateLimit: () => null,
  withoutPin: <T>(implementation: T): T => implementation,
} as const;

export function referencesOf(references: Record<string, string>, what: string): CredentialReference[] {
  return Object.entries(references).map(([name, reference]) => ({ reference, what: `${what} ${name}` }));
}

/** What a box lets a process do, after its description; empty without a box. */
export function describeBox({ sandbox }: PlanConfinement): string {
  if (!sandbox) return '';
  const list = (verb: string, names: readonly string[]) => (names.length > 0 ? [`${verb} ${names.join(', ')}`] : []);
  const hosts = sandbox.allowed_hosts;
  const may = [...list('reads', sandbox.read), ...list('writes', sandbox.write), ...list('reaches', hosts)];
  return `, in a box that ${[...may, ...(hosts.length > 0 ? [] : ['has no network'])].join('; ')}`;
}
