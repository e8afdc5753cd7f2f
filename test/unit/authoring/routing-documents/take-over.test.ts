import { describe, expect, test } from 'vitest';
import { checkRoutingDocuments } from '../../../../src/authoring/routing-documents/check-routing-documents.js';
import {
  planAdditions,
  planDocuments,
  type TakeOver,
  takeOver,
} from '../../../../src/authoring/routing-documents/plan-documents.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { lowLevel, registryOf, SCRIPT_FILE, temporaryProject } from '../../temporary-project.js';
import { operationIn, poolOf, rowsOf, updated, workflowIn } from './pool-of.js';

const abilities = {
  ...SCRIPT_FILE,
  ...workflowIn('integration/test', 'signup_e2e_test'),
  ...workflowIn('integration/billing', 'billing_regression'),
  ...operationIn('users.api, integration/tests', 'db.write.user_row'),
  ...operationIn('infra/http', 'http.call.billing_service'),
};
const pool = poolOf(abilities);

/** The page of the source, unchanged but for the rows of abilities that do not exist. Source: 000, section 1.1. */
const SOURCE = [
  '# Abilities',
  '',
  'Read me first.',
  '',
  '## High-level abilities',
  '',
  '| Id                    | Type     | Scope                | When to use                                             | Registry path                                  |',
  '| --------------------- | -------- | -------------------- | ------------------------------------------------------- | ---------------------------------------------- |',
  '| signup_e2e_test       | workflow | integration/test     | Run full user signup E2E test against non-prod env     | .system/registry/high-level/signup_e2e.yaml    |',
  '| billing_regression    | workflow | integration/billing  | Run billing regression suite with seeded test data     | .system/registry/high-level/billing_reg.yaml   |',
  '',
  'Between the two.',
  '',
  '## Low-level abilities (atomic operations)',
  '',
  '| Operation key                 | Kind    | Scope               | Summary                                           | Registry path                                       |',
  '| ---------------------------- | ------- | ------------------- | ------------------------------------------------ | --------------------------------------------------- |',
  '| db.write.user_row            | script  | infra/db            | Write a single user row into the users table     | .system/registry/low-level/db.write.user_row.yaml   |',
  '| http.call.billing_service    | api     | infra/http          | Call billing service HTTP endpoints              | .system/registry/low-level/http.call.billing.yaml   |',
  '',
  'After.',
  '',
].join('\n');

/** The definitions of the source, in files with the names that it uses. */
const AT_ITS_PATHS = {
  ...SCRIPT_FILE,
  'registry/high-level/signup_e2e.yaml': workflowIn('integration/test', 'signup_e2e_test'),
  'registry/high-level/billing_reg.yaml': workflowIn('integration/billing', 'billing_regression'),
  'registry/low-level/db.write.user_row.yaml': operationIn('users.api, integration/tests', 'db.write.user_row'),
  'registry/low-level/http.call.billing.yaml': lowLevel(
    'http.call.billing_service',
    'scope: { modules: [infra/http] }',
    'implementation: { kind: api, api: { method: POST, path: /charge } }',
  ),
  'registry/low-level/mcp.query.logs.yaml': lowLevel(
    'mcp.query.logs',
    'scope: { modules: [infra/observability] }',
    'implementation: { kind: mcp, mcp: { server: observability-logs, tool: search_logs } }',
  ),
};

const GONE =
  '| code_review_agent | agent | dev/code-review | Review PRs for style | .system/registry/high-level/code_review.yaml |';

function take(text: string, of = pool, mayDrop = false): TakeOver {
  return takeOver('ABILITY.md', text, of, { mayDrop });
}

function taken(text: string, of = pool, mayDrop = false) {
  const result = take(text, of, mayDrop);
  if (result.status !== 'taken') throw new Error(JSON.stringify(result));
  // What was taken over is up to date: a second run has nothing to do.
  expect(updated(result.update.text, of)).toMatchObject({ text: result.update.text, changes: [] });
  return result.update;
}

function hindrances(text: string, of = pool, mayDrop = false) {
  const result = take(text, of, mayDrop);
  if (result.status !== 'hindered') throw new Error(JSON.stringify(result));
  return result.notes.map(({ line, message }) => `${line} ${message}`);
}

const HIGH = ['| Id | Type | Scope | When to use | Registry path |', '| --- | --- | --- | --- | --- |'];
const SIGNUP = '| signup_e2e_test | workflow | integration/test | Words | registry/high-level/signup_e2e_test.yaml |';

