/** staging_readiness_check: a task that cannot succeed is not made; the service is asked how it is. */
import { readFileSync } from 'node:fs';

const { environment } = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(await askService()));

async function askService() {
  const address = `${process.env.SIGNUP_SERVICE_URL}/health`;
  const suggestion = `Bring the system of ${environment.name} up, then try again.`;
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(5000) });
    if (answer.ok) return { status: 'ok', guard_decision: 'allow' };
    const reason = `The sign-up service of ${environment.name} is not well: ${address} answered ${answer.status}.`;
    return { status: 'ok', guard_decision: 'deny', reason, suggestion };
  } catch (error) {
    const why = error.cause?.code ?? error.message;
    const reason = `The sign-up service of ${environment.name} does not answer at ${address}: ${why}.`;
    return { status: 'ok', guard_decision: 'deny', reason, suggestion };
  }
}
