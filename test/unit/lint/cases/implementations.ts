import { lowLevel } from '../../temporary-project.js';
import type { LintCase } from '../lint-case.js';

const tagged = (tag: string) => `implementation: { kind: script, script: { path: scripts/any.mjs }, tags: [${tag}] }`;

const document = (id: string, tag: string) => ({
  [`registry/implementations/${id}.yaml`]: [
    `id: ${id}`,
    'operation_key: op.two',
    'kind: script',
    'script: { path: scripts/any.mjs }',
    `tags: [${tag}]`,
  ].join('\n'),
});

const chosen = (id: string) => ({
  'registry/config/c.yaml': `abilities:\n  - { id: op.two, default_implementation: ${id} }\n`,
});

const two = (mark: string) => {
  const [file] = Object.entries(lowLevel('op.two')) as [[string, string]];
  return { [file[0]]: `${mark}${file[1]}` };
};

const allowing = (...lines: string[]) => ({
  'registry/config/c.yaml': ['abilities:', '  - id: op.two', ...lines.map((line) => `    ${line}`)].join('\n'),
});

const first = (mark: string) => ({
  'registry/implementations/first.yaml': `${mark}${Object.values(document('first', 'slow'))[0]}`,
});

const UNUSED_CASES: LintCase[] = [
  {
    code: 'lint.implementation_unused',
    name: 'R-000-52: not among those that are allowed',
    files: {
      ...lowLevel('op.two'),
      ...first('▶'),
      ...document('second', 'slow'),
      ...allowing('allowed_implementations: [second]'),
    },
  },
  {
    code: 'lint.implementation_unused',
    name: 'C-19: the shorthand is the only one',
    files: {
      ...lowLevel('op.two'),
      ...first('▶'),
      ...allowing('impl: { kind: script, script: { path: scripts/any.mjs } }'),
    },
  },
  {
    code: 'lint.implementation_unused',
    name: 'allowed in one environment only',
    files: {
      ...lowLevel('op.two'),
      ...first(''),
      ...document('second', 'slow'),
      ...allowing('allowed_implementations: [second]', 'environments: { dev: { allowed_implementations: [first] } }'),
    },
  },
];

/** Implementations that may be removed soon, and those that are unused. */
export const IMPLEMENTATION_CASES: LintCase[] = [
  ...UNUSED_CASES,
  ...(['deprecated', 'experimental'] as const).flatMap((tag) => {
    const code = `lint.implementation_${tag}`;
    const inline = lowLevel('op.two', tagged(tag));
    const [[file, content]] = Object.entries(inline) as [[string, string]];
    return [
      { code, name: 'the only one', files: { [file]: `▶${content}` } },
      {
        code,
        name: 'the default among several',
        files: { ...two('▶'), ...document('first', tag), ...document('second', 'fast'), ...chosen('first') },
      },
      {
        code,
        name: 'one that is not chosen',
        files: { ...two(''), ...document('first', tag), ...document('second', 'fast'), ...chosen('second') },
      },
    ];
  }),
];
