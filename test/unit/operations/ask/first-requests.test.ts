import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { poolOf } from '../../../../src/choosing/ability-pool.js';
import { recruitIn } from '../../../../src/choosing/recruit/recruit.js';
import { suggest } from '../../../../src/choosing/suggest.js';
import { RegistryLoader } from '../../../../src/definitions/load-registry.js';
import type { Considered } from '../../../../src/operations/ask/ask-shapes.js';
import { consider } from '../../../../src/operations/ask/consider.js';
import { type FirstRequest, listOf, readFirstRequests } from '../../../fixtures/read-conversations.js';

const registry = new RegistryLoader(fileURLToPath(new URL('../../../..', import.meta.url)), {}).load();
const ENV = {
  SIGNUP_SERVICE_URL: 'http://127.0.0.1:1',
  BILLING_SERVICE_URL: 'http://127.0.0.1:1',
  BILLING_API_TOKEN: 'token',
  SIGNUP_DATABASE_URL: 'postgres://127.0.0.1:1/none',
  SIGNUP_LOG_FILE: '/dev/null',
};

function consideredAs({ text, environment }: Pick<FirstRequest, 'text' | 'environment'>): Promise<Considered> {
  const user = { name: 'ada', source: 'claimed' } as const;
  const request = { text, registry, environment, scope: 'integration', user, env: ENV, agreed: false };
  const at = '2026-03-10T09:15:00Z';
  const thread = { key: 'k', messages: [{ id: 'm1', role: 'user' as const, text, at }], count: 1, pending: null };
  return consider(request, thread, recruitIn(registry, { environment, prompt: text }));
}

/** The chosen abilities: those that run, and those that the user is asked about. */
function abilitiesOf({ plan, pending, decision }: Considered): string[] {
  const meant = decision.options.flatMap(({ means }) => (means && 'ability_id' in means ? [means.ability_id] : []));
  return [...plan.map(({ ability_id }) => ability_id), ...(pending?.ability_id ? [pending.ability_id] : []), ...meant];
}

test.each(readFirstRequests())('$id: $text', async (request) => {
  const considered = await consideredAs(request);
  const { outcome, ability, input, missing, unused } = request.expect;
  const is = considered.abstained ? 'abstains' : considered.outcome;
  expect(listOf(outcome)).toContain(is);
  const wanted = listOf(ability);
  // A wrong guess: something runs, or is proposed, that was not meant.
  if (is === 'runs' || considered.plan.length > 0)
    expect(wanted).toEqual(expect.arrayContaining([considered.plan[0]?.ability_id]));
  if (is !== 'runs' && is !== 'asks') return;
  if (wanted.length > 0) expect(abilitiesOf(considered).filter((id) => wanted.includes(id))).not.toEqual([]);
  if (input && considered.plan[0]) expect({ ...considered.plan[0].input, ...input }).toEqual(considered.plan[0].input);
  if (unused) expect(considered.unused).toEqual(unused);
  if (missing && considered.pending && 'input' in considered.pending.expects)
    expect(missing).toContain(considered.pending.expects.input);
});

test('R-000-97: the regression of the scenario selects the workflow, or without it the operations that it consists of', async () => {
  const text = 'Run signup E2E regression for the latest build.';
  const whole = await consideredAs({ text, environment: 'staging' });
  expect(abilitiesOf(whole)).toEqual(['signup_e2e_test']);
  const workflows = new Map([...registry.workflows].filter(([id]) => id !== 'signup_e2e_test'));
  const without = { ...registry, workflows, digest: 'without the workflow' };
  const steps = ['write the user row', 'sign the user up', 'query the signup logs for errors'];
  const pool = poolOf(without, 'staging', null, {});
  const found = await Promise.all(steps.map((step) => suggest(pool, { text: step, limit: 1 })));
  const ids = found.map(({ suggestions: [first] }) => first?.id);
  expect(ids).toEqual(['db.write.user_row', 'http.call.signup_service', 'mcp.query.logs']);
});
