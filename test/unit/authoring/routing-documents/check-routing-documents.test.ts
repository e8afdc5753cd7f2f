import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkRoutingDocuments } from '../../../../src/authoring/routing-documents/check-routing-documents.js';
import { findDocuments } from '../../../../src/authoring/routing-documents/find-documents.js';
import { planAdditions } from '../../../../src/authoring/routing-documents/plan-documents.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { registryOf, SCRIPT_FILE, temporaryProject } from '../../temporary-project.js';
import { EMPTY, operationIn, rowsOf, workflowIn } from './pool-of.js';

const abilities = { ...SCRIPT_FILE, ...operationIn('m', 'a.one'), ...workflowIn('m', 'flow') };

describe('what is reported about the routing documents of a project', () => {
  test('R-000-88: each row that is out of date, with its line', () => {
    const document = EMPTY.replace(
      '<!-- ability:high-level -->',
      [
        '<!-- ability:high-level -->',
        '## High-level abilities',
        '| Id | Type | Scope | When to use | Registry path |',
        '|---|---|---|---|---|',
        '| gone | workflow | m | Words | registry/high-level/gone.yaml |',
        '| flow | agent | m | Words | registry/high-level/flow.yaml |',
      ].join('\n'),
    );
    const findings = checkRoutingDocuments(registryOf({ ...abilities, 'ABILITY.md': document }));
    expect(findings.map(({ code, severity, location, message }) => [code, severity, location.line, message])).toEqual([
      [
        'docs.out_of_step',
        'error',
        7,
        expect.stringMatching(/^The row of gone is removed: no ability .* it said: Words$/),
      ],
      ['docs.out_of_step', 'error', 8, 'The row of flow and its definition differ in Type'],
      ['docs.out_of_step', 'error', 13, 'The heading `## Low-level abilities (atomic operations)` is not there'],
      ['docs.out_of_step', 'error', 13, 'The table is not there yet'],
      ['docs.out_of_step', 'error', 13, 'a.one has no row here, and belongs to *'],
    ]);
    for (const { why, fix } of findings)
      expect([why, fix]).toEqual([expect.stringMatching(/\.$/), expect.stringMatching(/\.$/)]);
  });

  test('each document that is broken, with its line, or as a whole', () => {
    const project = temporaryProject({ ...abilities, 'ABILITY.md': '\n<!-- ability:high-level -->\n' });
    const outside = temporaryProject({ 'x.md': '' });
    project.write({ 'm/x': '' });
    symlinkSync(join(outside.root, 'x.md'), join(project.root, 'm/ABILITY.md'));
    const findings = checkRoutingDocuments(loadRegistry(project.root));
    expect(findings.map(({ code, location }) => [code, location])).toEqual([
      ['docs.invalid', { file: 'ABILITY.md', line: 2, column: 1 }],
      ['docs.invalid', { file: 'm/ABILITY.md', line: 1, column: 1 }],
    ]);
  });

  test('nothing if documents are up to date, or do not exist', () => {
    expect(checkRoutingDocuments(registryOf(abilities))).toEqual([]);
    const project = temporaryProject({ ...abilities });
    for (const plan of planAdditions(loadRegistry(project.root), ['ABILITY.md', 'm/ABILITY.md'])) {
      if (plan.status === 'broken') throw new Error(JSON.stringify(plan.problems));
      project.write({ [plan.file]: plan.update.text });
    }
    expect(checkRoutingDocuments(loadRegistry(project.root))).toEqual([]);
  });

  test('4,000 abilities are checked in well under a second', () => {
    const registry = registryOf({ ...abilities, 'ABILITY.md': EMPTY });
    const one = registry.operations.get('a.one');
    if (!one) throw new Error('a.one is missing');
    for (let n = 0; n < 4_000; n += 1) {
      const key = `m${n % 40}.op${n}`;
      registry.operations.set(key, {
        ...one,
        value: { ...one.value, operation_key: key },
        file: `registry/${key}.yaml`,
      });
    }
    const began = process.cpuUsage();
    expect(checkRoutingDocuments(registry).length).toBeGreaterThan(4_000);
    expect(process.cpuUsage(began).user).toBeLessThan(1_000_000);
  });
});

