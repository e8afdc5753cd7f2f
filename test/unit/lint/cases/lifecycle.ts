import { lowLevel, SCRIPT } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';

const OLD = lowLevel('op.old', 'status: deprecated', 'replaced_by: op.read', SCRIPT);
const NEW = lowLevel('op.new', 'status: experimental', SCRIPT);
const GIVEN = '{ id: one, call: op.read, with: { id: x } }';

const overview = (id: string, ...lines: string[]) => ({
  [`modules/overview/${id}.yaml`]: [
    `id: ${id}`,
    'summary: A module.',
    ...(lines.some((line) => line.startsWith('status:')) ? [] : ['status: stable']),
    ...(lines.some((line) => /^path: /.test(line)) ? [] : ['path: scripts']),
    ...lines,
  ].join('\n'),
});

const scoped = (modules: string, ...lines: string[]) =>
  workflow(`scope: { modules: [${modules}] }`, ...lines, `steps: [${GIVEN}]`);

const flow = (...lines: string[]) => ({
  'registry/high-level/flow.yaml': ['▶id: flow', 'type: workflow', 'summary: A test.', ...lines].join('\n'),
});

/** Abilities that are experimental, deprecated or not written yet, and modules. */
export const LIFECYCLE_CASES: LintCase[] = [
  ...(
    [
      ['a time that does not exist once a year', '▶"30 2 * * *"', 'Europe/Berlin'],
      ['a time that comes twice once a year', '▶"30 1 * * *"', 'America/New_York'],
      ['a time outside the hour that changes', '"0 5 * * *"', 'Europe/Berlin'],
      ['a zone whose clock does not change', '"30 2 * * *"', 'UTC'],
    ] as const
  ).map(([name, cron, zone]) => ({
    code: 'lint.schedule_clock',
    name,
    files: workflow(
      'schedules:',
      '  - id: nightly',
      `    cron: ${cron}`,
      `    timezone: ${zone}`,
      '    environment: dev',
      `steps: [${GIVEN}]`,
    ),
  })),
  ...(
    [
      ['nothing that asks', 'approve_before: ▶2h', `steps: [${GIVEN}]`],
      ['an approval', 'approve_before: 2h', 'steps: [{ id: ask, approval: { title: Go on? } }]'],
      [
        'an approval that depends on an output',
        'approve_before: ▶2h',
        `steps: [${GIVEN}, { id: ask, if: "steps.one.output.status == 'success'", approval: { title: Go on? } }]`,
      ],
    ] as const
  ).map(([name, before, steps]) => ({
    code: 'lint.nothing_to_approve',
    name,
    files: workflow('schedules:', `  - { id: nightly, cron: "@daily", environment: dev, ${before} }`, steps),
  })),
  {
    code: 'lint.ability_deprecated',
    name: 'a call',
    files: { ...OLD, ...workflow('steps:', '  - id: one', '    call: ▶op.old') },
  },
  {
    code: 'lint.ability_deprecated',
    name: 'a call that takes another one back',
    files: {
      ...OLD,
      ...workflow('steps:', '  - id: one', '    call: op.read', '    with: { id: x }', '    undo: { call: ▶op.old }'),
    },
  },
  {
    code: 'lint.ability_deprecated',
    name: 'a call in a template that is used twice, once',
    files: {
      ...OLD,
      ...workflow(
        'templates:',
        '  both:',
        '    steps:',
        '      - id: one',
        '        call: ▶op.old',
        'steps:',
        '  - { id: first, template: both }',
        '  - { id: second, template: both }',
      ),
    },
  },
  {
    code: 'lint.ability_deprecated',
    name: 'by what is deprecated itself',
    files: { ...OLD, ...workflow('status: deprecated', 'steps: [{ id: one, call: op.old }]') },
  },
  {
    code: 'lint.ability_experimental',
    name: 'R-002-01: a call',
    files: { ...NEW, ...workflow('steps:', '  - id: one', '    call: ▶op.new') },
  },
  {
    code: 'lint.ability_experimental',
    name: 'a call by what is deprecated',
    files: { ...NEW, ...workflow('status: deprecated', 'steps:', '  - id: one', '    call: ▶op.new') },
  },
  {
    code: 'lint.ability_experimental',
    name: 'by what is experimental itself',
    files: { ...NEW, ...workflow('status: experimental', 'steps: [{ id: one, call: op.new }]') },
  },
  { code: 'lint.no_steps', name: 'C-50: none', files: flow() },
  {
    code: 'lint.no_steps',
    name: 'C-50: none, with what it would call',
    files: flow('operations: [op.read]'),
  },
  { code: 'lint.no_steps', name: 'one', files: workflow(`steps: [${GIVEN}]`) },
  {
    code: 'lint.module_unknown',
    name: 'a slip',
    files: { ...overview('users'), ...scoped('▶usres') },
  },
  {
    code: 'lint.module_unknown',
    name: 'one below a module that is described',
    files: { ...overview('users'), ...scoped('users, ▶users.api') },
  },
  { code: 'lint.module_unknown', name: 'in a project that describes none', files: scoped('usres') },
  {
    code: 'lint.module_unknown',
    name: 'the same name with slashes',
    files: { ...overview('users.api'), ...scoped('modules/users/api') },
  },
  {
    code: 'lint.module_deprecated',
    name: 'R-002-01: without a replacement',
    files: { ...overview('users', 'status: deprecated'), ...scoped('▶users') },
  },
  {
    code: 'lint.module_deprecated',
    name: 'with one',
    files: {
      ...overview('users', 'status: deprecated', 'replaced_by: accounts'),
      ...overview('accounts'),
      ...scoped('accounts, ▶users'),
    },
  },
  {
    code: 'lint.module_deprecated',
    name: 'of an ability that is deprecated as well',
    files: { ...overview('users', 'status: deprecated'), ...scoped('users', 'status: deprecated') },
  },
  { code: 'lint.module_reference', name: 'a folder', files: overview('users', 'path: ▶modules/users') },
  {
    code: 'lint.module_reference',
    name: 'a module and an ability',
    files: overview('users', 'depends_on: [▶billing]', 'abilities: [op.read, ▶op.raed]'),
  },
  {
    code: 'lint.module_reference',
    name: 'all are there',
    files: { ...overview('users', 'depends_on: [billing]', 'abilities: [op.read]'), ...overview('billing') },
  },
];
