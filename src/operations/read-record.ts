import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import {
  type Connection,
  fetchSharedRecord,
  readHost,
  readRecord as readKept,
  type SeenTask,
  viewTask,
} from '../client/index.js';
import type { JsonObject } from '../contracts/json.js';
import { AbilityError } from '../contracts/problem.js';
import { RECORD_FILES } from '../contracts/record.js';
import { isEndState } from '../contracts/states.js';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { answer, operation } from './operation.js';
import { recordFolder } from './record-folder.js';
import { viewOwn } from './wait-for-result.js';

/** As far as this machine or the store has it. @throws AbilityError `record.missing`, `record.remote`. */
export const readRecord = operation({
  summary: 'The record of a task, as JSON and as text; of one that runs, what was planned.',
  right: 'read',
  at: 'GET /v1/tasks/{key}/record',
  input: z.strictObject({ key: fields.key }),
  concerns: task,
  answers: answer('Both forms.', z.strictObject({ record: z.looseObject({}), text: z.string() })),
  run: (project, _, { key }) =>
    project.ask(async (connection) => {
      await mendRecord(connection, key, await viewOwn(connection, key, 'temporal'));
      const { paths, project: name, store } = connection;
      const folder = recordFolder(paths.records, key);
      const here = readHere(folder);
      const shared =
        here?.record.result || !store.isShared ? undefined : fetchSharedRecord(store, { project: name, task: key });
      const found = (await shared) ?? here;
      if (!found) throw await whyMissing(connection, key, folder);
      return { record: found.record as unknown as JsonObject, text: found.text };
    }),
});

function readHere(folder: string): { record: JsonObject; text: string } | undefined {
  const [json, text] = [RECORD_FILES.json, RECORD_FILES.text].map((name) => join(folder, name)) as [string, string];
  if (!existsSync(json) || !existsSync(text)) return undefined;
  return { record: JSON.parse(readFileSync(json, 'utf8')) as JsonObject, text: readFileSync(text, 'utf8') };
}

/** Says where a missing record may be. Source: docs/operations.md#looking-into-a-task. */
export async function whyMissing(connection: Connection, key: string, folder: string): Promise<AbilityError> {
  const { result } = await viewTask(connection, key, 'anyone');
  const there = result.links.record;
  const host = await readHost(connection, key);
  const isHere = host === undefined ? connection.isOwnRuntime : host === hostname();
  if (isHere && (there === null || there === folder)) {
    return new AbilityError({
      code: 'record.missing',
      message: `The record of ${key} is not in ${folder}`,
      suggestion: `It may have been deleted, or its worker runs in another folder; ask Temporal: ability task show ${key}.`,
    });
  }
  const where = host ?? `a machine that Temporal at ${connection.address} does not name`;
  return new AbilityError({
    code: 'record.remote',
    message: `The record of ${key} is on ${where}, where its worker keeps it${there ? `: ${there}` : ''}`,
    suggestion: 'Run the command there, or let workers and callers share a store: ABILITY_STORE.',
  });
}

/**
 * Writes the missing record of an ended task from its history: its worker may have had a full disk, or no access
 * to the folder. @returns a message; undefined if nothing is missing, or the record is of another machine.
 */
export async function mendRecord(connection: Connection, key: string, seen: SeenTask): Promise<string | undefined> {
  if (!hasEndedHere(key, seen) || readKept(connection, key)?.result) return undefined;
  // Another worker keeps it elsewhere.
  if (!connection.isOwnRuntime && !readKept(connection, key)) return undefined;
  const missing = `record.missing: how ${key} ended was not in its record`;
  try {
    const { recordFromHistory } = await import('../worker/record-from-history.js');
    await recordFromHistory(connection, key, seen.result);
    return `${missing}; it was written now, from the history`;
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return `${missing}, and could not be written from the history: ${error.code}: ${error.message}`;
  }
}

/** Not for direct runs, called tasks, refused requests and other projects' tasks: no records are kept here. */
function hasEndedHere(key: string, { source, result }: SeenTask): boolean {
  const isOwn = result.project === undefined && result.task_key !== null;
  const hasRecord = isEndState(result.status) && result.status !== 'unavailable';
  return source === 'history' && isOwn && hasRecord && !key.includes('/');
}
