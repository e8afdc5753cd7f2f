/** Signing up: an address gets one account, and the user who was invited with it becomes active. */
import { randomUUID } from 'node:crypto';
import { answerOnce } from './answer-once.mjs';
import { sendWelcome } from './send-welcome.mjs';

const body = {
  type: 'object',
  required: ['email'],
  properties: { email: { type: 'string', format: 'email' } },
};

/** @type {import('fastify').FastifyPluginAsync<{ pool: import('pg').Pool, log: Function }>} */
export async function signupRoutes(app, { pool, log }) {
  app.get('/health', async () => {
    await pool.query('select 1');
    return { status: 'ok' };
  });

  app.post('/signup', { schema: { body } }, async (request, reply) => {
    const { email } = request.body;
    const { status, body: answer, again } = await answerOnce(pool, request, (client) => signUp(client, email));
    if (again) log('signup', 'info', 'sign-up answered again, nothing done', { email, status });
    else if (status !== 201) log('signup', 'warning', 'sign-up refused', { email, status, error: answer.error });
    else {
      log('signup', 'info', 'account created', { email, account_id: answer.account_id });
      await sendWelcome(email, log);
    }
    return reply.code(status).send(answer);
  });
}

async function signUp(client, email) {
  const account = await client.query(
    'insert into signup.accounts (account_id, email) values ($1, $2) on conflict (email) do nothing returning account_id',
    [`a-${randomUUID().slice(0, 8)}`, email],
  );
  if (account.rowCount === 0) {
    return { status: 409, body: { error: 'email_taken', message: `${email} has an account already` } };
  }
  const { account_id } = account.rows[0];
  const user_id = (await activateInvited(client, email, account_id)) ?? (await addUser(client, email, account_id));
  return { status: 201, body: { account_id, user_id, email, status: 'active' } };
}

async function activateInvited(client, email, account_id) {
  const { rows } = await client.query(
    `update signup.users set status = 'active', account_id = $2, updated_at = now()
     where user_id = (select user_id from signup.users where email = $1 and status = 'invited' order by updated_at limit 1)
     returning user_id`,
    [email, account_id],
  );
  return rows[0]?.user_id;
}

async function addUser(client, email, account_id) {
  const { rows } = await client.query(
    `insert into signup.users (user_id, email, status, account_id) values ($1, $2, 'active', $3) returning user_id`,
    [`u-${randomUUID().slice(0, 8)}`, email, account_id],
  );
  return rows[0].user_id;
}
