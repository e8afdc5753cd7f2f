import { appendFileSync, mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { RateLimiter } from '../activities/api/rate-limit.js';
import { createExecute } from '../activities/execute.js';
import { createAnswerScript } from '../activities/hooks/script-handler.js';
import type { ActivityDependencies } from '../activities/index.js';
import { PinnedTools } from '../activities/mcp/pinned-tools.js';
import { McpPool } from '../activities/mcp/pool.js';
import { PlanSource } from '../activities/plan-source.js';
import { RecordFolder } from '../activities/record/record-folder.js';
import { PinnedScripts } from '../activities/script/pinned-scripts.js';
import { EnvironmentVariables, SecretSource } from '../activities/secrets.js';
import type { Json } from '../contracts/json.js';
import { AbilityError } from '../contracts/problem.js';
import type { TaskResult } from '../contracts/task.js';
import type { SealKeys } from '../planning/seal.js';
import { mapLargeParts } from '../rules/large-parts.js';
import { CheckedChains } from '../server/checked-chains.js';
import { StoredMarks } from '../server/effect-marks.js';
import { INLINE_BYTES, SPILL_BYTES } from '../server/payload-codec.js';
import type { PayloadStore } from '../server/payload-store.js';
import type { ProjectPaths } from '../server/project-paths.js';
import { EndRecords } from './end-records.js';
import { accessLocks } from './lock-access.js';
import { log } from './logger.js';
import { RunningGroups } from './running-groups.js';
import type { TemporalAccess } from './temporal-access.js';

/** What the workers of one process share, and how it is let go. */
export interface SharedDependencies {
  activities: ActivityDependencies;
  ends: EndRecords;
  close(): Promise<void>;
}

/** Builds what activities need, once for all workers of a process. */
export function buildDependencies(
  project: string,
  paths: ProjectPaths,
  store: PayloadStore,
  keys: SealKeys,
  access: TemporalAccess,
  env: NodeJS.ProcessEnv = process.env,
): SharedDependencies {
  const groups = new RunningGroups(paths.running);
  const reaped = groups.reap();
  if (reaped > 0) log.warn({ reaped }, 'ended scripts that a killed worker had left');
  const pool = new McpPool({ root: paths.root, groups });
  const plans = new PlanSource(project, keys, access.readRun, new CheckedChains(store.folder));
  const { root } = paths;
  const scripts = new PinnedScripts(root, paths.pinned, store);
  const tools = new PinnedTools(pool, store, root);
  const secrets = (environment: string): SecretSource => new SecretSource(root, environment, env);
  const activities: ActivityDependencies = {
    project,
    ui: env.TEMPORAL_UI_ADDRESS ?? null,
    host: hostname(),
    root,
    keys,
    plans,
    marks: new StoredMarks(store.folder),
    records: new RecordFolder(paths.records),
    findTask: access.findTask,
    readEnded: access.readEnded,
    locks: accessLocks(access.client),
    findDeletion: access.findDeletion,
    isServed: access.isServed,
    executions: access.executions,
    scripts,
    tools,
    execute: createExecute({ root, groups, scripts, pool, tools, limiter: new RateLimiter() }),
    answerScript: createAnswerScript({ root, groups, scripts, secrets }),
    secrets,
    variables: (environment) => new EnvironmentVariables(root, environment, env),
    recordUsage: (line) => appendLine(join(paths.system, 'usage.jsonl'), line),
    keepLarge: (answer, limit) => keepLarge(answer, limit, store),
    shrink: (result) => shrink(result, store),
  };
  return {
    activities,
    ends: new EndRecords(activities),
    async close() {
      await pool.close();
      groups.close();
    },
  };
}

/** Smaller parts are not worth a file. */
const SMALL_BYTES = 4096;

function appendLine(file: string, line: Record<string, unknown>): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** Puts a large answer into the store before the codec has to, while its activity can still say that it could not. */
function keepLarge(answer: unknown, limitBytes: number, store: PayloadStore): void {
  const { data } = defaultPayloadConverter.toPayload(answer);
  if (!data || data.length <= SPILL_BYTES) return;
  if (data.length > limitBytes * 2) {
    throw new AbilityError({ code: 'output.too_large', message: `The answer of the call has ${data.length} bytes` });
  }
  try {
    store.put(data);
  } catch (error) {
    if (data.length > INLINE_BYTES) throw error;
  }
}

/** The envelope of a result stays inline; what is large in it becomes a reference. Source: answers, 23. */
function shrink(result: TaskResult, store: PayloadStore): TaskResult {
  const once = mapLargeParts(result, (part) => stored(part, SPILL_BYTES, store));
  // Parts that are small one by one may be large together.
  if (Buffer.byteLength(JSON.stringify(once)) <= SPILL_BYTES) return once;
  return mapLargeParts(once, (part) => stored(part, SMALL_BYTES, store));
}

function stored(part: Json, mostBytes: number, store: PayloadStore): Json {
  const text = JSON.stringify(part);
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostBytes) return part;
  try {
    return { $ref: store.put(Buffer.from(text)), bytes };
  } catch (error) {
    if (bytes <= INLINE_BYTES) return part;
    throw error;
  }
}
