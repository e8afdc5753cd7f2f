/** The HTTP service that the example tests: sign-up for all callers, billing for those with the token. */
import Fastify from 'fastify';
import { billingRoutes } from './billing-routes.mjs';
import { signupRoutes } from './signup-routes.mjs';

/**
 * Starts the service on a free loopback port.
 *
 * @param {{ pool: import('pg').Pool, log: Function, token: string }} options
 * @returns {Promise<{ url: string, stop(): Promise<void> }>}
 */
export async function startService({ pool, log, token }) {
  const app = Fastify({ forceCloseConnections: true });
  app.setErrorHandler((error, request, reply) => {
    if (error.validation) return reply.code(422).send({ error: 'invalid', message: error.message });
    const status = error.statusCode ?? 500;
    if (status >= 500) log('signup', 'error', error.message, { path: request.url });
    return reply.code(status).send({ error: status >= 500 ? 'internal' : 'refused', message: error.message });
  });
  await app.register(signupRoutes, { pool, log });
  await app.register(billingRoutes, { pool, log, token });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, stop: () => app.close() };
}
