import { DefaultFailureConverter } from '@temporalio/common';
import { ENCRYPTS_FLAG } from '../contracts/names.js';

/** Where payloads are encrypted, so are the messages of failures. The worker sets the flag before it loads this. */
export const failureConverter = new DefaultFailureConverter({
  encodeCommonAttributes: (globalThis as Record<string, unknown>)[ENCRYPTS_FLAG] === true,
});
