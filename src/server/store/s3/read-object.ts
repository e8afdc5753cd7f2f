import { AbilityError } from '../../../contracts/problem.js';
import { absent } from '../store-errors.js';
import { s3Failure } from './s3-errors.js';
import type { S3Objects } from './s3-objects.js';

/** How often in a row a line may break without a byte having come. */
const MAX_VAIN = 3;

/**
 * The bytes of an object. Where the line breaks they go on from the byte that was missing.
 *
 * @throws AbilityError `store.not_shared`, also for an object that is not there any more.
 */
export async function* readObject(
  objects: S3Objects,
  name: string,
  first?: AsyncIterable<Buffer>,
): AsyncIterable<Buffer> {
  let at = 0;
  let body = first;
  for (let vain = 0; ; ) {
    const found = body ?? (await objects.get(name, at));
    body = undefined;
    if (!found) throw absent('object', name, objects.place.where);
    const before = at;
    try {
      for await (const chunk of found) {
        at += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
      return;
    } catch (error) {
      vain = at > before ? 0 : vain + 1;
      if (error instanceof AbilityError || vain >= MAX_VAIN)
        throw s3Failure(`${name} could not be read`, objects.place, error);
    }
  }
}
