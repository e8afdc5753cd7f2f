import { hostname } from 'node:os';
import { Admission } from '../activities/admission.js';
import { BoundedMap } from '../activities/bounded-map.js';
import { createExecute } from '../activities/call/execute.js';
import type { ActivityDependencies } from '../activities/dependencies.js';
import { createAnswerAbility } from '../activities/hooks/ability-handler.js';
import { ProvenGuards } from '../activities/hooks/claude-code/proven-guards.js';
import { createAnswerScript } from '../activities/hooks/script-handler.js';
import { PinnedScripts } from '../activities/processes/pinned-scripts.js';
import { lastDefinitions, placementsIn, projectDefinitions } from '../activities/project-definitions.js';
import { RecordFolder } from '../activities/record/record-folder.js';
import { removeExpired } from '../activities/record/remove-expired.js';
import type { SealKeys } from '../activities/seal.js';
import { EnvironmentVariables } from '../activities/secrets.js';
import { scheduleIdOf } from '../contracts/names.js';
import { RateLimiter } from '../kinds/api/call/rate-limit.js';
import { PinnedTools } from '../kinds/mcp/call/pinned-tools.js';
import { McpPool } from '../kinds/mcp/call/pool.js';
import type { TaskSessions } from '../kinds/mcp/call/task-sessions.js';
import { Transcripts } from '../kinds/model/call/transcript.js';
import { AuditLog } from '../server/audit/audit-log.js';
import { sharedProofs } from '../server/keys/check-proof.js';
import { GapLog } from '../server/logs/gap-log.js';
import { recordsOrigin } from '../server/logs/records-origin.js';
import { removeOldRuns } from '../server/logs/run-log.js';
import { UsageLog } from '../server/logs/usage-log.js';
import { openMarks } from '../server/marks/listed-marks.js';
import { pageAddress } from '../server/page-address.js';
import { CheckedChains } from '../server/payloads/checked-chains.js';
import { packedPlan } from '../server/payloads/pack-plan.js';
import type { ProjectPaths } from '../server/project-paths.js';
import type { Store } from '../server/store/store.js';
import { TaskFileStore } from '../server/store/task-file-store.js';
import type { Tracer } from '../tracing/open-tracer.js';
import { AuditSender } from './audit-sender.js';
import { type WriteAudit, writesAudit } from './audit-writer.js';
import { FileCollector } from './file-collector.js';
import { accessGrants } from './grant-access.js';
import { accessLocks } from './lock-access.js';
import { log } from './logger.js';
import { countMissed, MissedFirings, whyNoFiring } from './missed-firings.js';
import { RETENTION_MS } from './own-server.js';
import { EndRecords } from './record-beside-history.js';
import { RunningGroups } from './running-groups.js';
import { findSent, recentApprovals } from './seen-approvals.js';
import { accessSessions } from './session-access.js';
import { StoreShare } from './share/store-share.js';
import { shrink, storeLarge } from './store-large-payloads.js';
import type { TemporalAccess } from './temporal-access.js';
import { WorkerFolders } from './worker-folders.js';
import { openWorkerSecrets } from './worker-secrets.js';

/** More than the tasks that end at once on one worker. */
const MAX_REPORTS = 200;

export interface SharedDependencies {
  activities: ActivityDependencies;
  ends: EndRecords;
  writeAudit: WriteAudit;
  sender: AuditSender;
  collector: FileCollector;
  misses: MissedFirings;
  /** Undefined if records and logs are not shared. */
  share: StoreShare | undefined;
  /** Guards of other tools that deny their `must_deny` cases. */
  proven: ProvenGuards;
  /** Sessions of tasks with MCP servers. */
  sessions: Pick<TaskSessions, 'open'>;
  /** Undefined if traces are off. */
  tracer: Tracer | undefined;
  close(): Promise<void>;
}

