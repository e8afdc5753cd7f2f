import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { highLevel } from '../../../src/definitions/formats/high-level.js';
import { type StepDefinition, VERBS } from '../../../src/definitions/formats/steps.js';
import { expressionsOf } from '../../../src/definitions/step-expressions.js';
import { listsInside, placeInList, withoutMarks } from '../../../src/definitions/step-lists.js';
import { walkSteps } from '../../../src/planning/steps/called-abilities.js';

/** Every verb once, and steps in every kind of list. */
const FILE = `
id: w
type: workflow
version: 1
summary: A test.
scope: {}
input_schema: { type: object }
templates:
  t: { input: [], steps: [{ id: sent, let: { x: 1 } }] }
steps:
  - id: call
    call: op
    with: { text: "\${{ input.a }}" }
    undo: { call: op }
    on_error: [{ errors: [x], output: none }, { steps: [{ id: handled, let: { x: 1 } }] }]
    finally: [{ id: cleaned, let: { x: 1 } }]
  - { id: approval, approval: { title: Go?, timeout: 24h, comment: optional } }
  - { id: parallel, parallel: { left: { let: { x: 1 } }, right: { steps: [{ id: deep, let: { x: 1 } }] } } }
  - { id: race, race: { first: { wait: 1s } } }
  - { id: foreach, foreach: input.all, as: item, label: "\${{ item }}", steps: [{ id: each, let: { x: 1 } }] }
  - { id: switch, switch: [{ if: input.a, steps: [{ id: taken, let: { x: 1 } }] }, { else: [{ id: other, end: null }] }] }
  - { id: repeat, repeat: { until: steps.again.output.x, every: 1s, max: 3 }, steps: [{ id: again, let: { x: true } }] }
  - { id: wait, wait: { signal: go, if: signal.ok, timeout: 1h } }
  - { id: steps, steps: [{ id: inner, let: { x: 1 } }] }
  - { id: template, template: t }
  - { id: let, let: { x: "\${{ input.a }}" } }
  - { id: fail, fail: { code: a.b, message: "\${{ input.a }}" } }
  - { id: end, end: { output: 1 } }
`;
const written = parse(FILE) as Record<string, unknown>;
const workflow = highLevel.parse(written);
const stepOf = (verb: string): StepDefinition => {
  const found = workflow.steps.find((step) => step.id === verb);
  if (!found) throw new Error(`no step has the verb \`${verb}\``);
  return found;
};

describe('loading a workflow', () => {
  test.each([...VERBS])('marks a step of `%s` with its verb', (verb) => {
    expect(stepOf(verb).verb).toBe(verb);
  });

  test('marks the steps inside steps, and gives a branch its name as id', () => {
    const marked = [...walkSteps(workflow)].map(({ step, path }) => `${path.join('.')} ${step.id} ${step.verb}`);
    expect(marked).toContain('steps.2.parallel.right.steps.0 deep let');
    expect(marked).toContain('steps.2.parallel.left left let');
    expect(marked).toContain('steps.0.on_error.1.steps.0 handled let');
  });

  test('refuses a step that names its verb itself', () => {
    const steps = [{ id: 'a', verb: 'let', let: {} }];
    expect(highLevel.safeParse({ ...written, steps }).success).toBe(false);
  });

  test('adds marks that are removed for display', () => {
    expect(withoutMarks(workflow)).toEqual(written);
  });
});

describe('each verb', () => {
  const steps = [...walkSteps(workflow)];
  const valueAt = (path: readonly PropertyKey[]) =>
    path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], workflow);

  test('lists the steps inside it at their paths in the file', () => {
    for (const { step, path } of steps) {
      for (const list of listsInside(step)) {
        const places = list.steps.map((_, index) => valueAt([...path, ...placeInList(list, index)]));
        expect(places).toEqual(list.steps);
      }
    }
  });

  test('has all lists: no step of the file is missing', () => {
    const ids = FILE.split('\ntemplates:')[1]
      ?.split('\nsteps:')[1]
      ?.match(/\bid: (\w+)/g);
    expect(steps.map(({ id }) => id).sort()).toEqual(
      [...(ids ?? []).map((id) => id.slice('id: '.length)), 'left', 'right', 'first'].sort(),
    );
  });

  test('lists all of its expressions at their paths in the file', () => {
    const found = steps.flatMap(({ step, path }) =>
      expressionsOf(step).map((one) => ({ ...one, path: [...path, ...one.path] })),
    );
    for (const { path, value, phase } of found) expect(valueAt(path) ?? (phase === 'undo' && {})).toEqual(value);
    const templates = JSON.stringify(workflow.steps).match(/\$\{\{/g)?.length;
    expect(found.filter(({ value }) => JSON.stringify(value).includes('${{'))).toHaveLength(templates ?? 0);
  });
});