describe('a document that is added', () => {
  test('R-000-18: explains how to find an ability, in this order', () => {
    const [plan] = planAdditions(registryOf(abilities), ['integration/ABILITY.md']);
    if (plan?.status !== 'planned') throw new Error('it was refused');
    const { text } = plan.update;
    const order = [
      /^# Abilities of integration\n/,
      /high-level ability whose intent and scope fit/,
      /steps that none covers.*low-level ones/,
      /operation key and summary/,
      /Read the files at the registry paths/,
      /choose/,
      /ability task create ID/,
      /Plan around the task keys/,
      /ability task run KEY/,
      /One such page is enough/,
      /## High-level abilities/,
      /## Low-level abilities/,
    ].map((part) => text.search(part));
    expect(order.every((place, index) => place >= 0 && place > (order[index - 1] ?? -1))).toBe(true);
  });

  test('R-000-06: has one pool of ids, high-level abilities first, and low-level ones for the steps that none covers', () => {
    const [plan] = planAdditions(registryOf(abilities), ['ABILITY.md']);
    if (plan?.status !== 'planned') throw new Error('it was refused');
    const { text } = plan.update;
    expect(Object.keys(rowsOf(text))).toEqual(['flow', 'a.one']);
    expect(text).toMatch(/For the steps that none covers, look among the low-level ones/);
    const { problems } = registryOf({ ...abilities, ...workflowIn('m', 'a.one') });
    expect(problems).toMatchObject([{ code: 'definition.duplicate' }]);
  });

  test('to a page of text puts the tables at its end', () => {
    const [plan] = planAdditions(registryOf({ ...abilities, 'ABILITY.md': '# Mine\r\n\r\nWords' }), ['ABILITY.md']);
    if (plan?.status !== 'planned') throw new Error('it was refused');
    expect(plan.update.text.startsWith('# Mine\r\n\r\nWords\r\n\r\n<!-- ability:high-level -->\r\n')).toBe(true);
    expect(Object.keys(rowsOf(plan.update.text))).toEqual(['flow', 'a.one']);
  });

  test('to a page whose last code block is open is refused', () => {
    const [plan] = planAdditions(registryOf({ ...abilities, 'ABILITY.md': '```\n' }), ['ABILITY.md']);
    expect(plan).toMatchObject({ status: 'broken', problems: [{ code: 'docs.invalid' }] });
  });
});

describe('the routing documents of this repository', () => {
  const root = fileURLToPath(new URL('../../../..', import.meta.url));
  const rows = (file: string) => rowsOf(readFileSync(join(root, file), 'utf8'));

  test('are one at the top, one for integration, and one of a module; R-000-88: all are up to date', () => {
    expect(findDocuments(root)).toEqual(['ABILITY.md', 'examples/signup/ABILITY.md', 'integration/ABILITY.md']);
    expect(checkRoutingDocuments(loadRegistry(root))).toEqual([]);
  });

  test('R-000-09: signup_e2e_test', () => {
    expect(rows('integration/ABILITY.md')['signup_e2e_test']).toMatch(
      /^\| signup_e2e_test \| workflow \| integration\/test \| Run the full user signup E2E test against a non-prod environment.* \| registry\/high-level\/signup_e2e\.yaml \|$/,
    );
  });

  test('R-000-10: billing_regression', () => {
    expect(rows('integration/ABILITY.md')['billing_regression']).toBe(
      '| billing_regression | workflow | integration/billing | Run the billing regression suite with seeded test data. | registry/high-level/billing_reg.yaml |',
    );
  });

  test.each(['integration/ABILITY.md', 'examples/signup/ABILITY.md'])(
    'R-000-04: %s has the workflow for its work and everything that it calls, and states that no other page is needed',
    (file) => {
      const { steps = [], finally: cleanup = [] } = loadRegistry(root).workflows.get('signup_e2e_test')?.value ?? {};
      const called = [...JSON.stringify([steps, cleanup]).matchAll(/"call":"([^"]+)"/g)].map(([, id = '']) => id);
      expect(called.length).toBeGreaterThan(4);
      expect(Object.keys(rows(file))).toEqual(expect.arrayContaining(['signup_e2e_test', ...called]));
      expect(readFileSync(join(root, file), 'utf8')).toContain('No other such page is needed for this work.');
    },
  );

  test('R-000-04: the page of the module is for local work on it, that of integration for tests that span modules', () => {
    const words = (file: string) => readFileSync(join(root, file), 'utf8').split('1. Look')[0];
    expect(words('examples/signup/ABILITY.md')).toMatch(/For work on the service in this folder.* local tests of it/);
    expect(words('integration/ABILITY.md')).toMatch(/End-to-end tests, and tests that span modules/);
  });

  test('R-000-14: http.call.billing_service and mcp.query.logs', () => {
    expect(rows('integration/ABILITY.md')['http.call.billing_service']).toMatch(
      /\| api \| infra\/http \| .* \| registry\/low-level\/http\.call\.billing\.yaml \|$/,
    );
    expect(rows('integration/ABILITY.md')['mcp.query.logs']).toMatch(
      /\| mcp \| infra\/observability \| .* \| registry\/low-level\/mcp\.query\.logs\.yaml \|$/,
    );
  });

  test('R-000-02, R-000-17: the page of the module has what belongs to its module, and what a person added', () => {
    expect(Object.keys(rows('examples/signup/ABILITY.md')).sort()).toEqual([
      'db.delete.user_row',
      'db.read.user_row',
      'db.write.user_row',
      'http.call.signup_service',
      'mcp.query.logs',
      'signup_e2e_test',
    ]);
  });
});
