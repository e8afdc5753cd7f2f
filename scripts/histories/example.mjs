// Tasks of the example project that are recorded.
import { runTask } from '../../build/client/index.js';
import { approve, cancel, deny } from './people.mjs';

const stamp = Date.now().toString(36);

/** Name to the task, and what people do to it while it runs. */
export const EXAMPLE = {
  'signup-succeeded': { ability: 'signup_e2e_test', input: { build_id: `h1.${stamp}` }, act: approve },
  'signup-denied': { ability: 'signup_e2e_test', input: { build_id: `h2.${stamp}` }, act: deny },
  'signup-cancelled': { ability: 'signup_e2e_test', input: { build_id: `h3.${stamp}` }, act: cancel },
  'signup-failed': { ability: 'signup_e2e_test', input: { build_id: `h4.${stamp}`, email: 'taken@example.test' } },
  'billing-succeeded': { ability: 'billing_regression', input: { build_id: `h5.${stamp}` }, act: approve },
  'operation-created-then-run': {
    ability: 'db.read.user_row',
    input: { user_id: 'u-nobody' },
    run: false,
    act: ({ session, id }) => runTask(session, id),
  },
  'operation-denied': {
    ability: 'http.call.signup_service',
    input: { email: 'x@example.test' },
    environment: 'prod',
  },
};
