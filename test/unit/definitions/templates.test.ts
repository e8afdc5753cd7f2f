import { describe, expect, test } from 'vitest';
import { formatLocation } from '../../../src/contracts/problem.js';
import { resolvePlan } from '../../../src/planning/resolve/resolve-plan.js';
import { allSteps } from '../../../src/rules/steps/step-tree.js';
import { errorOf } from '../error-of.js';
import { lowLevel, registryOf, SCRIPT, SCRIPT_FILE } from '../temporary-project.js';

const HEAD = 'id: w\ntype: workflow\nversion: 1\nsummary: A test.\n';
const files = (yaml: string) => ({
  ...SCRIPT_FILE,
  ...lowLevel('op', SCRIPT),
  'registry/high-level/w.yaml': `${HEAD}${yaml}\n`,
});
const planOf = (yaml: string) => resolvePlan(registryOf(files(yaml)), 'w', 'dev').plan;

/** The problems, each with its location and the location of the use. The templates begin in line 5. */
function faultsOf(yaml: string): string[] {
  const registry = registryOf(files(yaml));
  const found = registry.problems.length > 0 ? registry.problems : [errorOf(() => resolvePlan(registry, 'w', 'dev'))];
  return found.map(({ code, message, location }) => {
    const at = location ? formatLocation(location).replaceAll('registry/high-level/w.yaml', '') : '';
    return `${at} ${code}: ${message}`;
  });
}

const NOTIFY = [
  'templates:',
  '  notify:',
  '    input: [text]',
  '    steps:',
  '      - { id: send, call: op, with: { text: "${{ input.text }}" } }',
  '      - { id: seen, let: { was: "${{ steps.send.status }}" } }',
  '    output: "${{ steps.seen.output.was }}"',
].join('\n');

describe('a use of a template', () => {
  test('is a group: its input, then the steps, each with the id of the use before its own', () => {
    const [tell] = planOf(
      `${NOTIFY}\nsteps: [{ id: tell, template: notify, with: { text: hello }, if: "1 < 2" }]`,
    ).steps;
    expect(tell).toEqual({
      id: 'tell',
      if: '1 < 2',
      verb: 'steps',
      template: { name: 'notify', given: true, output: '${{ steps.`tell/seen`.output.was }}' },
      steps: [
        { id: 'tell/input', verb: 'let', let: { text: 'hello' } },
        { id: 'tell/send', verb: 'call', call: 'op', with: { text: '${{ steps.`tell/input`.output.text }}' } },
        { id: 'tell/seen', verb: 'let', let: { was: '${{ steps.`tell/send`.status }}' } },
      ],
    });
  });

  test('has the paths `<id>/<inner id>`, wherever and as often as it is used', () => {
    const plan = planOf(`${NOTIFY}
steps:
  - { id: one, template: notify, with: { text: a } }
  - { id: loop, foreach: [1], as: n, steps: [{ id: two, template: notify, with: { text: "\${{ string(n) }}" } }] }
  - { id: both, parallel: { three: { template: notify, with: { text: b }, retry: { attempts: 2 } } } }
finally: [{ id: last, template: notify, with: { text: c } }]`);
    expect(allSteps(plan).map(({ path }) => path)).toEqual([
      ...['one', 'one/input', 'one/send', 'one/seen'],
      ...['loop', 'loop/*/two', 'loop/*/two/input', 'loop/*/two/send', 'loop/*/two/seen'],
      ...['both', 'both/three', 'both/three/input', 'both/three/send', 'both/three/seen'],
      ...['last', 'last/input', 'last/send', 'last/seen'],
    ]);
  });

  test('refers to its own steps and loops, even if others around it have the same names', () => {
    const plan = planOf(`templates:
  all: { input: [list], steps: [{ id: each, foreach: input.list, as: item, steps: [{ id: echo, call: op, with: { item: "\${{ item }}", all: "\${{ input.list.map(input, input) }}" } }] }] }
steps:
  - { id: echo, foreach: [1], as: item, steps: [{ id: inner, template: all, with: { list: ["\${{ item }}"] } }] }`);
    const each = allSteps(plan).find(({ path }) => path === 'echo/*/inner/each')?.step;
    expect(each).toMatchObject({ foreach: { expression: 'steps.`inner/input`.output.list' } });
    expect(allSteps(plan).at(-1)).toMatchObject({
      path: 'echo/*/inner/each/*/echo',
      step: {
        id: 'inner/echo',
        with: { item: '${{ item }}', all: '${{ steps.`inner/input`.output.list.map(input, input) }}' },
      },
    });
  });

  test('without `input` needs no `with`, and a workflow without templates is planned as before', () => {
    const plan = planOf('templates: { go: { steps: [{ id: a, call: op }] } }\nsteps: [{ id: x, template: go }]');
    expect(plan.steps).toEqual([
      { id: 'x', verb: 'steps', template: { name: 'go' }, steps: [{ id: 'x/a', verb: 'call', call: 'op', with: {} }] },
    ]);
    expect(planOf('steps: [{ id: a, call: op }]').steps).toEqual([{ id: 'a', verb: 'call', call: 'op', with: {} }]);
  });
});

