import { lowLevel, SCRIPT } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';

const staging = lowLevel('op.staging', 'scope: { environments: [staging] }', SCRIPT);

/** Abilities that may run where something that they need may not. */
export const SCOPE_CASES: LintCase[] = [
  {
    code: 'lint.scope_contradiction',
    name: 'R-000-28: a workflow for dev calls what is only for staging',
    files: {
      ...staging,
      ...workflow('scope: { environments: [dev, staging] }', 'steps: [{ id: one, call: ▶op.staging }]'),
    },
  },
  {
    code: 'lint.scope_contradiction',
    name: 'a workflow for everywhere that can run nowhere',
    files: {
      ...staging,
      ...lowLevel('op.dev', 'scope: { environments: [dev] }', SCRIPT),
      ...workflow('steps: [{ id: one, call: ▶op.staging, undo: { call: ▶op.dev } }]'),
    },
  },
  {
    code: 'lint.scope_contradiction',
    name: 'settings where the ability is not available',
    files: {
      ...staging,
      'registry/config/c.yaml': [
        'abilities:',
        '  - id: op.staging',
        '    environments: { staging: { prompts: { a: b } }, ▶prod: { prompts: { a: b } } }',
      ].join('\n'),
    },
  },
  {
    code: 'lint.scope_contradiction',
    name: 'a workflow for everywhere that can run somewhere',
    files: { ...staging, ...workflow('steps: [{ id: one, call: op.staging }]') },
  },
  {
    code: 'lint.operation_unused',
    name: 'R-000-38: allowed and never called',
    files: workflow('operations: [op.read, ▶op.other]', 'steps: [{ id: one, call: op.read, with: { id: x } }]'),
  },
  {
    code: 'lint.operation_unused',
    name: 'called only in a text',
    files: workflow('operations:', '  - ▶op.read', 'steps: [{ id: one, let: { name: op.read } }]'),
  },
  {
    code: 'lint.operation_unused',
    name: 'called to take back',
    files: workflow(
      'operations: [op.read, op.other]',
      'steps: [{ id: one, call: op.read, with: { id: x }, undo: { call: op.other } }]',
    ),
  },
].map((own) => ({ ...own, files: { ...lowLevel('op.other', 'effects: write_idempotent', SCRIPT), ...own.files } }));
