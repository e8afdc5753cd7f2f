/** Idempotency keys: a request that is sent again gets the answer it got the first time, and changes nothing more. */
import { createHash } from 'node:crypto';

/**
 * Does the work of a request in one transaction, together with the note that it was done.
 *
 * @param {import('pg').Pool} pool
 * @param {import('fastify').FastifyRequest} request its `Idempotency-Key` header decides; without one, nothing is noted.
 * @param {(client: import('pg').PoolClient) => Promise<Answer>} work only queries: the transaction must stay short.
 * @returns {Promise<Answer>} with `again: true` when it is the answer of an earlier request.
 * @typedef {{ status: number, body: object, again?: boolean }} Answer
 */
export async function answerOnce(pool, request, work) {
  const key = request.headers['idempotency-key'];
  const client = await pool.connect();
  try {
    await client.query('begin');
    const answer =
      (key && (await earlierAnswer(client, key, digestOf(request)))) || (await newAnswer(client, key, work));
    await client.query('commit');
    client.release();
    return answer;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    client.release(true);
    throw error;
  }
}

/** Takes the key; when another request holds it, waits for that and gives its answer. */
async function earlierAnswer(client, key, digest) {
  const taken = await client.query(
    'insert into signup.answers (idempotency_key, request) values ($1, $2) on conflict do nothing',
    [key, digest],
  );
  if (taken.rowCount === 1) return undefined;
  const { rows } = await client.query('select request, status, body from signup.answers where idempotency_key = $1', [
    key,
  ]);
  const [{ request, status, body }] = rows;
  if (request === digest) return { status, body, again: true };
  return { status: 422, body: { error: 'key_reused', message: 'This Idempotency-Key belongs to another request' } };
}

async function newAnswer(client, key, work) {
  const { status, body } = await work(client);
  if (key) {
    await client.query('update signup.answers set status = $2, body = $3 where idempotency_key = $1', [
      key,
      status,
      body,
    ]);
  }
  return { status, body };
}

function digestOf({ method, url, body }) {
  return createHash('sha256')
    .update(JSON.stringify([method, url, body]))
    .digest('hex');
}
