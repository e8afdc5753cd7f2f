import { afterAll, describe, expect, test } from 'vitest';
import { poolOf } from '../../../src/choosing/ability-pool.js';
import { isInScope, suggest } from '../../../src/choosing/suggest.js';
import { loadRegistry } from '../../../src/definitions/load-registry.js';
import { makeProject } from '../../fixtures/project-folder.js';

const low = (key: string, summary: string, more: string[] = []): string => {
  return [`operation_key: ${key}`, 'version: 1', `summary: ${summary}`, 'effects: read', ...more].join('\n');
};
const high = (id: string, summary: string, more: string[] = []): string => {
  const steps = ['steps: [{ id: one, call: db.read.user_row, with: { user_id: u } }]'];
  return [`id: ${id}`, 'type: workflow', 'version: 1', `summary: ${summary}`, ...more, ...steps].join('\n');
};
const project = makeProject({
  'ability.yaml':
    'format: 1\nproject: choosing\nenvironments: { dev: {}, prod: {} }\nmodels: { default: { model: any } }\n',
  'registry/high-level/signup.yaml': high('signup_e2e_test', 'Verify that an invited user can sign up.', [
    'scenarios: [Run the signup regression for the latest build.]',
    'input_schema: { type: object, required: [build_id], properties: { build_id: { type: string, description: The build to verify. } } }',
    'scope: { modules: [integration/test] }',
  ]),
  'registry/high-level/listed.yaml': [
    ...['id: later', 'type: workflow', 'version: 1'],
    'summary: Rebuild the search catalogue of articles.',
  ].join('\n'),
  'registry/high-level/reviewer.yaml': [
    ...['id: reviewer', 'type: agent', 'summary: Looks at a diff and comments on it.', 'instructions: Look.'],
    'scenarios: [Review the pull request of my branch.]',
    'routing_hints: { keywords: [critique] }',
  ].join('\n'),
  'registry/low-level/read.yaml': low('db.read.user_row', 'Read one user row.', [
    'input_schema: { type: object, required: [user_id], properties: { user_id: { type: string } } }',
  ]),
  'registry/low-level/signup.yaml': low('http.call.signup', 'Sign up a user.', ['scope: { modules: [infra.http] }']),
  'registry/low-level/grade.yaml': low('grading.sheet', 'Print a grading sheet.', [
    'routing_hints: { keywords: [marks], scopes: ["modules/grading.*"] }',
  ]),
  'registry/low-level/sheet.yaml': low('office.sheet', 'Print a sheet.'),
  'registry/low-level/prod.yaml': low('cache.flush', 'Empty the page cache.', ['scope: { environments: [prod] }']),
  'registry/config/hints.yaml':
    'abilities: [{ id: db.read.user_row, routing_hints: { keywords: [member file], negative_keywords: [billing] } }]',
});
afterAll(() => project.remove());
const registry = loadRegistry(project.root);
const pool = poolOf(registry, 'dev', null);
const ask = (text: string, scope: string | null = null) => suggest(poolOf(registry, 'dev', scope), { text });
const idsFor = async (text: string, scope: string | null = null): Promise<string[]> => {
  return (await ask(text, scope)).suggestions.map(({ id }) => id);
};

test('the project of this file has no problems', () => {
  expect(registry.problems).toEqual([]);
});

test('R-000-15: a high-level ability that fits comes before a low-level one, which is omitted if it adds nothing', async () => {
  expect(await idsFor('sign up an invited user for the signup regression')).toEqual(['signup_e2e_test']);
});

test('R-000-15: of two that say the same, the high-level one is first and alone', async () => {
  const own = makeProject({
    'ability.yaml': 'format: 1\nproject: alike\nenvironments: { dev: {} }\n',
    'registry/low-level/report.yaml': low('sales.report', 'Report the weekly sales.'),
    'registry/high-level/report.yaml': high('weekly_sales', 'Report the weekly sales.').replace(
      'db.read.user_row, with: { user_id: u }',
      'sales.report',
    ),
  });
  const { suggestions } = await suggest(poolOf(loadRegistry(own.root), 'dev', null), {
    text: 'report the weekly sales',
  });
  own.remove();
  expect(suggestions.map(({ id }) => id)).toEqual(['weekly_sales']);
});

