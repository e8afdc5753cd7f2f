import { lowLevel } from '../../../temporary-project.js';
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

/** Implementations that may be gone tomorrow. */
export const IMPLEMENTATION_CASES: LintCase[] = (['deprecated', 'experimental'] as const).flatMap((tag) => {
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
});
