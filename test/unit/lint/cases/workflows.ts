import { lowLevel, SCRIPT } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';

const call = (more = '') => `steps: [{ id: one, call: op.read, with: { id: x }${more} }]`;

const tool = {
  ...lowLevel('op.search', 'implementation: { kind: mcp, mcp: { server: tavily, tool: search } }'),
  'registry/config/servers.yaml': 'mcp_servers: { tavily: { url: "https://tavily.example/mcp" } }\n',
};

/** Workflows that can run, but not as their author thinks. */
export const WORKFLOW_CASES: LintCase[] = [
  {
    code: 'lint.placement_contradiction',
    name: 'R-001-04: a script in the cloud (C-31)',
    files: workflow('placement: ▶cloud', call()),
  },
  {
    code: 'lint.placement_contradiction',
    name: 'one local step among others',
    files: {
      ...tool,
      ...workflow(
        'placement: ▶cloud',
        'steps: [{ id: one, call: op.search }, { id: two, call: op.read, with: { id: x } }]',
      ),
    },
  },
  {
    code: 'lint.placement_contradiction',
    name: 'a tool of a server in the cloud',
    files: { ...tool, ...workflow('placement: cloud', 'steps: [{ id: one, call: op.search }]') },
  },
  {
    code: 'lint.placement_contradiction',
    name: 'what could run in the cloud runs here',
    files: {
      ...tool,
      ...lowLevel('op.more', SCRIPT),
      ...workflow('placement: local', 'steps: [{ id: one, call: op.search }]'),
    },
  },
  {
    code: 'lint.unknown_error_code',
    name: 'a slip in a code of ours',
    files: workflow(call(', retry: { errors: [▶unavailable.conection] }')),
  },
  {
    code: 'lint.unknown_error_code',
    name: 'nearly what a step raises',
    files: workflow(
      'steps:',
      '  - { id: one, call: op.read, with: { id: x }, on_error: [{ errors: [▶too_mani], steps: [{ id: two, let: {} }] }] }',
      '  - { id: stop, fail: { code: too_many, message: So many } }',
    ),
  },
  {
    code: 'lint.unknown_error_code',
    name: 'a family, a status and an author’s own',
    files: workflow(call(', retry: { errors: [timeout, http.409, card_declined] }')),
  },
];
