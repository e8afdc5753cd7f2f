import type { DoorAddress } from './door-link.js';

/** How a program connects to a project over HTTP. */
export interface HttpConnectOptions extends DoorAddress {
  /** Ends the connecting, with its reason. */
  signal?: AbortSignal;
}
