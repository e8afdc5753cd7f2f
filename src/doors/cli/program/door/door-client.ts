import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { filesAsInput, type GivenFiles } from '../../../../client/start/files-as-input.js';
import type { Right } from '../../../../contracts/access.js';
import type { FileValue } from '../../../../contracts/files.js';
import type { JsonObject } from '../../../../contracts/json.js';
import { AbilityError } from '../../../../contracts/problem.js';
import { type Claims, callDoor, type OutputOf, streamDoor } from '../../../../operations/over-http/call-door.js';
import { DoorLink } from '../../../../operations/over-http/door-link.js';
import { readCaller, readTrace } from '../../../../operations/read-caller.js';
import type { WatchEvent } from '../../../../operations/watch-task.js';
import { packageVersion } from '../../../../server/installation.js';
import { readLogin } from '../../../../server/keys/kept-logins.js';
import { loginsFile } from '../../../../server/keys/logins-file.js';
import { sleep } from '../../../../server/start-timer.js';
import { Verified } from '../../../../server/store/checked-stream.js';
import type { Context } from '../context.js';
import { nearest, type ProjectClient, withRest } from '../project-operations.js';
import { type CommandDoor, projectOnly } from './command-door.js';

/** Who the command is to the door. */
export interface DoorSelf {
  person: string;
  agent: string | null;
  rights: Right[];
  environments: string[];
  environment: string | null;
}

/** The project behind a door, as far as its door reaches. */
export interface DoorClient extends ProjectClient {
  /** Who the command is there. */
  me(): Promise<DoorSelf>;
  /** The bytes of a file of a task, verified while they are read. */
  openFile(key: string, digest: string): Promise<Readable>;
}

/** How often in a row events may break off, and the pause before they are asked for again, which grows. Milliseconds. */
const MAX_BREAKS = 8;
const PAUSE_MS = 1000;

/** Acts through the door of a command. @throws AbilityError of the door, `door.unreachable`. */
export async function withDoor<T>(
  context: Context,
  door: CommandDoor,
  action: (client: DoorClient) => Promise<T>,
): Promise<T> {
  const token = tokenFor(context, door);
  return DoorLink.using({ address: door.url, token }, (link) => action(clientOf(context, door, link, token)));
}

/**
 * ABILITY_TOKEN, else the token of `ability login`. What a person's login keeps is not for agents.
 * @throws AbilityError `door.login_not_private`, `door.unauthenticated` if the login is over.
 */
function tokenFor({ env }: Pick<Context, 'env'>, { url }: CommandDoor): string | undefined {
  const given = env.ABILITY_TOKEN?.trim();
  if (given) return given;
  const login = readCaller(env) === 'agent' ? undefined : readLogin(loginsFile(env), url);
  if (!login || Date.now() < Date.parse(login.expires_at)) return login?.token;
  throw new AbilityError({
    code: 'door.unauthenticated',
    message: `You are no longer signed in at ${url} as ${login.person}: that ended ${login.expires_at}`,
    suggestion: 'Sign in again: `ability login`.',
  });
}

function clientOf(context: Context, door: CommandDoor, link: DoorLink, token: string | undefined): DoorClient {
  const { env } = context;
  // The door knows the person of a token. A name that is set anyway must match; an honest agent needs a token of its own.
  const isAgent = token !== undefined && readCaller(env) === 'agent';
  const claims: Claims = {
    user: env.ABILITY_USER || undefined,
    kind: isAgent ? 'agent' : undefined,
    trace: readTrace(env),
  };
  const explained = (error: unknown): Promise<never> => explain(link, error);
  const client: DoorClient = {
    paths: null,
    call: (name, input, signal) => callDoor(link, name, input, claims, signal).catch(explained).catch(nearest(client)),
    async stream(name, input, signal) {
      const began = performance.now();
      const open = () =>
        streamDoor(link, name, withRest(input, performance.now() - began), claims, signal).catch(explained);
      const first = await open().catch(nearest(client));
      return goingOn(first as Events, open as () => Promise<Events>, signal) as OutputOf<typeof name>;
    },
    async create(given, { run = false, soon = false, leaves = false, files, signal, onStall: _, ...more }) {
      refuseMore(door, more);
      const input = files && { ...given.input, ...(await sendFiles(link, files, signal).catch(explained)) };
      const wanted = { ...given, ...(input && { input }) };
      if (!run) return client.call('createTask', wanted, signal);
      return client.call('runAbility', { ...wanted, soon, leaves }, signal) as Promise<OutputOf<'createTask'>>;
    },
    retry(wanted, { signal, onStall: _, ...more }) {
      refuseMore(door, more);
      return client.call('retryTask', wanted, signal) as Promise<OutputOf<'createTask'>>;
    },
    here: () => Promise.reject(projectOnly(door)),
    isOwnRuntime: () => false,
    me: () => link.ask('GET', '/v1/me').then(({ body }) => body as unknown as DoorSelf, explained),
    async openFile(key, digest) {
      const bytes = await link.read(`/v1/tasks/${encodeURIComponent(key)}/files/${digest}`).catch(explained);
      const verified = new Verified(digest, () => damaged(door, digest));
      // Whoever reads the verified bytes gets the error.
      pipeline(bytes, verified).catch(() => {});
      return verified;
    },
  };
  return client;
}

