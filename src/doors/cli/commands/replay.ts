import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fetchHistories } from '../../../client/index.js';
import { AbilityError } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { findProjectRoot } from '../../../definitions/find-project.js';
import { pathsOf } from '../../../server/project-paths.js';
import { openStore } from '../../../server/store/open-store.js';
import type { Store } from '../../../server/store/store.js';
import type { RecordedHistory } from '../../../worker/replay/history-events.js';
import { findHistoryFiles, readHistoryFile } from '../../../worker/replay/read-history-file.js';
import { type ReplayEnd, replayHistories } from '../../../worker/replay/replay-history.js';
import { renderReplay, renderReplays } from '../output/render-replay.js';
import { exitOf } from '../output/report.js';
import { type Context, openRegistry, withSession } from '../program/context.js';

/** `ability replay KEY|FILE|DIR`: whether this build's workflows replay recorded histories. */
export async function run(context: Context, [what]: [string]): Promise<ExitCode> {
  const path = resolve(context.cwd, what);
  const ends = existsSync(path) ? await replayFiles(context, path) : await replayTask(context, what);
  const { flags, terminal } = context;
  if (flags.json) terminal.print(JSON.stringify({ status: statusOf(ends), histories: ends }, null, 2));
  else terminal.print(renderReplays(ends, terminal.style));
  return exitOfEnds(ends);
}

async function replayFiles(context: Context, path: string): Promise<ReplayEnd[]> {
  const store = nearestStore(context);
  const files = findHistoryFiles(path).map((file) => readFile(file, relative(context.cwd, file)));
  const replayed = replayHistories(
    files.filter((file) => 'history' in file),
    { store },
  );
  const ends: ReplayEnd[] = [];
  for (const file of files) {
    ends.push(show(context, 'history' in file ? ((await replayed.next()).value as ReplayEnd) : file));
  }
  return ends;
}

/** A broken file counts as not replayed, so that the others still run. */
function readFile(file: string, name: string): RecordedHistory | ReplayEnd {
  try {
    return { ...readHistoryFile(file), name };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return { name, workflow_id: '', events: 0, status: 'not_replayed', problem: error.toProblem() };
  }
}

/** The store for large values: `ABILITY_STORE`, or the enclosing project's; undefined if there is none. */
function nearestStore({ cwd, flags, env }: Context): Store | undefined {
  const { ABILITY_STORE: given } = env;
  if (given) return openStore(given);
  try {
    const paths = pathsOf(findProjectRoot(cwd, flags.project));
    return openStore(paths.store, paths);
  } catch (error) {
    if (error instanceof AbilityError && flags.project === undefined) return undefined;
    throw error;
  }
}

async function replayTask(context: Context, key: string): Promise<ReplayEnd[]> {
  // Keys of called tasks contain slashes, but no key ends in `.json` or begins like a path.
  if (/\.json$|^[./~]/.test(key)) {
    const suggestion = 'Name a file or folder that is there, or a task key.';
    throw new AbilityError({ code: 'history.invalid', message: `There is no file ${join(key)}`, suggestion });
  }
  return withSession(context, await openRegistry(context), async (connection) => {
    const ends: ReplayEnd[] = [];
    const fetched = await fetchHistories(connection, key);
    const recorded = fetched.map(({ workflowId, runId, history }) => {
      const isOneOfMany = fetched.filter((other) => other.workflowId === workflowId).length > 1;
      return { name: isOneOfMany ? `${workflowId} (run ${runId})` : workflowId, workflowId, history };
    });
    for await (const end of replayHistories(recorded, { store: connection.store })) ends.push(show(context, end));
    return ends;
  });
}

function show({ flags, terminal }: Context, end: ReplayEnd): ReplayEnd {
  if (!flags.json) terminal.print(renderReplay(end, terminal.style));
  return end;
}

function statusOf(ends: readonly ReplayEnd[]): ReplayEnd['status'] {
  const all = new Set(ends.map(({ status }) => status));
  return all.has('differs') ? 'differs' : all.has('not_replayed') ? 'not_replayed' : 'ok';
}

/** A difference outweighs a history that could not be replayed, which exits with its problem's code. */
function exitOfEnds(ends: readonly ReplayEnd[]): ExitCode {
  if (statusOf(ends) === 'differs') return EXIT.failed;
  for (const end of ends) if (end.status === 'not_replayed') return exitOf(end.problem);
  return EXIT.ok;
}
