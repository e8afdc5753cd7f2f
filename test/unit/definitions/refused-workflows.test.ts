import { describe, expect, test } from 'vitest';
import { formatLocation, type Problem } from '../../../src/contracts/problem.js';
import { resolvePlan } from '../../../src/planning/resolve/resolve-plan.js';
import { errorOf } from '../error-of.js';
import { lowLevel, registryOf, SCRIPT, SCRIPT_FILE } from '../temporary-project.js';

/** The problem of a workflow: the first one of its file, else that of planning. Its steps begin in line 5. */
function faultOf(yaml: string): Problem & { at: string; text: string } {
  const text = `id: w\ntype: workflow\nversion: 1\nsummary: A test.\n${yaml}\n`;
  const files = { ...SCRIPT_FILE, ...lowLevel('op', SCRIPT), 'registry/high-level/w.yaml': text };
  const registry = registryOf(files);
  const problem = registry.problems[0] ?? errorOf(() => resolvePlan(registry, 'w', 'dev')).toProblem();
  const at = formatLocation(problem.location ?? { file: 'nowhere' }).replace('registry/high-level/w.yaml', '');
  return { ...problem, at, text: `${problem.message} | ${problem.suggestion ?? ''}` };
}

const step = (...lines: string[]): string => ['steps:', '  - id: a', ...lines.map((line) => `    ${line}`)].join('\n');
const top = (line: string): string => `${line}\nsteps: [{ id: a, call: op }]`;

describe('an unknown key', () => {
  test.each([
    ['a mistyped modifier', step('call: op', 'wiht: {}'), ':8:5', /`wiht`.*Did you mean with/],
    ['a mistyped verb', step('cal: op'), ':7:5', /`cal`.*Did you mean call/],
    ['a mistyped key at the top', top('sceanrios: [x]'), ':5:1', /`sceanrios`.*Did you mean scenarios/],
    ['a mistyped key of an approval', step('approval: { titel: x }'), ':7:17', /`titel`.*Did you mean title/],
    ['a mistyped key of a retry', step('call: op', 'retry: { atempts: 2 }'), ':8:14', /Did you mean attempts/],
    ['a mistyped key of the scope', top('scope: { environment: [dev] }'), ':5:10', /Did you mean environments/],
    ['one that resembles no key', step('call: op', 'colour: red'), ':8:5', /`colour`.*There are: id, call, with/],
    ['a name that every object has', step('call: op', 'toString: 1'), ':8:5', /`toString`.*There are: id, call/],
    ['in a step of a group', step('steps:', '  - { id: b, call: op, wth: {} }'), ':8:28', /Did you mean with/],
    ['in a branch', step('parallel:', '  b: { call: op, wth: {} }'), ':8:22', /Did you mean with/],
    ['in `finally`', `${top('')}\nfinally: [{ id: z, call: op, wth: {} }]`, ':7:30', /Did you mean with/],
    ['a modifier of another verb', step('approval: { title: x }', 'retry: {}'), ':8:5', /`retry`/],
  ])('%s', (_, yaml, at, message) => {
    const fault = faultOf(yaml);
    expect(fault.text).toMatch(message);
    expect([fault.code, fault.at]).toEqual(['definition.invalid', at]);
  });
});

describe('a habit from elsewhere', () => {
  test.each([
    ['uses', step('uses: actions/checkout'), ':7:5', /`uses`.*call: <ability>/],
    ['run', step('run: npm test'), ':7:5', /`run`.*register a script.*call: <ability>/],
    ['needs', step('call: op', 'needs: [b]'), ':8:5', /in the order written.*parallel/],
    ['outputs of a step', step('call: op', 'outputs: {}'), ':8:5', /Write `output`/],
    ['outputs at the top', top('outputs: {}'), ':5:1', /Write `output`/],
    ['timeout-minutes', step('call: op', 'timeout-minutes: 5'), ':8:5', /timeout: 10m/],
    ['continue-on-error', step('call: op', 'continue-on-error: true'), ':8:5', /continue_on_error: true/],
    ['inputs', top('inputs: {}'), ':5:1', /input_schema/],
    ['args', step('call: op', 'args: {}'), ':8:5', /Write `with`/],
    ['when', step('call: op', 'when: x'), ':8:5', /Write `if`/],
    ['jobs', top('jobs: {}'), ':5:1', /Write `steps`/],
    ['name', step('name: First', 'call: op'), ':7:5', /Write `id`/],
    ['description', top('description: x'), ':5:1', /Write `summary`/],
    ['on', top('on: { push: {} }'), ':5:1', /`on`.*does not start itself.*ability run ID/],
    ['do', step('do: [{}]'), ':7:5', /`do`.*Write `steps/],
    ['emit', step('emit: { event: {} }'), ':7:5', /`emit`.*ability task signal/],
    ['withItems', step('call: op', 'withItems: [1]'), ':8:5', /`withItems`.*foreach/],
    ['tasks', top('tasks: []'), ':5:1', /`tasks`.*Write `steps/],
    ['depends', step('call: op', 'depends: b'), ':8:5', /`depends`.*in the order written.*parallel/],
    ['strategy', step('call: op', 'strategy: { matrix: {} }'), ':8:5', /`strategy`.*foreach.*max_parallel/],
    ['fork', step('fork: { branches: [] }'), ':7:5', /`fork`.*parallel.*race/],
    ['listen', step('listen: { to: {} }'), ':7:5', /`listen`.*wait: \{ signal: NAME \}/],
    ['for in a wait', step('wait: { for: 8s }'), ':7:13', /`for`.*Write `wait: 30s`/],
    ['always()', step('call: op', 'if: always()'), ':8:9', /`always\(\)`.*finally/],
    ['failure()', step('call: op', 'if: failure()'), ':8:9', /`failure\(\)`.*steps\.<id>\.status/],
    ['{{ }}', step('call: op', 'with: { a: "{{ input.a }}" }'), ':8:16', /Write \$\{\{ expression \}\}/],
    ['${{ }} in a condition', step('call: op', 'if: ${{ input.a }}'), ':8:9', /Write `input\.a`/],
    ['PT30S at a step', step('call: op', 'timeout: PT30S'), ':8:14', /Use a number with a unit, such as 30s/],
    ['PT1H at the top', top('timeout: PT1H'), ':5:10', /Use a number with a unit/],
    ['PT1S of a retry', step('call: op', 'retry: { first: PT1S }'), ':8:21', /Use a number with a unit/],
    ['a bare number of seconds', step('call: op', 'timeout: 30'), ':8:14', /unit|30s/],
  ])('%s is refused with the right form', (_, yaml, at, message) => {
    const fault = faultOf(yaml);
    expect(fault.text).toMatch(message);
    expect([fault.code, fault.at]).toEqual(['definition.invalid', at]);
  });
});

