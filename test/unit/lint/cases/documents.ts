import { type LintCase, workflow } from '../lint-case.js';

const FLOW = workflow('steps: [{ id: one, let: {} }]');

const page = (...lines: string[]) => ({ ...FLOW, 'ABILITY.md': ['# Abilities', '', ...lines, ''].join('\n') });

const section = (...rows: string[]) => [
  '<!-- ability:high-level rows="chosen" -->',
  '',
  '## High-level abilities',
  '',
  '| Id | Type | Scope | When to use | Registry path |',
  '| --- | --- | --- | --- | --- |',
  ...rows,
  '',
  `<!-- /ability:high-level written="2bce83a0" -->`,
];

/** Routing documents that are broken, or not up to date with the abilities. */
export const DOCUMENT_CASES: LintCase[] = [
  {
    code: 'docs.invalid',
    name: 'a section that is not closed',
    files: page('▶<!-- ability:high-level -->', '', 'Words.'),
  },
  {
    code: 'docs.invalid',
    name: 'words between the markers',
    files: page(...section().flatMap((line, at) => (at === 1 ? ['', '▶Words.', ''] : [line]))),
  },
  {
    code: 'docs.invalid',
    name: 'a section in a block of code',
    files: page('<!-- ability:own -->', '```', '<!-- ability:high-level -->', '```'),
  },
  {
    code: 'docs.out_of_step',
    name: 'R-000-88: an ability that is gone',
    files: page(...section('▶| gone | workflow | any | Words | registry/high-level/gone.yaml |')),
  },
  {
    code: 'docs.out_of_step',
    name: 'another path',
    files: page(...section('▶| flow | workflow | any | Words | registry/high-level/other.yaml |')),
  },
  {
    code: 'docs.out_of_step',
    name: 'words of the author',
    files: page(...section('| flow | workflow | any | Words of my own | registry/high-level/flow.yaml |')),
  },
  {
    code: 'lint.page_not_kept',
    name: 'a page without tables',
    files: { ...FLOW, 'ABILITY.md': '▶# Abilities\n' },
  },
  {
    code: 'lint.page_not_kept',
    name: 'a page as its author wrote it, without markers',
    files: page('▶| Id | When to use |', '| --- | --- |', '| flow | Words |'),
  },
  {
    code: 'lint.page_not_kept',
    name: 'a page that says it is left to its author',
    files: page('<!-- ability:own -->', '| Id | When to use |', '| --- | --- |', '| flow | Words |'),
  },
  {
    code: 'lint.page_scope',
    name: 'C-43: a scope that the definition does not give',
    files: page(...section('▶| flow | workflow | infra | Words | registry/high-level/flow.yaml |')),
  },
  {
    code: 'lint.page_scope',
    name: 'C-43: a scope in words',
    files: page(...section('▶| flow | workflow | 仅用于测试 | Words | registry/high-level/flow.yaml |')),
  },
  {
    code: 'lint.page_scope',
    name: 'C-43: the scope of the definition in other letters',
    files: page(...section('| flow | workflow | `Any` | Words | registry/high-level/flow.yaml |')),
  },
];
