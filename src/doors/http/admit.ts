import type { FastifyRequest } from 'fastify';
import type { Right } from '../../contracts/access.js';
import { authenticate, refuseWithoutRight } from './authenticate.js';
import type { HttpCaller } from './caller.js';
import type { HttpDoor } from './http-door.js';
import type { RateLimit } from './rate-limit.js';

/**
 * Who sends a request, and whether they may; what anyone may ask is counted by where it comes from.
 *
 * @param right null: anyone may. @throws AbilityError `door.unauthenticated`, `door.forbidden`, `door.too_many`.
 */
export function admit(
  door: Pick<HttpDoor, 'authentication'>,
  right: Right | null,
  request: FastifyRequest,
  rates: RateLimit,
): HttpCaller {
  if (right === null) {
    rates.take(`address ${request.ip}`);
    return { person: { name: '', source: 'claimed' }, rights: new Set(), name: '' };
  }
  let caller: HttpCaller;
  try {
    caller = authenticate(door.authentication, request);
  } catch (error) {
    rates.take(`address ${request.ip}`);
    throw error;
  }
  rates.take(`caller ${caller.name}`);
  refuseWithoutRight(caller, right);
  return caller;
}
