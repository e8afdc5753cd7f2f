import type { z } from 'zod';
import type { Connection, Prover } from '../client/index.js';
import type { Right, Rights } from '../contracts/access.js';
import type { TaskCaller } from '../contracts/callers.js';
import type { Registry } from '../definitions/registry.js';
import { chooseEnvironment, resolveEnvironment } from '../planning/resolve/resolve-environment.js';
import type { Place } from '../rules/rights.js';

/** The project that operations act on, as a door opened it. */
export interface OpenProject {
  /** The current definitions. @throws AbilityError like `RegistryLoader.load`. */
  registry(): Registry;
  /** The environment of callers that name none; undefined: the project's default. */
  environment: string | undefined;
  /** Source of credentials for planning, and of the store of logs. */
  env: NodeJS.ProcessEnv;
  /** Runs an action on the project's connection. */
  ask<T>(action: (connection: Connection) => Promise<T>): Promise<T>;
  /** Runs an action in the session that the door keeps for this caller; null where it keeps none. */
  inSession<T>(
    connection: Connection,
    caller: OperationCaller,
    environment: string,
    action: (session: string | null) => Promise<T>,
  ): Promise<T>;
  /**
   * Counts a wait of this caller. @param task whose events are followed; left out: a wait with its own poll.
   * @returns ends it. @throws AbilityError `door.too_many`.
   */
  reserve(caller: OperationCaller, task?: string): () => void;
  /** Whether its callers may read tasks of other projects on the same server: who reaches the server itself may. */
  readsOthers: boolean;
  /** Writes a note for the operator; callers do not see it. */
  note(text: string): void;
}

/** Who calls an operation, with all that guards and approvals read of them; never left out. */
export interface OperationCaller extends Omit<TaskCaller, 'intent'> {
  /** The folder of the project that the caller works in. */
  scope: string;
  /** How a decision of the person is proved; null: not at all. */
  proof: Prover | null;
  /** What it may do, and where. */
  rights: Rights;
  /** The key for counting the caller's waits. */
  name: string;
}

interface Answer {
  means: string;
  schema: z.ZodType;
}

/** A right that a caller wants to use. */
export interface Asked {
  project: Pick<OpenProject, 'registry' | 'environment' | 'ask'>;
  rights: Rights;
  right: Right;
}

/** Refuses a caller whose right does not hold for what an operation acts on. @throws AbilityError. */
export type Concern<Input> = (asked: Asked, input: Input) => void | Promise<void>;

/** What remains of an answer for a caller who may read some of it only. */
type Keep<Input, Output> = (
  output: Output,
  may: (place: Place) => boolean,
  about: { input: Input; project: OpenProject },
) => Output;

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What a caller can do. HTTP routes, their OpenAPI document, the library and its client over HTTP are loops over these. */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output = unknown> {
  summary: string;
  right: Right;
  /** What it acts on, or how its answer is cut to what may be read; `run-operation.ts` sees to it, for limited rights only. */
  concerns: Concern<z.output<Input>> | { each: Keep<z.output<Input>, NoInfer<Output>> };
  /**
   * Its route. `{name}` is a field of the input; the others are in the query of GET and DELETE, and else in the body.
   */
  at: `${Method} /v1/${string}`;
  input: Input;
  /** Fields of the input that are headers over HTTP. */
  headers?: { readonly [field: string]: { name: string; means: string } };
  /** By HTTP status. */
  answers: { readonly [status: number]: Answer };
  /** The status of an answer; left out: the only one. */
  status?(output: NoInfer<Output>): number;
  /** Whether it starts a task, which the answer names. */
  starts?: true;
  /**
   * It answers with events, one after the other; `answers` describes one of them. `shared`: all that follow a task share one
   * poll of Temporal.
   */
  streams?: 'shared' | 'own';
  /** @param signal aborts when the caller leaves. @throws AbilityError. */
  run(project: OpenProject, caller: OperationCaller, input: z.output<Input>, signal: AbortSignal): Promise<Output>;
}

/** The only answer of an operation. */
export function answer(means: string, schema: z.ZodType, status = 200): Operation['answers'] {
  return { [status]: { means, schema } };
}

/** Defines an operation; `run` gets the parsed type of its input. */
export function operation<Input extends z.ZodObject, Output>(
  defined: Operation<Input, Output>,
): Operation<Input, Output> {
  return defined;
}

/**
 * The environment of a request: its own, the door's, the project's choice. @throws AbilityError
 * `config.no_environment`, `environment.not_found`.
 */
export function environmentOf(
  { environment }: Pick<OpenProject, 'environment'>,
  registry: Registry,
  requested: string | undefined,
): string {
  return resolveEnvironment(registry, chooseEnvironment(registry.project, requested ?? environment)).name;
}

/** The kind of caller that hooks see before a task exists: an agent's tasks run in a session. */
export function kindOf({ kind }: Pick<OperationCaller, 'kind'>): TaskCaller['kind'] {
  return kind === 'agent' ? 'session' : kind;
}
