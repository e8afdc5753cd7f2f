/** Billing: charges, refunds and invoices, for callers with the token. */
import { randomUUID, timingSafeEqual } from 'node:crypto';
import { answerOnce } from './answer-once.mjs';

const MOST_CENTS = 100_000;

const user_id = { type: 'string', minLength: 1 };
const chargeBody = {
  type: 'object',
  required: ['user_id', 'amount_cents'],
  properties: { user_id, amount_cents: { type: 'integer', minimum: 1, maximum: MOST_CENTS } },
};
const refundBody = { type: 'object', required: ['charge_id'], properties: { charge_id: { type: 'string' } } };
const invoiceBody = { type: 'object', required: ['user_id'], properties: { user_id } };

/** @type {import('fastify').FastifyPluginAsync<{ pool: import('pg').Pool, log: Function, token: string }>} */
export async function billingRoutes(app, { pool, log, token }) {
  const expected = Buffer.from(`Bearer ${token}`);
  app.addHook('onRequest', async (request, reply) => {
    const given = Buffer.from(request.headers.authorization ?? '');
    if (given.length === expected.length && timingSafeEqual(given, expected)) return;
    log('billing', 'warning', 'wrong token', { path: request.url });
    return reply.code(401).send({ error: 'unauthorized', message: 'A bearer token is needed' });
  });

  for (const [path, schema, work] of [
    ['/charge', chargeBody, charge],
    ['/refund', refundBody, refund],
    ['/invoice', invoiceBody, invoice],
  ]) {
    app.post(path, { schema: { body: schema } }, async (request, reply) => {
      const { status, body, again } = await answerOnce(pool, request, (client) => work(client, request.body));
      log('billing', status < 300 ? 'info' : 'warning', `${path.slice(1)} ${again ? 'answered again' : status}`, body);
      return reply.code(status).send(body);
    });
  }
}

async function charge(client, { user_id, amount_cents }) {
  const { rows } = await client.query(
    `insert into signup.charges (charge_id, user_id, amount_cents)
     select $1, user_id, $3 from signup.users where user_id = $2 returning charge_id, amount_cents`,
    [`c-${randomUUID().slice(0, 8)}`, user_id, amount_cents],
  );
  return rows[0] ? { status: 201, body: rows[0] } : noSuch('user', user_id);
}

/** A charge is refunded once; who asks again gets the same refund. */
async function refund(client, { charge_id }) {
  const { rows } = await client.query(
    `update signup.charges set refund_id = coalesce(refund_id, $2) where charge_id = $1 returning refund_id, charge_id`,
    [charge_id, `r-${randomUUID().slice(0, 8)}`],
  );
  return rows[0] ? { status: 201, body: rows[0] } : noSuch('charge', charge_id);
}

async function invoice(client, { user_id }) {
  const { rows } = await client.query(
    `select u.user_id, coalesce(sum(c.amount_cents) filter (where c.refund_id is null), 0)::int as total_cents
     from signup.users u left join signup.charges c using (user_id) where u.user_id = $1 group by u.user_id`,
    [user_id],
  );
  return rows[0] ? { status: 200, body: rows[0] } : noSuch('user', user_id);
}

function noSuch(what, id) {
  return { status: 404, body: { error: 'not_found', message: `There is no ${what} ${id}` } };
}
