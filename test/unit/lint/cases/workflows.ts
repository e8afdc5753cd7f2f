import { lowLevel, SCRIPT } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';

const call = (more = '') => `steps: [{ id: one, call: op.read, with: { id: x }${more} }]`;

const tool = {
  ...lowLevel('op.search', 'implementation: { kind: mcp, mcp: { server: tavily, tool: search } }'),
  'registry/config/servers.yaml': 'mcp_servers: { tavily: { url: "https://tavily.example/mcp" } }\n',
};

/** `tavily` and `memory` are in placements of the project. */
const placed = () => ({
  ...tool,
  ...lowLevel('op.find', 'implementation: { kind: mcp, mcp: { server: memory, tool: find } }'),
  'registry/config/memory.yaml': 'mcp_servers: { memory: { url: "https://memory.example/mcp" } }\n',
  'ability.yaml': `format: 1
project: linted
environments: { dev: {}, staging: {}, prod: { protected: true } }
placements: { near-db: { servers: [tavily] }, dmz: { servers: [memory] } }
`,
});

const conflicting = (other = 'op.find', more = '') => `id: flow
type: workflow
version: 1
summary: A workflow of a test.
steps: [{ id: one, call: op.search }, { id: two, call: ${other}${more} }]
`;

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
    code: 'lint.placement_contradiction',
    name: 'a step that only another placement of the project reaches',
    files: { ...placed(), ...workflow('placement: ▶local', 'steps: [{ id: one, call: op.search }]') },
  },
  {
    code: 'lint.placement_contradiction',
    name: 'the settings of an environment',
    files: {
      ...placed(),
      'registry/config/places.yaml': 'abilities: [{ id: op.search, environments: { dev: { placement: ▶dmz } } }]\n',
    },
  },
  {
    code: 'placement.conflict',
    name: 'steps that different placements reach',
    files: {
      ...placed(),
      'registry/high-level/flow.yaml': `▶${conflicting()}`,
    },
  },
  {
    code: 'placement.conflict',
    name: 'a workflow that one of the settings of an environment places elsewhere',
    files: {
      ...placed(),
      'registry/config/places.yaml': 'abilities: [{ id: op.read, environments: { prod: { placement: dmz } } }]\n',
      'registry/high-level/flow.yaml': `▶${conflicting('op.read', ', with: { id: x }')}`,
    },
  },
  {
    code: 'placement.conflict',
    name: 'a placement of its own that reaches what one of them reaches, and a local script',
    files: { ...placed(), 'registry/high-level/flow.yaml': conflicting('op.read', ', with: { id: x }') },
  },
  {
    code: 'definition.unknown_reference',
    name: 'a placement that the project does not have',
    files: { ...placed(), ...workflow('placement: ▶near-bd', call()) },
  },
  {
    code: 'definition.unknown_reference',
    name: 'a placement in the settings of an environment that the project does not have',
    files: {
      ...placed(),
      'registry/config/places.yaml': 'abilities: [{ id: op.read, environments: { dev: { placement: ▶edge } } }]\n',
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