test('R-000-15: a low-level one is offered for what no fitting high-level one covers', async () => {
  const found = await idsFor('run the signup regression for the latest build, then print a sheet');
  expect(found[0]).toBe('signup_e2e_test');
  expect(found).toContain('office.sheet');
});

test('R-000-08, R-000-15: an agent is matched by its scenarios and keywords', async () => {
  expect(await idsFor('review a pull request')).toEqual(['reviewer']);
  expect(await idsFor('critique')).toEqual(['reviewer']);
});

test('R-000-16: a low-level ability is matched by its key and summary', async () => {
  expect(await idsFor('db read user_row')).toEqual(['db.read.user_row']);
});

test('R-000-31: hints of the definition and of the configuration help to find an ability', async () => {
  expect((await idsFor('print the marks'))[0]).toBe('grading.sheet');
  expect((await idsFor('show me the member file'))[0]).toBe('db.read.user_row');
  const { suggestions } = await ask('db read user row for billing');
  const found = suggestions.find(({ id }) => id === 'db.read.user_row');
  expect(found?.reason).toMatch(/not meant for billing, so it ranks lower/);
});

test('C-39: abilities of the current scope come first, and others are not hidden', async () => {
  expect(await idsFor('print a grading sheet', 'modules/grading.essays')).toEqual(['grading.sheet', 'office.sheet']);
  expect((await idsFor('print a sheet', 'modules/office'))[0]).toBe('office.sheet');
  expect(await idsFor('print a sheet', 'modules/office')).toContain('grading.sheet');
});

test('R-000-31: a better fit from another scope does not rank as if it were of this one', async () => {
  const one = (key: string, summary: string, module: string) => low(key, summary, [`scope: { modules: [${module}] }`]);
  const files = {
    'registry/low-level/here.yaml': one('here.archive', 'Move orders.', 'here'),
    'registry/low-level/there.yaml': one('there.archive', 'Archive orders refunds.', 'there'),
  };
  const scoped = makeProject({ 'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {} }\n', ...files });
  const from = loadRegistry(scoped.root);
  scoped.remove();
  const ids = async (scope: string | null) =>
    (await suggest(poolOf(from, 'dev', scope), { text: 'archive orders refunds' })).suggestions.map(({ id }) => id);
  expect(await ids(null)).toEqual(['there.archive', 'here.archive']);
  expect(await ids('modules/here')).toEqual(['here.archive', 'there.archive']);
});

test('nothing is suggested if nothing fits, and the nearest abilities are named', async () => {
  expect(await ask('what is the weather in Paris')).toEqual({
    ...{ suggestions: [], nearest: [] },
    ...{ documents: [], question: null, ranker: 'words' },
  });
  const far = await ask('write a long letter to an old friend of mine about one of those invited to the wedding');
  expect(far.suggestions).toEqual([]);
  expect(far.nearest).not.toEqual([]);
});

test('an ability that only shares stop words does not fit', async () => {
  expect(await idsFor('for the')).toEqual([]);
});

test('a required input that is not in the request leads to a question; one that is there is read', async () => {
  const incomplete = await ask('run the signup regression');
  expect(incomplete.suggestions[0]?.missing).toEqual([
    { name: 'build_id', type: 'string', description: 'The build to verify.' },
  ]);
  expect(incomplete.question).toBe('signup_e2e_test needs build_id (The build to verify). What should it be?');
  const complete = await ask('run the signup regression for build 1234');
  expect(complete.suggestions[0]).toMatchObject({ given: { build_id: '1234' }, missing: [] });
  expect(complete.question).toBeNull();
});

test('what fits best and cannot run here is named with the reason, and nothing else is suggested (C-50)', async () => {
  const unavailable = async (text: string) => {
    const { suggestions, question } = await ask(text);
    expect(question).toBeNull();
    return suggestions.map((one) => [one.id, one.unavailable]);
  };
  expect(await unavailable('rebuild the search catalogue of articles')).toEqual([['later', 'it has no steps yet']]);
  expect(await unavailable('empty the page cache')).toEqual([['cache.flush', 'it runs in prod, not in dev']]);
  const inProd = await suggest(poolOf(registry, 'prod', null), { text: 'empty the page cache' });
  expect(inProd.suggestions).toMatchObject([{ id: 'cache.flush' }]);
  expect(inProd.suggestions[0]).not.toHaveProperty('unavailable');
});