/** Stores the files of an input at the door, one after the other. */
function sendFiles(link: DoorLink, files: GivenFiles, signal: AbortSignal | undefined): Promise<JsonObject> {
  return filesAsInput(files, async (path, name, bytes) => {
    const file = { bytes, content: createReadStream(path) };
    const { body } = await link.ask('POST', `/v1/files?name=${encodeURIComponent(name)}`, { file, signal });
    return body as unknown as FileValue;
  });
}

/** What only a caller in reach of Temporal can give. @throws AbilityError `door.project_only`. */
function refuseMore(door: CommandDoor, more: object): void {
  const [name] = Object.entries(more).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined) throw projectOnly(door, `--${name}`);
}

type Events = AsyncIterable<WatchEvent>;

/** The events of a task until the last one: what a proxy or a door that starts again cuts off is opened again. */
async function* goingOn(
  first: Events,
  open: () => Promise<Events>,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent, void> {
  let events: Events | undefined = first;
  for (let breaks = 1; ; breaks += 1) {
    try {
      for await (const event of events ?? (await open())) {
        // A door that closes ends the events, not the task.
        if (event.type === 'end' && event.kind === 'aborted') break;
        yield event;
        if (event.type === 'end') return;
        breaks = 1;
      }
    } catch (error) {
      const isCut = error instanceof AbilityError && error.code === 'door.unreachable';
      if (!isCut || breaks > MAX_BREAKS) throw error;
    }
    if (signal?.aborted) return;
    if (breaks > MAX_BREAKS) throw cutOff();
    await sleep(PAUSE_MS * breaks, signal);
    events = undefined;
  }
}

function damaged({ url }: CommandDoor, digest: string): AbilityError {
  const message = `What ${url} sent as the file ${digest.slice(0, 12)} is not that file`;
  return new AbilityError({ code: 'store.not_shared', message, suggestion: 'Copy it once more.' });
}

function cutOff(): AbilityError {
  return new AbilityError({
    code: 'door.unreachable',
    message: 'The door ends the events of the task again and again; the task goes on',
    suggestion: 'Watch it later: `ability task watch KEY`.',
  });
}

/** Errors whose remedy is another one through a door; a failed call may have its cause in another version. */
async function explain(link: DoorLink, error: unknown): Promise<never> {
  if (!(error instanceof AbilityError)) throw error;
  const problem = error.toProblem();
  if (error.code === 'door.unauthenticated') {
    const suggestion = 'Sign in with `ability login`, or set ABILITY_TOKEN to a token of the project.';
    throw new AbilityError({ ...problem, suggestion }, { cause: error });
  }
  if (error.code !== 'door.no_route' && error.code !== 'door.bad_request') throw error;
  const { version } = await versionOf(link);
  if (version === undefined || version === packageVersion()) throw error;
  const suggestion = `The door is of version ${version}, and this command of ${packageVersion()}: use the same.`;
  throw new AbilityError({ ...problem, suggestion }, { cause: error });
}

async function versionOf(link: DoorLink): Promise<{ version?: string }> {
  const { body } = await link.ask('GET', '/v1/openapi.json').catch(() => ({ body: {} }));
  return ((body as JsonObject).info ?? {}) as { version?: string };
}
