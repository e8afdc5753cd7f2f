import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  CLOSES,
  checkAgentDocuments,
  findAgentDocuments,
  newAgentDocuments,
  OPENS,
  planAgentDocuments,
  skillMd,
  withMarked,
} from '../../../src/authoring/agent-documents/plan-agent-documents.js';
import { EXIT } from '../../../src/contracts/states.js';
import { metaTools } from '../../../src/doors/mcp/tools.js';
import { makeProject, type ProjectFolder } from '../../fixtures/project-folder.js';
import { errorOf } from '../error-of.js';

const made = newAgentDocuments('registry');
const root = made['AGENTS.md'] ?? '';
const runtime = made['registry/AGENTS.md'] ?? '';
const skill = skillMd('registry');
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

let folder: ProjectFolder | undefined;
afterEach(() => folder?.remove());

describe('lint', () => {
  const findings = () =>
    checkAgentDocuments({ root: folder?.root ?? '' }).map(({ code, severity, location }) => [
      code,
      severity,
      location?.file,
      location?.line,
    ]);

  test('warns about a document with our markers that differs from what this version would write [R-002-56]', () => {
    folder = makeProject({ 'AGENTS.md': root, 'registry/AGENTS.md': runtime.replace('Act only', 'Do not act') });
    const line = runtime.split('\n').findIndex((text) => text.includes('Act only')) + 1;
    expect(findings()).toEqual([['docs.out_of_step', 'warning', 'registry/AGENTS.md', line]]);
    folder.write({ 'registry/AGENTS.md': runtime });
    expect(findings()).toEqual([]);
  });

  test('ignores text written by hand, also above and below our part', () => {
    folder = makeProject({
      'AGENTS.md': '# Ours\nDo what you want.\n',
      'registry/AGENTS.md': `Mine.\n\n${runtime}\nMine, too.\n`,
    });
    expect(findings()).toEqual([]);
  });
});

describe('AGENTS.md at the root', () => {
  test('is short and links to the rules of the runtime [R-002-56]', () => {
    expect(root.split('\n').length).toBeLessThan(40);
    expect(oneLine(root)).toContain('read [registry/AGENTS.md](registry/AGENTS.md): the rules of the runtime');
    expect(newAgentDocuments('.system/registry')['AGENTS.md']).toContain('](.system/registry/AGENTS.md)');
  });

  test('states what to read before work and what to write after it [R-003-26]', () => {
    expect(oneLine(root)).toMatch(
      /Before work read `AGENTS\.md` and the last 150 lines of `docs\/IMPLEMENTATION_LOG\.md`/,
    );
    expect(root).toContain('tail -n 150 docs/IMPLEMENTATION_LOG.md');
    expect(oneLine(root)).toMatch(/After work add an entry at its end/);
    expect(made['docs/IMPLEMENTATION_LOG.md']).toMatch(/^# Implementation log\n/);
  });

  test('states who writes, who reviews, and what humans own [R-002-62]', () => {
    expect(oneLine(root)).toContain(
      'AI writes, humans review, AI revises. Humans own boundaries, interface contracts and the choice of hook scenarios',
    );
  });
});

/** Sentences that both the rules next to the definitions and the skill contain. */
const SENTENCES: [id: string, sentence: RegExp][] = [
  [
    'R-002-57',
    /Act only through abilities\.\*\* Never call the scripts behind abilities, their MCP tools or their services directly/,
  ],
  ['R-002-57', /what does not go through `ability` has no guard, no approval and no record/],
  [
    'R-002-58, C-46',
    /Registrations change only through `ability scaffold`, `ability import` and `ability harvest`\.\*\* Never edit files in `registry\/` yourself/,
  ],
  [
    'R-002-59',
    /Commands block\.\*\* Nothing has happened before a command returns\. Then read its exit code and its JSON; never assume success/,
  ],
  ['R-002-60', /Each of these blocks, as do `session`, `scaffold`, `import`, `harvest`, `lint`, `test` and `docs`/],
  ['R-002-60', /When to ask the user .* where an approval is open \(exit code 5\): tell them, and wait/],
  ['R-002-42', /Read `turn_context` before each decision/],
  ['R-002-43', /`ability_guards` with `deny` \| do not call that ability on your own initiative/],
  ['R-002-45', /`need_user_confirm` \| explain the risk to the user, ask for confirmation, then call it/],
  ['R-002-44', /`risk_alerts` \| explain the risk to the user, and ask for confirmation/],
  ['R-002-46', /`routing_hints` \| prefer what they name: an ability, `module:ID`, `read:PATH`/],
  [
    'R-002-47',
    /any other \| do not ignore it: the runtime has written it into `hook-signals\.md` in the `workdocs` of the scope; tell the user/,
  ],
  ['R-000-80, C-45', /adapt the plan\. Take another ability that does the same, or ask the user/],
  ['R-000-80, C-45', /An environment that the user did not name is theirs to choose: ask first/],
  ['R-000-18', /Search in the language of the abilities' own texts, usually English/],
  ['R-002-41', /Never call the handler of a hook/],
  ['R-000-82', /Work with a person happens in a session; jobs of CI call without one/],
  [
    'C-45',
    /the same effect on the same target by another ability, another environment or another input, unasked, is going round/,
  ],
  ['C-45', /Another way is open only where the `suggestion` of the denial names it or the user chose it/],
  ['R-002-62', /a human reviews it before it is used where it counts/],
];

describe.each([
  ['registry/AGENTS.md', runtime],
  ['SKILL.md', skill],
])('%s', (_, text) => {
  test.each(SENTENCES)('contains [%s] %s', (_id, sentence) => {
    expect(oneLine(text)).toMatch(sentence);
  });

  test('states what to do for each exit code [R-002-59]', () => {
    const codes = [...text.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(EXIT));
    expect(text).not.toContain('--detach');
  });

  test('links only to its own headings', () => {
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    );
    const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, target = '']) => target);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((target) => !headings.includes(target))).toEqual([]);
  });
});

