import { PassThrough, type Readable } from 'node:stream';
import { z } from 'zod';
import { AbilityError } from '../../../contracts/problem.js';
import { maxFileOf } from '../../../definitions/max-file.js';
import { task } from '../../../operations/concerns.js';
import * as fields from '../../../operations/fields.js';
import { answer } from '../../../operations/operation.js';
import { withinRight } from '../../../operations/run-operation.js';
import { viewOwn } from '../../../operations/wait-for-result.js';
import { mediaTypeOf, safeFileName } from '../../../text/file-name.js';
import { defineRoute, FILE_TYPE, type Route } from '../route.js';

/** A file of a task, by its digest in `files` of the result. Never shown by a browser: what it contains is not ours. */
export const fileRoute: Route = defineRoute({
  name: 'readFile',
  method: 'GET',
  path: '/v1/tasks/{key}/files/{digest}',
  summary: 'The bytes of a file that a task received or made, by its digest (`$file`) in `files` of its result.',
  right: 'read',
  params: z.strictObject({ key: fields.key, digest: z.string().regex(/^[0-9a-f]{64}$/) }),
  answers: { 200: { means: 'As an attachment with its name.', schema: z.string(), type: FILE_TYPE } },
  handle: ({ door, caller: { rights }, params: { key, digest } }) =>
    withinRight({ project: door, rights, right: 'read' }, task, { key }, () =>
      door.ask(async (connection) => {
        const { result } = await viewOwn(connection, key);
        const found = result.files?.find(({ file }) => file.$file === digest);
        if (!found) {
          throw new AbilityError({
            code: 'file.not_of_task',
            message: `${key} has no file ${digest.slice(0, 12)}`,
            suggestion: `See its files: GET /v1/tasks/${encodeURIComponent(key)}/result.`,
          });
        }
        const name = encodeURIComponent(safeFileName(found.file.name));
        const headers = {
          'content-type': FILE_TYPE,
          'content-length': String(found.file.bytes),
          'content-disposition': `attachment; filename*=UTF-8''${name}`,
        };
        return { status: 200, body: await connection.store.openFile(digest), headers };
      }),
    ),
});

/** Without a hold: what no task has within two days is removed. */
export const keepFileRoute: Route = defineRoute({
  name: 'keepFile',
  method: 'POST',
  path: '/v1/files',
  summary: 'Store a file for the input of a task, which must name it within two days; returns the value for its place.',
  right: 'run',
  query: z.strictObject({ name: z.string().min(1).max(1000).describe('Its name, without folders.') }),
  body: z.string().describe('The bytes; at most `policy.max_file`.'),
  takes: 'stream',
  answers: answer(
    'The value, for a place whose schema has `format: file`.',
    z.strictObject({ $file: z.string(), name: z.string(), bytes: z.int(), media_type: z.string() }),
  ),
  handle: ({ door, query, body, signal }) =>
    door.ask(async ({ store }) => {
      const source = readingOf(body as unknown as Readable | undefined);
      const kept = await store.keepFile(source, { maxBytes: maxFileOf(door.registry().project), signal });
      const name = safeFileName(query.name);
      return { status: 200, body: { $file: kept.sha256, name, bytes: kept.bytes, media_type: mediaTypeOf(name) } };
    }),
});

/** What ends it does not end the request, which could not be read on then. */
function readingOf(body: Readable | undefined): Readable {
  const reading = new PassThrough();
  if (!body) return reading.end();
  body.once('error', (error) => reading.destroy(error));
  return body.pipe(reading);
}
