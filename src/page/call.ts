import type { FileValue } from '../contracts/files.js';
import type { Problem } from '../contracts/problem.js';
import type { Operations } from '../operations/operations.js';
import type { InputOf, OutputOf, Streaming } from '../operations/over-http/call-door.js';
import { isReached, isSignedOut } from './state.js';

/** A refusal of the door, with the code and the words that the command line shows. */
export class Refusal extends Error {
  readonly code: string;
  readonly suggestion: string | null;

  constructor({ code, message, suggestion }: Pick<Problem, 'code' | 'message'> & { suggestion?: string | null }) {
    super(message);
    this.code = code;
    this.suggestion = suggestion ?? null;
  }
}

/** Carries out an operation. @throws Refusal; `door.unreachable` if the door does not answer. */
export async function call<Name extends Exclude<keyof Operations, Streaming>>(
  name: Name,
  input: InputOf<Name>,
): Promise<Awaited<OutputOf<Name>>> {
  return (await send('POST', `/v1/operations/${name}`, input)) as Awaited<OutputOf<Name>>;
}

/** Sends a file to the store. @returns the value that stands for it in an input. @throws Refusal as {@link call}. */
export async function keepFile(file: File): Promise<FileValue> {
  return (await send('POST', `/v1/files?name=${encodeURIComponent(file.name)}`, file)) as FileValue;
}

/** One request to the door of this page. @param body a file, or a value that is sent as JSON. @throws Refusal as {@link call}. */
export async function send(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
  const isFile = body instanceof File;
  const type = isFile ? 'application/octet-stream' : 'application/json';
  const init =
    body === undefined ? {} : { body: isFile ? body : JSON.stringify(body), headers: { 'content-type': type } };
  let answer: Response;
  try {
    answer = await fetch(path, { method, credentials: 'same-origin', ...init });
  } catch {
    isReached.value = false;
    throw new Refusal({ code: 'door.unreachable', message: 'The runtime does not answer' });
  }
  isReached.value = true;
  const text = await answer.text();
  const said = parseJson(text);
  if (answer.ok) return said;
  if (answer.status === 401 && path.startsWith('/v1/')) isSignedOut.value = true;
  throw new Refusal({
    code: said?.code ?? 'internal.error',
    message: said?.detail ?? `It answers ${answer.status}`,
    ...said,
  });
}

/** What a proxy answers may be no JSON. */
function parseJson(text: string) {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Follows the states of a task until it ends; a broken stream is opened again.
 * @returns ends it.
 */
export function followTask(
  key: string,
  onEvent: (event: { type: string } & Record<string, unknown>) => void,
): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = (): void => {
    source = new EventSource(`/v1/tasks/${encodeURIComponent(key)}/watch`);
    const take = ({ data }: MessageEvent<string>): void => {
      isReached.value = true;
      const event = JSON.parse(data);
      // A door that closes ends the stream, not the task.
      const isCut = event.type === 'end' && event.kind !== 'ended';
      if (isCut) again();
      else if (event.type === 'end') close();
      if (!isCut) onEvent(event);
    };
    for (const type of ['state', 'stall', 'end']) source.addEventListener(type, take);
    // A browser itself gives up after an answer that is no stream.
    source.addEventListener('error', again);
  };
  const again = (): void => {
    source?.close();
    timer = setTimeout(open, 1000);
  };
  const close = (): void => {
    clearTimeout(timer);
    source?.close();
  };
  open();
  return close;
}
