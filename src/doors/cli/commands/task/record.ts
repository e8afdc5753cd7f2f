import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchSharedRecord, type SharedRecord, sharedStore, viewTask } from '../../../../client/index.js';
import { AbilityError } from '../../../../contracts/problem.js';
import { RECORD_FILES, type TaskRecord } from '../../../../contracts/record.js';
import type { Registry } from '../../../../definitions/registry.js';
import { readJson } from '../../../../disk/read-json.js';
import { mendRecord } from '../../../../operations/mend-record.js';
import { whyMissing as whyNotHere } from '../../../../operations/read-record.js';
import { recordFolder } from '../../../../operations/record-folder.js';
import { pathsOf } from '../../../../server/project-paths.js';
import { type Context, openRegistry, printAnswer, withSession } from '../../program/context.js';
import { withProject } from '../../program/project-client.js';

const ONLY_PLANNED = 'this record has only what was planned';

/** `ability task record KEY`: prints `tool_call.md` or `record.json`; a complete local one needs no server. */
export async function run(context: Context, [key]: [string]): Promise<void> {
  if (context.door) return printThere(context, key);
  const registry = await openRegistry(context);
  const folder = recordFolder(pathsOf(registry.root).records, key);
  const file = join(folder, context.flags.json ? RECORD_FILES.json : RECORD_FILES.text);
  if (isComplete(folder)) return print(context, readFileSync(file, 'utf8'));
  const shared = await findShared(context, registry, key, folder);
  if (shared?.record.result) return printAnswer(context, shared.record, () => shared.text);
  await complete(context, registry, key, folder);
  if (existsSync(file)) return print(context, readFileSync(file, 'utf8'));
  if (shared) return printAnswer(context, shared.record, () => shared.text);
  throw await whyMissing(context, registry, key, folder);
}

async function printThere(context: Context, key: string): Promise<void> {
  const { record, text } = await withProject(context, (project) => project.call('readRecord', { key }));
  printAnswer(context, record, () => text);
}

function print(context: Context, text: string): void {
  printAnswer(context, context.flags.json && JSON.parse(text), () => text);
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
async function complete(context: Context, registry: Registry, key: string, folder: string): Promise<void> {
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

/** Why there is no record here. @throws AbilityError `task.not_found`. */
export function whyMissing(context: Context, registry: Registry, key: string, folder: string): Promise<AbilityError> {
  return withSession(context, registry, (connection) => whyNotHere(connection, key, folder));
}
