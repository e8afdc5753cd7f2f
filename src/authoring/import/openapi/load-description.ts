import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AbilityError, usageError } from '../../../contracts/problem.js';
import { signalWithin } from '../../../rules/any-abort-signal.js';
import { tooLarge, unavailable } from '../import-fault.js';
import type { DocumentHeader } from './document-headers.js';
import { cleanText } from './follow-reference.js';
import { MAX_DOCUMENT_BYTES } from './import-document.js';

export interface Description {
  text: string;
  /** For people: the path as given, or the address without secret parts. */
  from: string;
  /** Its address after all redirects; undefined for a file. */
  url?: string;
}

interface Loading {
  cwd: string;
  timeoutMs: number;
  signal: AbortSignal;
  headers?: readonly DocumentHeader[];
}

const MAX_REDIRECTS = 5;

/**
 * From a file or an http address. @param timeoutMs for the whole download.
 * @param headers sent only to the origin of the address; dropped once a redirect leaves it.
 * @throws AbilityError `import.unavailable`, `import.unsupported` (too large), `usage.invalid` (headers, file).
 */
export async function loadDescription(
  source: string,
  { cwd, timeoutMs, signal, headers = [] }: Loading,
): Promise<Description> {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(source)) {
    if (headers.length === 0) return loadFile(source, cwd);
    throw usageError('--header is for an address, and no file has headers');
  }
  if (!/^https?:/i.test(source) || !URL.canParse(source)) {
    throw unavailable(`${cleanText(source, 200)} is no http address`);
  }
  const url = new URL(source);
  if (url.username || url.password) {
    const suggestion = 'Download it, and import the file.';
    throw unavailable(`The address of ${url.host} contains a password`, { suggestion });
  }
  const limit = signalWithin(timeoutMs, [signal]);
  try {
    return await download(url, headers, limit.signal);
  } catch (error) {
    if (error instanceof AbilityError || signal.aborted) throw error;
    const reason = limit.isLate() ? `it did not answer within ${timeoutMs} ms` : reasonOf(error);
    throw unavailable(`${shown(url)} cannot be read: ${reason}`, { cause: error });
  } finally {
    limit.release();
  }
}

function loadFile(source: string, cwd: string): Description {
  const from = cleanText(source, 200);
  const path = resolve(cwd, source);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw unavailable(`There is no file ${from}`);
  if (!stat.isFile()) throw unavailable(`${from} is no file`);
  if (stat.size > MAX_DOCUMENT_BYTES) throw largerThan(from);
  try {
    return { text: withoutMark(readFileSync(path, 'utf8')), from };
  } catch (error) {
    throw unavailable(`${from} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

async function download(first: URL, own: readonly DocumentHeader[], signal: AbortSignal): Promise<Description> {
  let url = first;
  // Headers go only to the first origin. Once a redirect has left it, they are not sent again, even to that origin.
  let meant = own;
  for (let hop = 0; ; hop += 1) {
    const headers = new Headers({ accept: 'application/json, application/yaml, text/yaml, */*;q=0.5' });
    for (const { name, value } of meant) headers.append(name, value);
    const answer = await fetch(url.href, { headers, redirect: 'manual', signal });
    const target = answer.headers.get('location');
    if (answer.status >= 300 && answer.status < 400 && target !== null) {
      await answer.body?.cancel();
      url = redirected(url, target, hop);
      if (url.origin !== first.origin) meant = [];
      continue;
    }
    if (!answer.ok) {
      await answer.body?.cancel();
      throw unavailable(`${shown(url)} answered ${answer.status}, and no document`);
    }
    return { text: withoutMark(await readBody(answer, url)), from: shown(first), url: url.href };
  }
}

function redirected(from: URL, target: string, hop: number): URL {
  if (hop === MAX_REDIRECTS) throw unavailable(`${shown(from)} is redirected more than ${MAX_REDIRECTS} times`);
  const url = URL.canParse(target, from.href) ? new URL(target, from.href) : undefined;
  const isDowngrade = from.protocol === 'https:' && url?.protocol === 'http:';
  if (!url || !/^https?:$/.test(url.protocol) || isDowngrade || url.username || url.password) {
    throw unavailable(`${shown(from)} redirects to ${cleanText(target, 200)}, which is not followed`);
  }
  return url;
}

async function readBody(answer: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_DOCUMENT_BYTES) throw largerThan(shown(url));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Omits the query, which may contain a key. */
function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

function largerThan(from: string): AbilityError {
  return tooLarge(`${from} is larger than ${MAX_DOCUMENT_BYTES / 1024 / 1024} MiB`);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