export function buildDependencies(
  project: string,
  paths: ProjectPaths,
  store: Store,
  keys: SealKeys,
  access: TemporalAccess,
  env: NodeJS.ProcessEnv = process.env,
  tracer?: Tracer,
): SharedDependencies {
  const groups = new RunningGroups(paths.running);
  const reaped = groups.reap();
  if (reaped > 0) log.warn({ reaped }, 'ended scripts that a killed worker had left');
  const folders = new WorkerFolders(paths.calls);
  folders.sweep();
  const files = new TaskFileStore(store, project);
  const collector = new FileCollector({ project, root: paths.root, store, client: access.client });
  const onLeft = (error: unknown): void =>
    log.warn({ reason: String(error) }, 'an MCP server or its processes could not be ended');
  const pool = new McpPool({ root: paths.root, groups, onLeft }, access.untilEnded);
  const { root } = paths;
  const last = lastDefinitions(root);
  const plans = new Admission(project, keys, access.readRun, new CheckedChains(store), placementsIn(last));
  const scripts = new PinnedScripts(root, paths.pinned, store);
  const share = store.isShared ? new StoreShare(store, project, recordsOrigin(paths)) : undefined;
  const queues = (): string[] =>
    Object.keys(last()?.project.environments ?? {}).flatMap((name) => plans.queuesOf(name));
  const sessions = accessSessions(access.client, project, queues, plans);
  const tools = new PinnedTools(pool, store, root);
  const { secrets, close: closeSecrets } = openWorkerSecrets(root, groups, env, last);
  const proven = new ProvenGuards({ root, groups, scripts, secrets });
  const transcripts = new Transcripts(store);
  const execute = createExecute({ root, groups, scripts, pool, tools, transcripts, env, limiter: new RateLimiter() });
  const usage = new UsageLog(paths.system);
  const gaps = new GapLog(paths.system);
  const misses = new MissedFirings({ project, store, client: access.client, lastDefinitions: last });
  const sender = new AuditSender(store, project, last, secrets);
  const activities: ActivityDependencies = {
    project,
    ui: env.TEMPORAL_UI_ADDRESS ?? null,
    page: pageAddress(env),
    isOwnRuntime: false,
    proofs: () => sharedProofs(project, last()?.project.doors ?? {}),
    host: hostname(),
    root,
    keys,
    plans,
    marks: openMarks(store),
    reports: new BoundedMap(MAX_REPORTS),
    records: new RecordFolder(paths.records, share, secrets),
    files: { store: files, folders },
    readGiven: access.readGiven,
    findEarlier: access.findEarlier,
    packPlan: packedPlan,
    readEnded: access.readEnded,
    locks: accessLocks(access.client),
    grants: accessGrants(access.client, sessions),
    sessions,
    findDeletion: access.findDeletion,
    isServed: access.isServed,
    executions: access.executions,
    countMissed: (schedule) => countMissed(access.client, scheduleIdOf(project, schedule)),
    whyNoFiring: (schedule, since) => whyNoFiring(access.client, scheduleIdOf(project, schedule), since),
    findSent: (notice) => findSent(access.client, notice),
    recentApprovals: (than) => recentApprovals(access.client, project, than),
    hold: () => Promise.reject(new Error('Set by its host')),
    scripts,
    tools,
    execute,
    answerAbility: createAnswerAbility({ root, execute, secrets, files: { store: files, folders } }),
    answerScript: createAnswerScript({ root, groups, scripts, secrets }, proven),
    secrets,
    variables: (environment) => new EnvironmentVariables(root, environment, env),
    definitions: projectDefinitions(root),
    lastDefinitions: last,
    env,
    recordUsage: (line) => usage.append(line),
    recordGap: (gap) => gaps.note(gap),
    storeLarge: (answer, limit) => storeLarge(answer, limit, store),
    shrink: (result) => shrink(result, store),
    ...(tracer && { tracer }),
  };
  const sweep = startSweep(paths);
  return {
    activities,
    ends: new EndRecords(activities),
    sender,
    writeAudit: writesAudit(new AuditLog(store, project, paths.auditHead), last),
    collector,
    misses,
    share,
    proven,
    sessions: pool.sessions,
    tracer,
    async close() {
      clearInterval(sweep);
      await Promise.all([collector.close(), misses.close(), sender.close()]);
      await share?.close();
      await pool.close();
      closeSecrets();
      groups.close();
      folders.close();
      await tracer?.close();
    },
  };
}

/** Records of direct runs and logs of requests are kept for days, so an hour more is little. */
const SWEEP_MS = 3_600_000;

/** Removes expired records of direct runs and logs of requests, now and each hour. */
function startSweep({ records, runs }: ProjectPaths): NodeJS.Timeout {
  const clear = (what: string, remove: (now: number) => number): void => {
    try {
      const removed = remove(Date.now());
      if (removed > 0) log.info({ removed }, `removed ${what} that had expired`);
    } catch (error) {
      log.warn({ reason: String(error) }, `${what} could not be scanned`);
    }
  };
  const sweep = (): void => {
    clear('the records of direct runs', (now) => removeExpired(records, now));
    clear('the logs of requests', (now) => removeOldRuns(runs, now, RETENTION_MS));
  };
  sweep();
  return setInterval(sweep, SWEEP_MS).unref();
}
