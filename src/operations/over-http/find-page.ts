import { isJsonObject } from '../../contracts/json.js';
import type { RuntimeFile } from '../../contracts/runtime.js';
import { isOwnSocket } from '../../server/runtime/runtime-socket.js';
import { DoorLink } from './door-link.js';

/** Route of the address of the page, at the socket of a runtime alone. */
export const PAGE_ADDRESS = '/page-address';

/** The runtime is on this machine. Milliseconds. */
const ASK_MS = 2000;

/** The address of the page that a runtime has open, such as `http://127.0.0.1:7231`; undefined without an answer. */
export async function findPageOf({ socket }: Pick<RuntimeFile, 'socket'>): Promise<string | undefined> {
  if (socket === undefined || !isOwnSocket(socket)) return undefined;
  return DoorLink.using({ address: `unix:${socket}` }, async (link) => {
    const { body } = await link.ask('GET', PAGE_ADDRESS, { signal: AbortSignal.timeout(ASK_MS) });
    return isJsonObject(body) && typeof body.address === 'string' ? body.address : undefined;
  }).catch(() => undefined);
}