describe('the skill', () => {
  test('has the form of agentskills.io: name, description, and a body of fewer than 500 lines', () => {
    const [, head = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(skill) ?? [];
    const { name, description, ...others } = parse(head);
    expect({ name, others }).toEqual({ name: 'ability-runtime', others: {} });
    expect(description.length).toBeGreaterThan(100);
    expect(description.length).toBeLessThanOrEqual(1024);
    expect(body.split('\n').length).toBeLessThan(500);
  });

  test('names exactly the tools of the MCP door', () => {
    const [, part = ''] = /## Without a shell[\s\S]*?\n\n(\|[\s\S]*?)\n\n/.exec(skill) ?? [];
    const named = [...part.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
    expect(named.sort()).toEqual([...metaTools('run').keys()].sort());
  });
});

describe('the marked part of a document', () => {
  const kept = `${OPENS}\nnew\n${CLOSES}\n`;

  test.each([
    [`# Ours\n\n${OPENS}\nold\n${CLOSES}\n\nMore.\n`, `# Ours\n\n${OPENS}\nnew\n${CLOSES}\n\nMore.\n`],
    [`# Ours\r\n${OPENS}\r\n${CLOSES}\r\nMore.\r\n`, `# Ours\r\n${OPENS}\r\nnew\r\n${CLOSES}\r\nMore.\r\n`],
  ])('is the only text that is replaced: %j', (text, wanted) => {
    expect(withMarked('AGENTS.md', text, kept)).toBe(wanted);
    expect(withMarked('AGENTS.md', wanted, kept)).toBe(wanted);
  });

  test.each([
    [`a\n${OPENS}\n`],
    [`a\n${CLOSES}\n${OPENS}\n`],
    [`a\n${OPENS}\n${OPENS}\n${CLOSES}\n`],
    [`a\n${OPENS}\n${CLOSES}\n${CLOSES}\n`],
  ])('is refused with its line if the markers are not a pair: %j', async (text) => {
    const error = await errorOf(() => withMarked('AGENTS.md', text, kept));
    expect(error).toMatchObject({ code: 'docs.invalid', location: { file: 'AGENTS.md', line: 2 } });
  });
});

describe('documents of a project', () => {
  test('are found at the root, next to the definitions and among skills, if they have our markers', () => {
    const ours = `${OPENS}\n${CLOSES}\n`;
    folder = makeProject({
      'AGENTS.md': ours,
      'registry/AGENTS.md': 'by hand\n',
      'modules/users/AGENTS.md': ours,
      'skills/ability-runtime/SKILL.md': ours,
      '.claude/skills/ability-runtime/SKILL.md': ours,
      '.claude/skills/other/SKILL.md': '---\nname: other\n---\n',
      'node_modules/x/SKILL.md': ours,
    });
    expect(findAgentDocuments(folder.root, 'registry')).toEqual([
      'AGENTS.md',
      'skills/ability-runtime/SKILL.md',
      '.claude/skills/ability-runtime/SKILL.md',
    ]);
  });

  test('that were written by hand are refused with a suggestion, and not changed', () => {
    folder = makeProject({ 'AGENTS.md': 'by hand\n', 's/ability-runtime/SKILL.md': '---\nname: ours\n---\n' });
    const { root: at } = folder;
    const plans = planAgentDocuments(at, 'registry', ['AGENTS.md', 's/ability-runtime/SKILL.md', 'registry/AGENTS.md']);
    expect(plans).toMatchObject([
      { status: 'broken', problems: [{ code: 'docs.not_ours', suggestion: expect.stringContaining(OPENS) }] },
      { status: 'broken', problems: [{ code: 'docs.not_ours', suggestion: expect.stringContaining('Move it away') }] },
      { status: 'planned', before: undefined },
    ]);
    expect(existsSync(join(at, 'registry/AGENTS.md'))).toBe(false);
  });
});