describe('a trap of YAML', () => {
  test.each([
    [
      'a ternary in an unquoted template',
      step('call: op', 'with:', '  a: ${{ input.a ? 1 : 2 }}'),
      ':9:10',
      /Quote a value with \$\{\{/,
    ],
    [
      'a template in a flow map',
      step('call: op', 'with: { a: ${{ {"b": 1}.b }} }'),
      ':8:17',
      /Quote a value with \$\{\{/,
    ],
    ['a condition that begins with !', step('call: op', 'if: !input.a'), ':8:9', /quote it: "!x"/],
    ['a tab', 'steps:\n\t- id: a', ':6:1', /Indent with spaces/],
    ['a key twice', step('call: op', 'call: op'), ':8:5', /is there twice/],
    ['two documents', `${top('')}\n---\nid: x`, ':7:1', /several documents/],
  ])('%s is explained', (_, yaml, at, message) => {
    const fault = faultOf(yaml);
    expect(fault.text).toMatch(message);
    expect([fault.code, fault.at]).toEqual(['definition.syntax', at]);
  });
});

describe('a step', () => {
  test.each([
    ['with two verbs', step('call: op', 'let: { b: 1 }'), ':6:5', /exactly one verb: call, approval/],
    ['with three verbs', step('call: op', 'let: { b: 1 }', 'end: {}'), ':6:5', /exactly one verb/],
    ['without a verb', step('if: "true"'), ':6:5', /exactly one verb/],
    ['without an id', 'steps:\n  - call: op', ':6:5', /`id` is missing/],
    ['with a dash in its id', 'steps:\n  - { id: a-b, call: op }', ':6:11', /steps\.a-b is a subtraction/],
    ['with an id that begins with a digit', 'steps:\n  - { id: 1a, call: op }', ':6:11', /does not begin with a digit/],
    ['with a call that is not an id', step('call: Op!'), ':7:11', /lowercase letter/],
    ['that calls a reserved name', step('call: constructor'), ':7:11', /reserved/],
    ['with a call that is a list', step('call: [op]'), ':7:11', /A text/],
    ['with no attempts', step('call: op', 'retry: { attempts: 0 }'), ':8:24', />=1/],
    [
      'whose longest wait is shorter than its first',
      step('call: op', 'retry: { first: 1m, max: 30s }'),
      ':8:30',
      /`max`.*`first`/,
    ],
    ['with a retry that is a number', step('call: op', 'retry: 3'), ':8:12', /A map/],
    ['with a quorum of zero', step('approval: { title: x, quorum: 0 }'), ':7:35', />=1/],
    ['that asks without a title', step('approval: { quorum: 2 }'), ':7:15', /`title` is missing/],
    ['with `parallel` as a list', step('parallel: [{ call: op }]'), ':7:15', /A map/],
    ['with a branch that cannot be named', step('parallel: { a-b: { call: op } }'), ':7:17', /subtraction/],
    ['that fails with capitals', step('fail: { code: OOPS, message: x }'), ':7:19', /lowercase letters/],
    ['that fails without a message', step('fail: { code: oops }'), ':7:11', /`message` is missing/],
    ['that names values in a list', step('let: [1]'), ':7:10', /A map/],
    ['with an empty group', step('steps: []'), ':7:12', />=1|at least/],
  ])('%s is refused', (_, yaml, at, message) => {
    const fault = faultOf(yaml);
    expect(fault.text).toMatch(message);
    expect([fault.code, fault.at]).toEqual(['definition.invalid', at]);
  });
});

describe('a workflow', () => {
  test.each([
    ['without steps, with an output', 'output: 1', ':1:1', /Without `steps` there is no output/],
    ['with no step', 'steps: []', ':5:8', />=1|at least/],
    ['with steps that are a map', 'steps: { a: { call: op } }', ':5:8', /A list/],
    [
      'with a placement that cannot be one',
      top('placement: Edge!'),
      ':5:12',
      /local, cloud, or a name of `placements`/,
    ],
    ['with an unsafe key', step('call: op', 'with: { __proto__: { x: 1 } }'), ':8:13', /__proto__/],
    ['with an unsafe key at the top', top('constructor: 1'), ':5:1', /constructor/],
    ['for an environment that cannot be one', top('scope: { environments: [Prod!] }'), ':5:25', /lowercase letters/],
  ])('%s is refused', (_, yaml, at, message) => {
    const fault = faultOf(yaml);
    expect(fault.text).toMatch(message);
    expect([fault.code, fault.at]).toEqual(['definition.invalid', at]);
  });
});
