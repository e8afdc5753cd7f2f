import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fetchSharedRecord, readHost, type SharedRecord, sharedStore, viewTask } from '../../../../client/index.js';
import { AbilityError } from '../../../../contracts/problem.js';
import { RECORD_FILES, type TaskRecord } from '../../../../contracts/record.js';
import type { Registry } from '../../../../definitions/registry.js';
import { readJson } from '../../../../disk/read-json.js';
import { pathsOf } from '../../../../server/project-paths.js';
import { recordFolder } from '../../../answers/record-folder.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import { mendRecord } from './mend-record.js';

const ONLY_PLANNED = 'this record has only what was planned';

/** `ability task record KEY`: prints `tool_call.md` or `record.json`; a complete local one needs no server. */
export async function run(context: Context, [key]: [string]): Promise<void> {
  const registry = await openRegistry(context);
  const folder = recordFolder(pathsOf(registry.root).records, key);
  const file = join(folder, context.flags.json ? RECORD_FILES.json : RECORD_FILES.text);
  if (isComplete(folder)) return print(context, readFileSync(file, 'utf8'));
  const shared = await findShared(context, registry, key, folder);
  if (shared?.record.result) return print(context, textOf(context, shared));
  await complete(context, registry, key, folder);
  if (existsSync(file)) return print(context, readFileSync(file, 'utf8'));
  if (shared) return print(context, textOf(context, shared));
  throw await whyMissing(context, registry, key, folder);
}

function print({ flags, terminal }: Context, text: string): void {
  if (flags.json) terminal.printJson(JSON.parse(text));
  else terminal.print(text);
}

function textOf({ flags }: Context, { record, text }: SharedRecord): string {
  return flags.json ? JSON.stringify(record) : text;
}

/** The record that a worker elsewhere shared. If the store cannot be read, a local record is still shown. */
async function findShared(
  { env, terminal }: Context,
  { root, project }: Registry,
  task: string,
  folder: string,
): Promise<SharedRecord | undefined> {
  if (existsSync(join(folder, RECORD_FILES.deleted))) return undefined;
  const store = sharedStore(env, pathsOf(root));
  try {
    return store && (await fetchSharedRecord(store, { project: project.project, task }));
  } catch (error) {
    if (!(error instanceof AbilityError) || !existsSync(join(folder, RECORD_FILES.json))) throw error;
    terminal.note(`${error.code}: ${error.message}`);
    return undefined;
  }
}

/** True once the record has a result. */
function isComplete(folder: string): boolean {
  return (readJson<TaskRecord>(join(folder, RECORD_FILES.json))?.result ?? null) !== null;
}

/** Writes the record of an ended task if its worker could not; an open task already has one. */
async function complete(
  context: Context,
  registry: Parameters<typeof withSession>[1],
  key: string,
  folder: string,
): Promise<void> {
  try {
    const mended = await withSession(context, registry, async (connection) =>
      mendRecord(connection, key, await viewTask(connection, key, 'temporal')),
    );
    if (mended) context.terminal.note(isComplete(folder) ? mended : `${mended}; ${ONLY_PLANNED}`);
  } catch (error) {
    if (!(error instanceof AbilityError) || !existsSync(join(folder, RECORD_FILES.json))) throw error;
    context.terminal.note(`${error.code}: ${error.message}; ${ONLY_PLANNED}`);
  }
}

/** Says where a missing record may be. Source: docs/operations.md#looking-into-a-task. */
export function whyMissing(
  context: Context,
  registry: Parameters<typeof withSession>[1],
  key: string,
  folder: string,
): Promise<AbilityError> {
  return withSession(context, registry, async (connection) => {
    const { result } = await viewTask(connection, key, 'anyone');
    const there = result.links.record;
    const host = await readHost(connection, key);
    const isHere = host === undefined ? connection.isOwnRuntime : host === hostname();
    if (isHere && (there === null || there === folder)) return missing(key, folder);
    const where = host ?? `a machine that Temporal at ${connection.address} does not name`;
    return new AbilityError({
      code: 'record.remote',
      message: `The record of ${key} is on ${where}, where its worker keeps it${there ? `: ${there}` : ''}`,
      suggestion: 'Run the command there, or let workers and callers share a store: ABILITY_STORE.',
    });
  });
}

function missing(key: string, folder: string): AbilityError {
  return new AbilityError({
    code: 'record.missing',
    message: `The record of ${key} is not in ${folder}`,
    suggestion: `It may have been deleted, or its worker runs in another folder; ask Temporal: ability task show ${key}.`,
  });
}