describe('R-000-07, R-000-12: the page of the source, without markers', () => {
  const { text, changes, notes } = taken(SOURCE);

  test('gets markers around its tables, where they are, and nothing around them changes', () => {
    const order = ['Read me first.', '<!-- ability:high-level', '## High-level abilities', '| signup_e2e_test |'];
    order.push('<!-- /ability:high-level', 'Between the two.', '<!-- ability:low-level -->', '## Low-level');
    order.push('| db.write.user_row |', '<!-- /ability:low-level', 'After.');
    const places = order.map((part) => text.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(text.split('\n').filter((line) => line.startsWith('## '))).toHaveLength(2);
  });

  test('keeps its text, and facts are updated from the definitions', () => {
    expect(rowsOf(text)).toMatchObject({
      signup_e2e_test:
        '| signup_e2e_test | workflow | integration/test | Run full user signup E2E test against non-prod env | registry/high-level/signup_e2e_test.yaml |',
      'http.call.billing_service':
        '| http.call.billing_service | script | infra/http | Call billing service HTTP endpoints | registry/low-level/http.call.billing_service.yaml |',
    });
  });

  test('C-43: keeps its scope, and a note reports a different one in the definition', () => {
    expect(rowsOf(text)['db.write.user_row']).toContain('| script | infra/db | Write a single');
    const message =
      'The scope of db.write.user_row is infra/db on this page, and users.api, integration/tests in its definition';
    expect(notes).toEqual([{ line: 18, code: 'lint.page_scope', message }]);
  });

  test('reports the line where each table began', () => {
    expect(changes.slice(0, 2).map(({ line, kind }) => [line, kind])).toEqual([
      [5, 'form'],
      [14, 'form'],
    ]);
    expect(changes.find(({ id }) => id === 'http.call.billing_service')?.line).toBe(19);
  });

  test('with other line endings keeps them', () => {
    const { text } = taken(SOURCE.replaceAll('\n', '\r\n'));
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
    expect(text).toContain('<!-- ability:low-level -->\r\n');
  });
});

test('R-000-09, R-000-10, R-000-13, R-000-14: each row of the source stays word for word, if its definitions are where it says', () => {
  const files = Object.entries(AT_ITS_PATHS).map(([path, content]) =>
    typeof content === 'string' ? [path, content] : [`.system/${path}`, Object.values(content)[0]],
  );
  const logs =
    '| mcp.query.logs               | mcp     | infra/observability | Query logs via MCP log server                    | .system/registry/low-level/mcp.query.logs.yaml      |';
  const page = SOURCE.replace('\n\nAfter.', `\n${logs}\n\nAfter.`);
  const { text } = taken(page, poolOf(Object.fromEntries(files)));
  expect(Object.keys(rowsOf(text))).toHaveLength(5);
  expect(rowsOf(text)).toEqual(rowsOf(page));
});

describe('a table of the author', () => {
  const page = (...lines: string[]) => ['# 能力', '', ...lines, ''].join('\n');

  test('may have other columns, in any order, and keeps them', () => {
    const { text } = taken(
      page(
        '| Owner | When to use | id | 备注 |',
        '|:-:|---|---|---|',
        '| ada | 发布之前 \\| 每天 | signup_e2e_test | 见 `a` |',
      ),
    );
    expect(text).toContain('| Id | Type | Scope | When to use | Registry path | Owner | 备注 |');
    expect(rowsOf(text)['signup_e2e_test']).toBe(
      '| signup_e2e_test | workflow | integration/test | 发布之前 \\| 每天 | registry/high-level/signup_e2e_test.yaml | ada | 见 `a` |',
    );
  });

  test('keeps a heading and text of the author above it where they are', () => {
    const { text } = taken(page('## 高级能力', '', 'Prefer these.', '', ...HIGH, SIGNUP, 'Right after.'));
    expect(text).toContain(
      '## 高级能力\n\nPrefer these.\n\n<!-- ability:high-level rows="chosen" heading="own" -->\n\n| Id |',
    );
    expect(text).toMatch(/<!-- \/ability:high-level[^\n]*-->\nRight after\.\n$/);
    expect(text).not.toContain('## High-level abilities');
  });

  test('gets rows="chosen" if abilities have no row, and not if all have one', () => {
    const { text, notes } = taken(page(...HIGH, SIGNUP));
    expect(text).toContain('<!-- ability:high-level rows="chosen" heading="own" -->');
    expect(notes.map(({ message }) => message)).toEqual(['billing_regression has no row here, and belongs to *']);
    expect(taken(SOURCE).text).not.toContain('rows=');
  });

  test('without rows gets those of its modules', () => {
    expect(Object.keys(rowsOf(taken(page(...HIGH)).text))).toEqual(['billing_regression', 'signup_e2e_test']);
  });

  test('may write ids and paths as code, and as links that lead there', () => {
    const path = 'registry/high-level/signup_e2e_test.yaml';
    const row = `| [\`signup_e2e_test\`](${path}) | workflow | integration/test | See [this](x) | [${path}](${path}) |`;
    expect(taken(page(...HIGH, row)).text).toContain(row);
    const astray = row.replaceAll('](registry', '](old');
    expect(rowsOf(taken(page(...HIGH, astray)).text)['signup_e2e_test']).toContain(`| See [this](x) | ${path} |`);
  });

  test('in code, in a comment, or with other columns is not taken over', () => {
    const others = ['| Id | Name |', '| --- | --- |', '| signup_e2e_test | x |'];
    expect(take(page(...others))).toEqual({ status: 'none' });
    expect(take(page('```markdown', ...HIGH, SIGNUP, '```'))).toEqual({ status: 'none' });
    expect(take(page('<!--', ...HIGH, SIGNUP, '-->'))).toEqual({ status: 'none' });
    expect(take(page(...[...HIGH, SIGNUP].map((line) => `    ${line}`)))).toEqual({ status: 'none' });
    expect(taken(page(...others, '', ...HIGH, SIGNUP)).text).toContain(others.join('\n'));
  });

  test('next to one that has markers already is taken over as well', () => {
    const half = taken(page(...HIGH, SIGNUP)).text;
    const low = ['| Operation key | Summary |', '| --- | --- |', '| db.write.user_row | Mine |'];
    expect(rowsOf(taken([half, ...low, ''].join('\n')).text)['db.write.user_row']).toContain('| Mine |');
  });
});

describe('nothing is taken over, and the line is reported, if', () => {
  test('a row would be removed, unless this was requested', () => {
    const text = SOURCE.replace('| billing_regression ', `${GONE}\n| billing_regression `);
    expect(hindrances(text)).toEqual([
      '10 The row of code_review_agent is removed: no ability of that id is registered; it said: Review PRs for style',
    ]);
    expect(taken(text, pool, true).text).not.toContain('code_review');
  });

  test.each<[string, string[], RegExp]>([
    ['an id is misspelt', [...HIGH, '| signup_e2e_tst | | | Words | |'], /^5 No ability of the id signup_e2e_tst/],
    ['a row has too many cells', [...HIGH, SIGNUP, `${SIGNUP} more |`], /^6 The row has 6 cells/],
    ['there are two tables of a level', [...HIGH, SIGNUP, '', '### More', '', ...HIGH, SIGNUP], /^9 .*second table/],
    [
      'low-level abilities come first',
      ['| Operation key |', '| --- |', '| db.write.user_row |', '', ...HIGH, SIGNUP],
      /^7 High-level abilities come first$/,
    ],
  ])('%s', (_, lines, message) => {
    expect(hindrances(['# x', '', ...lines, ''].join('\n'))).toEqual([expect.stringMatching(message)]);
  });
});

describe('`ability docs --check` and lint', () => {
  const found = (text: string) =>
    checkRoutingDocuments(registryOf({ ...abilities, 'ABILITY.md': text })).map(({ code, severity, location, fix }) => {
      return [code, severity, location.line, fix];
    });

  test('report each page of that name that is neither updated nor marked as its author’s own', () => {
    const add = 'Run `ability docs --add ABILITY.md`, or write <!-- ability:own --> on a line of its own.';
    expect(found('# Words\n')).toEqual([['lint.page_not_kept', 'warning', 1, add]]);
    const run = 'Run `ability docs`, look at the change, and commit it.';
    expect(found(SOURCE)).toEqual([['lint.page_not_kept', 'warning', 5, run]]);
    const outdated = SOURCE.replace('| billing_regression ', `${GONE}\n| billing_regression `);
    expect(found(outdated)).toEqual([['lint.page_not_kept', 'warning', 10, expect.stringMatching(/Correct line 10/)]]);
  });

  test('report nothing about a page that is left to its author', () => {
    expect(found(`<!-- ability:own -->\n${SOURCE}`)).toEqual([]);
    const registry = registryOf({ ...abilities, 'ABILITY.md': '<!-- ability:own -->\n' });
    expect(planDocuments(registry, ['ABILITY.md'])).toMatchObject([{ status: 'planned', care: 'own' }]);
  });

  test('C-43: report in a note that a page has another scope than the definition', () => {
    const message =
      'The scope of db.write.user_row is infra/db on this page, and users.api, integration/tests in its definition';
    expect(checkRoutingDocuments(registryOf({ ...abilities, 'ABILITY.md': taken(SOURCE).text }))).toMatchObject([
      { code: 'lint.page_scope', severity: 'note', message },
    ]);
  });
});

test('C-43: a scope that a person wrote stays, and one that came from the definition follows it', () => {
  const { text } = taken(SOURCE);
  const others = poolOf(
    abilities,
    operationIn('accounts', 'db.write.user_row'),
    operationIn('payments', 'http.call.billing_service'),
  );
  const rows = rowsOf(updated(text, others).text);
  expect(rows['db.write.user_row']).toContain('| infra/db |');
  expect(rows['http.call.billing_service']).toContain('| payments |');
});

test('C-43: a scope in another spelling is not another scope', () => {
  const { notes } = taken(SOURCE.replace('infra/db            ', '`integration.tests`, modules/users.api'));
  expect(notes).toEqual([]);
});

test('`docs --add` takes tables over and does not add others', () => {
  const project = temporaryProject({ ...abilities, 'ABILITY.md': SOURCE });
  const [plan] = planAdditions(loadRegistry(project.root), ['ABILITY.md']);
  if (plan?.status !== 'planned') throw new Error(JSON.stringify(plan));
  expect(plan.update.text).toBe(taken(SOURCE).text);
  project.write({ 'own/ABILITY.md': '<!-- ability:own -->\n' });
  expect(planAdditions(loadRegistry(project.root), ['own/ABILITY.md'])).toMatchObject([{ status: 'broken' }]);
});
