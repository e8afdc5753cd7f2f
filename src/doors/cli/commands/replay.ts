import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fetchHistories } from '../../../client/index.js';
import { AbilityError } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { findProjectRoot } from '../../../definitions/find-project.js';
import { payloadKeysOf } from '../../../server/payloads/payload-keys.js';
import { pathsOf } from '../../../server/project-paths.js';
import { openStore } from '../../../server/store/open-store.js';
import type { Store } from '../../../server/store/store.js';
import { unlessRefused } from '../../../text/attempt.js';
import type { RecordedHistory } from '../../../worker/replay/history-events.js';
import { findHistoryFiles, readHistoryFile } from '../../../worker/replay/read-history-file.js';
import { type ReplayEnd, replayHistories } from '../../../worker/replay/replay-history.js';
import { describeProblem } from '../output/describe-problem.js';
import { exitOf } from '../output/report.js';
import type { Style } from '../output/terminal/terminal.js';
import { type Context, openRegistry, printAnswer, withSession } from '../program/context.js';

/** `ability replay KEY|FILE|DIR`: whether this build's workflows replay recorded histories. */
export async function run(context: Context, [what]: [string]): Promise<ExitCode> {
  const path = resolve(context.cwd, what);
  const ends = existsSync(path) ? await replayFiles(context, path) : await replayTask(context, what);
  const answer = { status: statusOf(ends), histories: ends };
  printAnswer(context, answer, () => renderReplays(ends, context.terminal.style));
  return exitOfEnds(ends);
}

async function replayFiles(context: Context, path: string): Promise<ReplayEnd[]> {
  const store = nearestStore(context);
  const files = findHistoryFiles(path).map((file) => readFile(file, relative(context.cwd, file)));
  const histories = files.filter((file) => 'history' in file);
  const replayed = replayHistories(histories, { store });
  const ends: ReplayEnd[] = [];
  for (const file of files) {
    ends.push(show(context, 'history' in file ? ((await replayed.next()).value as ReplayEnd) : file));
  }
  return ends;
}

/** A broken file counts as not replayed, so that the others still run. */
function readFile(file: string, name: string): RecordedHistory | ReplayEnd {
  return unlessRefused<RecordedHistory, ReplayEnd>(
    () => ({ ...readHistoryFile(file), name }),
    (error) => ({ name, workflow_id: '', events: 0, status: 'not_replayed', problem: error.toProblem() }),
  );
}

/** The store for large values: `ABILITY_STORE`, or the enclosing project's; undefined if there is none. */
function nearestStore({ cwd, flags, env }: Context): Store | undefined {
  const { ABILITY_STORE: given } = env;
  if (given) return openStore(given, payloadKeysOf(env));
  const open = (): Store => {
    const paths = pathsOf(findProjectRoot(cwd, flags.project));
    return openStore(paths.store, payloadKeysOf(env), paths);
  };
  return flags.project === undefined ? unlessRefused(open, () => undefined) : open();
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

function renderReplay(end: ReplayEnd, style: Style): string {
  const { name, events } = end;
  switch (end.status) {
    case 'ok':
      return `${style('green', '✓')} ${name}  ${style('dim', `${events} events`)}`;
    case 'differs':
      return `${style('red', '✗')} ${name}  ${differenceOf(end)}`;
    case 'not_replayed':
      return `${style('red', '?')} ${name}  ${describeProblem(end.problem, style)}`;
  }
}

function differenceOf({ difference }: Extract<ReplayEnd, { status: 'differs' }>): string {
  const { event_id, event_type, about, step, wanted } = difference;
  const named = [event_type, ...(about === null ? [] : [JSON.stringify(about)])].join(' ');
  const where = step === null ? '' : ` of step ${step}`;
  return `differs at event ${event_id}, ${named}${where}: this build would ${wanted}`;
}

function renderReplays(ends: readonly ReplayEnd[], style: Style): string {
  const count = (status: ReplayEnd['status']): number => ends.filter((end) => end.status === status).length;
  const [ok, differing, broken] = [count('ok'), count('differs'), count('not_replayed')];
  const bad = [
    ...(differing > 0 ? [`${differing} ${differing === 1 ? 'differs' : 'differ'}`] : []),
    ...(broken > 0 ? [`${broken} not replayed`] : []),
  ];
  const parts = [...bad.map((text) => style('red', text)), style(bad.length > 0 ? 'dim' : 'green', `${ok} replayed`)];
  return parts.join(', ');
}