test('an ability that a request names is found, also by an id that is a greeting', async () => {
  expect((await idsFor('please run office.sheet'))[0]).toBe('office.sheet');
  expect(await idsFor('db.read.user_row')).toEqual(['db.read.user_row']);
});

test('words in an address or an id do not make an ability fit', async () => {
  expect(await idsFor('who is sheet@grading.example')).toEqual([]);
  expect(await idsFor('what is up with grading-sheet-42')).toEqual([]);
});

test('the same registry is read once', () => {
  expect(poolOf({ ...registry }, 'dev', null)).toBe(pool);
  expect(poolOf(registry, 'dev', 'modules/office')).not.toBe(pool);
});

describe('C-39: pages of the scope', () => {
  test('state in the text of their author when to use an ability', async () => {
    project.write({
      'modules/paper/ABILITY.md': [
        ...['| Operation key | Kind | Scope | Summary | Registry path |', '|---|---|---|---|---|'],
        '| office.sheet | script | - | Hand out a worksheet before the lesson. | registry/low-level/sheet.yaml |',
      ].join('\n'),
    });
    expect(await idsFor('a worksheet for the lesson')).toEqual([]);
    expect(await idsFor('a worksheet for the lesson', 'modules/paper')).toEqual(['office.sheet']);
  });

  test('point to documents to read, which are files of the project', async () => {
    project.write({
      'docs/refunds.md': 'x',
      'ROUTING.md': [
        ...['# Money', '- Refunds and chargebacks: [how we pay back](docs/refunds.md#rules)'],
        ...['- Taxes: [gone](docs/taxes.md)', '- Secrets: [out](../../etc/passwd), [web](https://x.test/secrets)'],
      ].join('\n'),
    });
    expect((await ask('how do refunds and chargebacks work')).documents).toEqual(['read:docs/refunds.md']);
    expect((await ask('secrets', 'modules/office')).documents).toEqual([]);
    expect((await ask('taxes')).documents).toEqual([]);
  });
});

describe('the current scope', () => {
  test.each<[string[], string[], string | null, boolean]>([
    [[], [], 'modules/users', true],
    [['users.api'], [], 'modules/users', true],
    [['users.api'], [], 'modules/users/api', true],
    [['users.api'], [], 'modules/user', false],
    [['integration/test'], [], 'integration', true],
    [[], ['modules/grading.*'], 'modules/grading.essays', true],
    [[], ['modules/grading.*'], 'modules/grading', true],
    [['users.api'], ['modules/grading.*'], 'modules/users', false],
    [['users.api'], [], null, true],
  ])('includes an ability with modules %j and hints %j if it is %s: %s', (modules, scopes, scope, expected) => {
    expect(isInScope({ modules, scopes }, scope)).toBe(expected);
  });
});

test('R-000-44: hints with wildcard scopes and keywords rank an ability first in the scopes they name', async () => {
  const hinted = makeProject({
    ...Object.fromEntries(
      ['homework.mark', 'homework.read'].map((id) => [
        `registry/low-level/${id}.yaml`,
        low(id, 'Take up the work that was handed in.', [
          ...(id === 'homework.mark'
            ? [
                'routing_hints: { keywords: [homework grading, grade submissions, teacher grading], scopes: ["modules/grading.*", integration/homework] }',
              ]
            : []),
        ]),
      ]),
    ),
  });
  const hints = loadRegistry(hinted.root);
  hinted.remove();
  const first = async (text: string, scope: string | null) =>
    (await suggest(poolOf(hints, 'dev', scope), { text })).suggestions[0]?.id;
  for (const text of ['homework grading please', 'grade submissions of class 4', 'teacher grading']) {
    expect(await first(text, null)).toBe('homework.mark');
  }
  for (const scope of ['modules/grading.math', 'integration/homework']) {
    expect(await first('take up the work', scope)).toBe('homework.mark');
  }
});
