// Writes one recorded run as a file of the repository: without anything of the machine it was made on.
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { packPlan, unpackPlan } from '../../build/server/payloads/pack-plan.js';

const REFERENCE = 'binary/ability-ref';
const PLAN = 'binary/ability-plan';

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
  if (encodingOf(value) === PLAN) return cleanPlan(value, root);
  if (value.metadata?.plan) return cleanAnswer(value, root);
  const entries = Object.entries(value).map(([key, item]) => {
    if (key === 'identity' || key === 'workerIdentity') return [key, 'worker'];
    if (key === 'stackTrace') return [key, ''];
    if (typeof item === 'string') return [key, key === 'data' ? cleanPayload(item, root) : cleanText(item, root)];
    return [key, withoutMachine(item, root)];
  });
  return Object.fromEntries(entries);
}

/** A plan names the folder of the scripts, and its bytes are packed. */
function cleanPlan(payload, root) {
  const { data } = unpackPlan(bytesOf(payload));
  const packed = packPlan({ data: Buffer.from(cleanText(Buffer.from(data).toString('utf8'), root)) });
  return { ...payload, data: Buffer.from(packed.data).toString('base64') };
}

/** The answer of a preflight, whose last member is its plan. */
function cleanAnswer(payload, root) {
  const { data } = unpackPlan(bytesOf(payload));
  const { plan, ...rest } = JSON.parse(cleanText(Buffer.from(data).toString('utf8'), root));
  const packed = { ...rest, plan: { $deflated: deflateRawSync(JSON.stringify(plan)).toString('base64') } };
  return { ...payload, data: Buffer.from(JSON.stringify(packed)).toString('base64') };
}

function bytesOf({ metadata, data }) {
  const decoded = Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text, 'base64')]);
  return { metadata: Object.fromEntries(decoded), data: Buffer.from(data, 'base64') };
}

function encodingOf({ metadata }) {
  return metadata?.encoding && textOf(metadata.encoding);
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
  if (encodingOf(value) === REFERENCE) return [textOf(value.data)];
  return [...new Set(Object.values(value).flatMap(referencesIn))];
}

function textOf(base64) {
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** Packed, a large value that repeats itself is a short line. */
function packed(store, digest) {
  return gzipSync(readFileSync(join(store, digest.slice(0, 2), digest))).toString('base64');
}
