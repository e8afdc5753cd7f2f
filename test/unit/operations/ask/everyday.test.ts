import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { suggestAbilities } from '../../../../src/activities/hooks/builtin-handlers.js';
import { listedAbilities } from '../../../../src/authoring/routing-documents/listed-abilities.js';
import { poolOf } from '../../../../src/choosing/ability-pool.js';
import type { JsonObject } from '../../../../src/contracts/json.js';
import { loadRegistry, RegistryLoader } from '../../../../src/definitions/load-registry.js';
import type { Registry } from '../../../../src/definitions/registry.js';
import type { ToolCall } from '../../../../src/doors/mcp/mcp-door.js';
import { search } from '../../../../src/doors/mcp/search-abilities.js';
import type { AskAnswer } from '../../../../src/operations/ask/ask-shapes.js';
import { dryRun } from '../../../../src/operations/ask/begin-ask.js';
import { routeRequest } from '../../../../src/operations/route-request.js';
import { rightsOf } from '../../../../src/rules/rights.js';
import { makeProject } from '../../../fixtures/project-folder.js';

/** A request by another author, who had not seen the rules; test/fixtures/everyday/README.md explains the fields. */
interface Request {
  id: number;
  text: string;
  environment: string;
  lang: string;
  kind: string;
  right: string[];
  inputs: JsonObject | null;
  may_run: boolean;
  may_nothing: boolean;
}

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const EVERYDAY = `${ROOT}test/fixtures/everyday`;
const ENV = {
  SIGNUP_SERVICE_URL: 'http://127.0.0.1:1',
  BILLING_SERVICE_URL: 'http://127.0.0.1:1',
  BILLING_API_TOKEN: 'token',
  SIGNUP_DATABASE_URL: 'postgres://127.0.0.1:1/none',
  SIGNUP_LOG_FILE: '/dev/null',
};
const loaded = (root: string): Registry => new RegistryLoader(root, {}).load();
const registry = loaded(EVERYDAY);
/** The registry of a project that is removed at once. */
function small(files: Record<string, string>): Registry {
  const project = makeProject({
    'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {}, prod: {} }\n',
    ...files,
  });
  try {
    return loadRegistry(project.root);
  } finally {
    project.remove();
  }
}
const low = (key: string, ...lines: string[]): Record<string, string> => ({
  [`registry/low-level/${key}.yaml`]: [
    ...[`operation_key: ${key}`, ...lines, 'effects: read'],
    'implementation: { kind: script, script: { path: scripts/any.mjs } }',
  ].join('\n'),
});
const requests = readFileSync(`${EVERYDAY}/requests.jsonl`, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Request);

interface Asked {
  registry: Registry;
  environment: string;
  text: string;
}

/** With `--yes`, which agrees to what only reads. */
function asked({ registry: from, environment, text }: Asked): Promise<AskAnswer> {
  const user = { name: 'ada', source: 'claimed' } as const;
  return dryRun({ text, registry: from, environment, scope: '.', user, env: ENV, agreed: true });
}

/** What an answer names, in its plan, its decision or its question. */
function namedIn({ plan, decision, question, answer, outcome }: AskAnswer, ids: Iterable<string>): string[] {
  const target = decision.target && Object.values(decision.target).join('.');
  const meant = decision.options.flatMap(({ means }) => (means && 'ability_id' in means ? [means.ability_id] : []));
  const said = outcome === 'answers' ? '' : `${question ?? ''} ${answer}`;
  const words = new Set(said.match(/[\w.-]*\w/g));
  const known = [...ids];
  const called = known.filter((id) => plan.some((call) => call.ability_id === id) || id === target);
  return [...new Set([...called, ...meant, ...known.filter((id) => words.has(id))])];
}

const ids = [...poolOf(registry, 'dev', null).abilities.keys()];
const answers = await Promise.all(
  requests.map(async (request) => ({ request, answer: await asked({ registry, ...request }) })),
);

describe('120 requests to a project of 88 abilities', () => {
  test.each(answers)(
    '$request.id $request.kind: $request.text (R-003-02, R-003-15, R-003-20)',
    ({ request, answer }) => {
      const { right, inputs, may_run } = request;
      const { outcome, plan, unused, question } = answer;
      const [call] = plan;
      // Nothing runs that is something else, or less, than was asked.
      if (outcome === 'planned') {
        expect(may_run).toBe(true);
        expect(right).toContain(call?.ability_id);
        expect(call?.input).toMatchObject(inputs ?? {});
      }
      // A plan that is shown for agreement is an order, or its question says what is left over or doubtful.
      if (outcome === 'asks' && call && !may_run)
        expect(`${unused.join(' ')} ${question}`).toMatch(/would not be used|may be no order/);
    },
  );

  test('most are right or are asked about; the rest says that nothing fits', () => {
    const count = (of: (one: (typeof answers)[number]) => boolean): number => answers.filter(of).length;
    const names = ({ request, answer }: (typeof answers)[number]): boolean =>
      request.right.length === 0
        ? namedIn(answer, ids).length === 0
        : namedIn(answer, ids).some((id) => request.right.includes(id));
    const possible = answers.filter(({ request }) => !request.may_nothing);
    expect(count(names)).toBeGreaterThanOrEqual(60);
    expect(possible.filter(names).length / possible.length).toBeGreaterThanOrEqual(0.75);
    expect(count(({ answer }) => answer.outcome === 'planned')).toBeGreaterThanOrEqual(10);
  });
});