describe('a template is refused', () => {
  const used = (body: string): string =>
    `templates:\n  t: { input: [text], ${body} }\nsteps:\n  - { id: tell, template: t, with: { text: a } }`;

  test.each([
    [
      'that reads a step outside it',
      used('steps: [{ id: a, call: op, with: { x: "${{ steps.tell.output }}" } }]'),
      ':6:61 (used at :8:27) expression.unknown_step: The template `t` has no step `tell` (in `steps.tell.output`)',
    ],
    [
      'that reads an input it has not',
      used('steps: [{ id: a, call: op, if: input.txt == "a" }]'),
      ':6:54 (used at :8:27) expression.syntax: The template `t` has no input `txt` (in `input.txt == "a"`)',
    ],
    [
      'that reads a name of a loop around its use',
      used('steps: [{ id: a, call: op, if: item == 1 }]').replace(
        '- { id: tell, template: t, with: { text: a } }',
        '- { id: l, foreach: [1], as: item, steps: [{ id: tell, template: t, with: { text: a } }] }',
      ),
      ':6:54 (used at :8:68) expression.syntax: The template `t` does not see the name `item` (in `item == 1`)',
    ],
    [
      'that uses a template',
      used('steps: [{ id: a, template: t, with: { text: a } }]'),
      ':6:50 (used at :8:27) definition.invalid: The template `t` uses the template `t`',
    ],
    [
      'that reads its steps as a whole',
      used('steps: [{ id: a, let: { x: "${{ steps }}" } }]'),
      ':6:50 (used at :8:27) expression.syntax: A template reads its steps by their names (in `steps`)',
    ],
    [
      'with a step called `input`',
      used('steps: [{ id: input, call: op }]'),
      ':6:30 (used at :8:27) definition.invalid: A step of the template `t` has the id `input`, which is reserved for the inputs of the template',
    ],
    [
      'that calls what there is not',
      used('steps: [{ id: a, call: nope }]'),
      ':6:46 (used at :8:27) definition.unknown_reference: There is no ability `nope`',
    ],
  ])('%s, with the location in it and the location of its use', (_, yaml, fault) => {
    expect(faultsOf(yaml)).toEqual([expect.stringContaining(fault)]);
  });

  test('with the location in it alone if nothing uses it', () => {
    const yaml = 'templates: { t: { steps: [{ id: a, call: op, if: steps.b.output }] } }\nsteps: [{ id: a, call: op }]';
    expect(faultsOf(yaml)).toEqual([
      ':5:50 expression.unknown_step: The template `t` has no step `b` (in `steps.b.output`)',
    ]);
  });

  test.each([
    ['there is none', 'template: notfy, with: { text: a }', ':12:31 definition.invalid: There is no template `notfy`'],
    [
      'it is not given what it needs',
      'template: notify',
      ':12:31 definition.invalid: This use of the template `notify` does not set `text`',
    ],
    [
      'it is given more',
      'template: notify, with: { text: a, txet: b }',
      ':12:56 definition.invalid: The template `notify` has no input `txet`',
    ],
    [
      'a handler beside it has a step of the same name',
      'template: notify, with: { text: a }, on_error: [{ steps: [{ id: send, call: op }] }]',
      ':12:85 definition.invalid: The template `notify` has a step `send` as well',
    ],
  ])('at its use, if %s', (_, use, fault) => {
    expect(faultsOf(`${NOTIFY}\nsteps: [{ id: tell, ${use} }]`)).toEqual([expect.stringContaining(fault)]);
  });
});
