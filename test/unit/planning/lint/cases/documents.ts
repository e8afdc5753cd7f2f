import { type LintCase, workflow } from '../lint-case.js';

const FLOW = workflow('steps: [{ id: one, let: {} }]');

const COLUMNS = ['| Id | Type | Scope | When to use | Registry path |', '| --- | --- | --- | --- | --- |'];

const page = (...lines: string[]) => ({
  'ABILITY.md': ['# Abilities', '', ...lines, ''].join('\n'),
});

const section = (...rows: string[]) => [
  '<!-- ability:high-level rows="chosen" -->',
  '',
  '## High-level abilities',
  '',
  ...COLUMNS,
  ...rows,
  '',
  '<!-- /ability:high-level -->',
];

/** Routing documents that are broken, or not in step with the abilities. */
export const DOCUMENT_CASES: LintCase[] = [
  {
    code: 'docs.invalid',
    name: 'a section that is not closed',
    files: { ...FLOW, ...page('▶<!-- ability:high-level -->', '', 'Words.') },
  },
  {
    code: 'docs.invalid',
    name: 'words of the author between the markers',
    files: { ...FLOW, ...page(...section().flatMap((line, at) => (at === 1 ? ['', '▶Words.', ''] : [line]))) },
  },
  },
  {
    code: 'docs.invalid',
    name: 'a page without sections, and a section in a block of code',
    files: { ...FLOW, ...page('```', '<!-- ability:high-level -->', '```') },
  },
  {
    code: 'docs.out_of_step',
    name: 'R-000-88: an ability that is gone',
    files: { ...FLOW, ...page(...section('▶| gone | workflow | * | Words | registry/high-level/gone.yaml |')) },
  },
  {
    code: 'docs.out_of_step',
    name: 'R-000-08: another path',
    files: ...FLOW, ...page(...section('▶| flow | workflow | any | Words | registry/high-level/other.yaml |')) ,
  },
  {
    code: 'docs.out_of_step',
    name: 'words of the author',
    files: 
      ...FLOW,
      ...page(...section('| flow | workflow | any | Words of my own | registry/high-level/flow.yaml |')),,
  },
];
