import { lowLevel, SCRIPT } from '../../temporary-project.js';
import type { LintCase } from '../lint-case.js';

const packs = (...lines: string[]) => ({
  'registry/packs.yaml': [
    'specialists:',
    '  charts:',
    '    description: Draws.',
    ...lines.map((line) => `    ${line}`),
  ].join('\n'),
});

const capability = (id: string) => ({
  'registry/capabilities.yaml': `capabilities:\n  ${id}: { description: Draws., keywords: [chart] }\n`,
});

const AGENT = {
  'registry/high-level/drawer.yaml':
    'id: drawer\ntype: agent\nsummary: Draws.\ninstructions: Draw.\noperations: [op.read]\n',
};

/** Packs that name something that does not exist, and capabilities that no pack has. */
export const SPECIALIST_CASES: LintCase[] = [
  { code: 'lint.pack_workflow_missing', name: 'no ability', files: packs('workflow: ▶op.raed') },
  {
    code: 'lint.pack_workflow_missing',
    name: 'in the place of a built-in pack',
    files: { 'registry/packs.yaml': 'specialists:\n  research:\n    description: Reads.\n    workflow: ▶research\n' },
  },
  {
    code: 'lint.pack_workflow_missing',
    name: 'R-004-14: an operation, an agent, and the built-in packs, which name what is not there yet',
    files: {
      ...AGENT,
      'ability.yaml': 'format: 1\nproject: two\nenvironments: { dev: {} }\nmodels: { default: { model: small } }\n',
      'registry/packs.yaml':
        'specialists:\n  a: { description: a, workflow: op.read }\n  b: { description: b, workflow: drawer }\n',
    },
  },
  {
    code: 'lint.pack_capability_unknown',
    name: 'nearly the name of one',
    files: packs('workflow: op.read', 'capabilities: [file_io, ▶web_serach]'),
  },
  {
    code: 'lint.pack_capability_unknown',
    name: 'not the name of any',
    files: packs('workflow: op.read', 'capabilities:', '  - ▶drawing'),
  },
  {
    code: 'lint.pack_capability_unknown',
    name: 'R-004-13: one of the project, and a built-in one',
    files: {
      ...packs('workflow: op.read', 'capabilities: [drawing, web_search]'),
      ...capability('drawing'),
      ...lowLevel('op.read', 'capabilities: [drawing, web_search]', SCRIPT),
    },
  },
  {
    code: 'lint.capability_unbacked',
    name: 'R-004-01: of a pack whose agent may call nothing that has it',
    files: { ...packs('workflow: drawer', 'capabilities: [▶web_search]'), ...AGENT },
  },
  {
    code: 'lint.capability_unbacked',
    name: 'R-004-01: of an agent that only says so itself',
    files: {
      'registry/high-level/drawer.yaml': `${AGENT['registry/high-level/drawer.yaml']}capabilities: [▶web_search]\n`,
    },
  },
  {
    code: 'lint.capability_unbacked',
    name: 'R-004-07: of a built-in pack, at the ability that it runs',
    files: {
      'registry/high-level/research.yaml': [
        '▶id: research',
        'type: workflow',
        'summary: Reads.',
        'capabilities: [systematic_review, citation_extraction, file_io]',
        'steps: [{ id: one, call: op.read }]',
        'output: done',
      ].join('\n'),
    },
  },
  {
    code: 'lint.capability_unbacked',
    name: 'R-004-01: by a workflow that has it, or an agent that may call what has it, also through another',
    files: {
      ...AGENT,
      'ability.yaml': 'format: 1\nproject: two\nenvironments: { dev: {} }\nmodels: { default: { model: small } }\n',
      ...lowLevel('op.read', 'capabilities: [file_io]', SCRIPT),
      'registry/high-level/asker.yaml':
        'id: asker\ntype: agent\nsummary: Asks.\ninstructions: Ask.\noperations: [drawer]\ncapabilities: [file_io]\n',
      'registry/high-level/flow.yaml':
        'id: flow\ntype: workflow\nsummary: Flows.\ncapabilities: [web_search]\nsteps: [{ id: one, call: op.read }]\noutput: done\n',
      'registry/packs.yaml': [
        'specialists:',
        '  a: { description: a, workflow: asker, capabilities: [file_io] }',
        '  b: { description: b, workflow: flow, capabilities: [web_search, file_io] }',
        '  c: { description: c, workflow: op.read, capabilities: [file_io] }',
      ].join('\n'),
    },
  },
  { code: 'lint.capability_unprovided', name: 'of the project', files: capability('▶drawing') },
  {
    code: 'lint.capability_unprovided',
    name: 'with packs that have others',
    files: { ...packs('workflow: op.read', 'capabilities: [file_io]'), ...capability('▶drawing') },
  },
  {
    code: 'lint.capability_unprovided',
    name: 'in the place of a built-in one, which a built-in pack has',
    files: capability('web_search'),
  },
];
