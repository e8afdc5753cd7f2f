import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { wholeProject } from '../../../operations/concerns.js';
import { withinRight } from '../../../operations/run-operation.js';
import { attempt } from '../../../text/attempt.js';
import { checkOrigin } from '../check-origin.js';
import type { HttpDoor } from '../http-door.js';
import { defineRoute, type Route } from '../route.js';

const PATH = '/codec/decode';

const payloads = z
  .array(z.strictObject({ metadata: z.record(z.string(), z.string()).optional(), data: z.string().optional() }))
  .max(10_000);

/** Temporal's codec server protocol, for its UI and command line; bytes are base64. Source: docs/operations.md#encrypted-payloads. */
export const codecRoute: Route = defineRoute({
  name: 'decodePayloads',
  method: 'POST',
  path: PATH,
  summary: 'Decrypt payloads for the Temporal UI, as its codec endpoint; with the right `read` for the whole project.',
  right: 'read',
  body: z.looseObject({ payloads }),
  answers: { 200: { means: 'The payloads, in the same order.', schema: z.looseObject({ payloads }) } },
  handle: ({ door, caller: { rights }, body }) =>
    withinRight({ project: door, rights, right: 'read' }, wholeProject, {}, () =>
      door.ask(async ({ codec }) => {
        const encoded = (body as { payloads: z.output<typeof payloads> }).payloads.map(
          ({ metadata = {}, data = '' }) => ({
            metadata: mapValues(metadata, (value) => Buffer.from(value, 'base64')),
            data: Buffer.from(data, 'base64'),
          }),
        );
        const decoded = (await codec.decode(encoded)).map(({ metadata, data }) => ({
          metadata: mapValues(metadata ?? {}, (value) => Buffer.from(value).toString('base64')),
          data: Buffer.from(data ?? []).toString('base64'),
        }));
        return { status: 200, body: { payloads: decoded } };
      }),
    ),
});

/** Lets pages of the Temporal UI, and no others, call the codec. @returns whether the request comes from one. */
export async function letUiDecode(door: HttpDoor, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  if (request.url.split('?', 1)[0] !== PATH) return false;
  // Whoever asks has shown nothing yet, so the answer of a look is kept.
  checkOrigin(request, door.isOwnHost, true);
  const { origin } = request.headers;
  const ui = origin === undefined ? null : await addressOfUi(door);
  if (origin === undefined || ui === null || origin !== attempt(() => new URL(ui).origin)) return false;
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-allow-headers': 'authorization, content-type, x-namespace',
    'access-control-allow-methods': 'POST',
    vary: 'origin',
  });
  return true;
}

const LOOK_MS = 10_000;
const looks = new WeakMap<HttpDoor, { at: number; ui: Promise<string | null> }>();

function addressOfUi(door: HttpDoor): Promise<string | null> {
  const known = looks.get(door);
  if (known && Date.now() - known.at < LOOK_MS) return known.ui;
  const ui = door.ask(async (connection) => connection.ui).catch(() => null);
  looks.set(door, { at: Date.now(), ui });
  return ui;
}

function mapValues<From, To>(map: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));
}