/** The first that each chooser names; null: none. */
async function firstOf({ registry: from, environment, text }: Asked): Promise<Record<string, string | null>> {
  const scope = '.';
  const pool = poolOf(from, environment, scope, ENV);
  const routed = await routeRequest({ registry: from, pool, environment, detail: 'name' }, text);
  const door = { registry: () => from, environment, scope, env: ENV };
  const found = await search({ door, visitor: { rights: rightsOf('read') } } as unknown as ToolCall, {
    query: text,
    detail: 'name',
    limit: 20,
  });
  const run = {
    phase: 'PromptSubmit',
    path: null,
    payload: { prompt: text, scope },
    environment: { name: environment },
  };
  const hinted = await suggestAbilities('suggest', run as never, { definitions: () => from } as never);
  const intent = hinted.hook_signals?.normalized_intent as { ability_id?: string } | undefined;
  const [first] = (found.data as { abilities: { id: string }[] }).abilities;
  return {
    route: routed.suggestions[0]?.id ?? null,
    ability_search: first?.id ?? null,
    suggest: intent?.ability_id ?? null,
  };
}

describe.each([
  ['everyday', registry, requests],
  [
    'the example project',
    loaded(ROOT),
    [
      { text: 'Run signup E2E regression for the latest build.', environment: 'dev' },
      { text: 'Run signup E2E regression for the latest build.', environment: 'staging' },
      { text: 'review the pull request', environment: 'dev' },
      { text: 'what shows the user row?', environment: 'staging' },
      { text: 'refund charge c-42', environment: 'dev' },
      { text: 'write 10 email variants', environment: 'dev' },
    ],
  ],
  [
    'a new project',
    small({ ...low('hello', 'summary: Greet a person.'), 'scripts/any.mjs': '' }),
    [
      { text: 'hello', environment: 'dev' },
      { text: 'run hello', environment: 'dev' },
      { text: 'book a flight', environment: 'dev' },
      { text: 'say hello to Ana', environment: 'dev' },
    ],
  ],
  [
    'a project with what cannot run yet or here',
    small({
      ...low('db.read.user_row', 'summary: Read the row of a user.'),
      ...low('cache.flush', 'summary: Empty the page cache.', 'scope: { environments: [prod] }'),
      'registry/high-level/later.yaml': 'id: later\ntype: workflow\nsummary: Rebuild the search catalogue.\n',
      'scripts/any.mjs': '',
    }),
    [
      { text: 'db.read.user_row', environment: 'dev' },
      { text: 'rebuild the search catalogue', environment: 'dev' },
      { text: 'empty the page cache', environment: 'dev' },
      { text: 'empty the page cache', environment: 'prod' },
    ],
  ],
] as const)('one chooser: %s (R-000-15, R-000-97)', (_name, from, texts) => {
  const pool = [...poolOf(from, Object.keys(from.project.environments)[0] ?? '', null).abilities.values()];

  test('the page lists all of them, by level', () => {
    const rows = [...listedAbilities(from).byId.values()].map(({ id, level }) => `${level} ${id}`);
    expect(rows.toSorted()).toEqual(pool.map(({ id, level }) => `${level}-level ${id}`).toSorted());
  });

  test.each(texts.map(({ text, environment }) => ({ text, environment })))(
    '$environment: $text',
    async ({ text, environment }) => {
      const firsts = await firstOf({ registry: from, environment, text });
      const [first, ...others] = Object.values(firsts);
      expect(others).toEqual([first, first]);
      const answer = await asked({ registry: from, environment, text });
      // An explicit sub-agent gets a request that may fit a tool better.
      if (/sub-?agent/i.test(text)) return;
      const [named] = namedIn(
        answer,
        pool.map(({ id }) => id),
      );
      if (named === undefined) return;
      if (first !== null) expect(named).toBe(first);
      else if (answer.decision.decision !== 'delegate') expect(answer.nearest).toContain(named);
    },
  );
});

test('a greeting, an exact key, and what has no steps or runs elsewhere are found by all (R-000-15, R-000-97, C-50)', async () => {
  const said = async (root: Registry, text: string, environment = 'dev') => {
    const { question, answer } = await asked({ registry: root, environment, text });
    return question ?? answer;
  };
  const hello = small({ ...low('hello', 'summary: Greet a person.'), 'scripts/any.mjs': '' });
  expect(await said(hello, 'hello')).toBe('Do you mean hello?');
  const example = loaded(ROOT);
  expect(await said(example, 'Run signup E2E regression for the latest build.')).toContain(
    'signup_e2e_test: it runs in staging, not in dev',
  );
  expect(await said(example, 'review the pull request')).toContain('for code_review_agent?');
});

test('an answer has the capabilities that the request needs, and how the pack was chosen (R-004-20, R-004-21)', async () => {
  const { _meta } = await asked({ registry, environment: 'dev', text: 'look for it with a web search' });
  expect(_meta).toMatchObject({ required_capabilities: ['web_search'], routing_method: 'capability_routing' });
});

test.each([
  ['restrat the checkout service', 'infra.service.restart'],
  ['refnud order A-33871', 'refund_order'],
  ['canel order A-20417', 'orders.cancel'],
  ['serach the logs of payments', 'infra.logs.search'],
  ['cert check for api.kettle.test pls', 'infra.certificate.check'],
  ['show me the deploy histroy of checkout', 'deploy.history'],
])('typos and short forms are found or asked about, and change nothing: %s', async (text, ability) => {
  const answer = await asked({ registry, environment: 'prod', text });
  expect(namedIn(answer, ids)).toContain(ability);
  if (answer.outcome === 'planned') expect(answer.plan[0]?.effects).toMatch(/read$/);
});
