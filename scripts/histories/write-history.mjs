// Writes one recorded run as a file of the repository: without anything of the machine it was made on.
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

const REFERENCE = 'binary/ability-ref';

/**
 * Writes a history with what its events do not say: the id of the workflow, how the task ended, the values in the store.
 *
 * @param {{ file: string, workflowId: string, status: string, history: object, root: string, store: string }} run
 */
export function writeHistory({ file, workflowId, status, history, root, store }) {
  const json = withoutMachine(JSON.parse(historyToJSON(history)), root);
  const stored = Object.fromEntries(referencesIn(json).map((digest) => [digest, packed(store, digest)]));
  const more = Object.keys(stored).length > 0 ? { stored } : {};
  writeFileSync(file, `${JSON.stringify({ workflowId, status, ...more, history: json }, null, 1)}\n`);
}

/** Nothing of the machine belongs in a file of the repository: paths, host, process. */
function withoutMachine(value, root) {
  if (Array.isArray(value)) return value.map((item) => withoutMachine(item, root));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, item]) => {
    if (key === 'identity' || key === 'workerIdentity') return [key, 'worker'];
    if (key === 'stackTrace') return [key, ''];
    if (typeof item === 'string') return [key, key === 'data' ? cleanPayload(item, root) : cleanText(item, root)];
    return [key, withoutMachine(item, root)];
  });
  return Object.fromEntries(entries);
}

function cleanPayload(data, root) {
  return Buffer.from(cleanText(Buffer.from(data, 'base64').toString('utf8'), root)).toString('base64');
}

function cleanText(text, root) {
  return text.replaceAll(root, '/project').replaceAll(hostname(), 'host');
}

/** Digests of the values that payloads of a history only name. */
function referencesIn(value) {
  if (value === null || typeof value !== 'object') return [];
  const { metadata, data } = value;
  if (metadata?.encoding && textOf(metadata.encoding) === REFERENCE) return [textOf(data)];
  return [...new Set(Object.values(value).flatMap(referencesIn))];
}

function textOf(base64) {
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** Packed, a large value that repeats itself is a short line. */
function packed(store, digest) {
  return gzipSync(readFileSync(join(store, digest.slice(0, 2), digest))).toString('base64');
}
