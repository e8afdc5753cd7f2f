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
  '<!-- /ability:high-level -->',
];

/** Routing documents that are broken, or not in step with the abilities. */
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
    files: page('```', '<!-- ability:high-level -->', '```'),
  },
  {
    code: 'docs.out_of_step',
    name: 'R-000-88: an ability that is gone',
    files: page(...section('▶| gone | workflow | any | Words | registry/high-level/gone.yaml |')),
  },
  {
    code: 'docs.out_of_step',
    name: 'R-000-08: another path',
    files: page(...section('▶| flow | workflow | any | Words | registry/high-level/other.yaml |')),
  },
  {
    code: 'docs.out_of_step',
    name: 'words of the author',
    files: page(...section('| flow | workflow | any | Words of my own | registry/high-level/flow.yaml |')),
  },
];
