import type { z } from 'zod';
import type { Caller } from '../../contracts/callers.js';
import { callerHere, projectHere } from '../../operations/in-process.js';
import type { OpenProject, Operation, OperationCaller } from '../../operations/operation.js';
import { allOperations, type Operations } from '../../operations/operations.js';
import { callDoor, streamDoor } from '../../operations/over-http/call-door.js';
import { readInputOf, runOperation } from '../../operations/run-operation.js';
import { type Connection, type Origin, originOf, refuseOverHttp, refuseUnknown } from './connection.js';

/** Who calls, and until when; what is left out is as on the command line. */
export interface CallOptions {
  /** The name of the requester; default: `ABILITY_USER` or the OS user, as a claim. Over HTTP: the token's person. */
  user?: string | undefined;
  /** A person, CI or an agent. */
  caller?: Caller | undefined;
  /** Default: `ABILITY_SESSION`; null: none. A task may name another one. */
  session?: string | null | undefined;
  /** Default: `ABILITY_SCOPE`, else the folder of the nearest `ABILITY.md`. */
  scope?: string | undefined;
  /** The token that proves a decision. Over HTTP, that of the connection does. */
  token?: string | undefined;
  /** Aborts the call, with its reason. */
  signal?: AbortSignal | undefined;
}

export const CALL_OPTIONS = ['user', 'caller', 'session', 'scope', 'token', 'signal'] as const;

/** An operation as a function of the library. @throws AbilityError as docs/errors.md says. */
type Called<O> =
  O extends Operation<infer Input, infer Output>
    ? (
        connection: Connection,
        ...args: Record<never, never> extends z.input<Input>
          ? [input?: z.input<Input>, options?: CallOptions]
          : [input: z.input<Input>, options?: CallOptions]
      ) => Promise<Output>
    : never;

export type Functions = { readonly [Name in keyof Operations]: Called<Operations[Name]> };

/** What a caller can do, as functions over a connection: `docs/library.md` lists them. */
export const functions = Object.fromEntries(
  allOperations().map(([name, operation]) => [
    name,
    (connection: Connection, input: object = {}, options: CallOptions = {}) =>
      call(connection, name, operation as never, input, options),
  ]),
) as unknown as Functions;

async function call(
  connection: Connection,
  name: keyof Operations,
  operation: Operation<z.ZodObject, unknown>,
  input: object,
  options: CallOptions,
): Promise<unknown> {
  const origin = originOf(connection);
  refuseUnknown(options, CALL_OPTIONS, 'a call');
  const given = readInputOf(name, operation, input);
  const { signal } = options;
  if (origin.link) {
    const ask = (operation.streams ? streamDoor : callDoor) as (...args: unknown[]) => Promise<unknown>;
    return ask(origin.link, name, input, claimsOf(options), signal);
  }
  const { signal: ending = new AbortController().signal } = options;
  return runOperation(operation, projectOf(origin), callerOf(origin, options), given, ending);
}

/** Over HTTP. @throws AbilityError `feature.unsupported`. */
function claimsOf(options: CallOptions) {
  refuseOverHttp({ ...options, session: options.session ?? undefined }, ['session', 'scope', 'token']);
  return { user: options.user, kind: options.caller };
}

type Local = Extract<Origin, { link?: undefined }>;

export function projectOf({ inner, loader, env }: Local): OpenProject {
  const note = (text: string): void => inner.progress?.(text);
  return projectHere({ registry: () => loader.load(), ask: (action) => action(inner), note }, env);
}

export function callerOf({ loader, env }: Local, options: CallOptions): OperationCaller {
  return callerHere(loader.root, process.cwd(), env, options);
}
