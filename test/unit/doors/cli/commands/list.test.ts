import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../../../src/contracts/states.js';
import { PACKS_VARIABLE } from '../../../../../src/definitions/find-project.js';
import { findExpected } from '../../../../../src/doors/cli/commands/completion/completion.js';
import { run } from '../../../../../src/doors/cli/commands/list.js';
import type { Context } from '../../../../../src/doors/cli/program/context.js';
import { buildProgram } from '../../../../../src/doors/cli/program/program.js';
import type { ProjectFiles } from '../../../../fixtures/project-folder.js';
import { NOWHERE, SILENT_TERMINAL } from '../../../../fixtures/silent-terminal.js';
import { lowLevel, SCRIPT, SCRIPT_FILE, temporaryProject } from '../../../temporary-project.js';

const FILES: ProjectFiles = {
  'ability.yaml':
    'format: 1\nproject: p\nenvironments: { dev: {}, shut: { network: false }, closed: { network: false } }\n',
  ...SCRIPT_FILE,
  ...lowLevel('op.draw', SCRIPT),
  'registry/capabilities.yaml':
    'capabilities:\n  charting: { description: Draws., keywords: [chart, plot], needs: network }\n',
  'registry/packs.yaml': [
    'specialists:',
    '  charts: { description: Draws charts., workflow: op.draw, capabilities: [charting], builder: "a.b:c" }',
    '  research: { description: Reads., workflow: reads, keywords: [book] }',
  ].join('\n'),
};

/** What a list prints, as text and as JSON. */
async function list(flags: Parameters<typeof run>[2], more: Partial<Context> = {}, files = FILES) {
  const { root } = temporaryProject(files);
  const output = { text: '', notes: '', json: undefined as unknown };
  const terminal: Context['terminal'] = {
    ...SILENT_TERMINAL,
    print: (text) => (output.text += text),
    note: (text) => (output.notes += text),
    printJson: (value) => {
      output.json = value;
    },
  };
  const given = { ...NOWHERE, cwd: root, terminal, ...more };
  // A command that returns nothing has succeeded.
  expect(await run(given, [], flags)).toBeUndefined();
  expect(await run({ ...given, flags: { ...given.flags, json: true } }, [], flags)).toBeUndefined();
  return output;
}

describe('ability list --packs', () => {
  test('R-004-14, C-48: reports what each pack contains, runs and comes from; its builder is only shown', async () => {
    const { text, json, notes } = await list({ packs: true });
    expect(json).toMatchObject([
      { id: 'engineering', from: 'built-in', workflow_defined: false, builder: null },
      {},
      {},
    ]);
    expect((json as unknown[]).slice(1)).toEqual([
      {
        id: 'research',
        description: 'Reads.',
        capabilities: [],
        keywords: ['book'],
        workflow: 'reads',
        workflow_defined: false,
        builder: null,
        from: 'registry/packs.yaml:3',
        dropped: [],
      },
      {
        id: 'charts',
        description: 'Draws charts.',
        capabilities: ['charting'],
        keywords: [],
        workflow: 'op.draw',
        workflow_defined: true,
        builder: 'a.b:c',
        from: 'registry/packs.yaml:2',
        dropped: [{ capability: 'charting', environments: ['shut', 'closed'] }],
      },
    ]);
    expect(text.split('\n\n').at(-1)).toBe(
      [
        'charts  registry/packs.yaml:2',
        '  Draws charts.',
        '  capabilities: charting (not in shut, closed)',
        '  keywords: none',
        '  workflow: op.draw',
        '  builder: a.b:c (never executed)',
      ].join('\n'),
    );
    expect(text).toContain('  workflow: reads (not defined in this project)');
    expect(notes).toBe('');
  });

  test('C-41: reports what the selected environment drops', async () => {
    const droppedIn = async (more: Partial<Context>) =>
      ((await list({ packs: true }, more)).json as { dropped: unknown }[]).at(-1)?.dropped;
    expect(await droppedIn({ flags: { env: 'dev' } })).toEqual([]);
    expect(await droppedIn({ env: { ABILITY_ENV: 'shut' } })).toEqual([
      { capability: 'charting', environments: ['shut'] },
    ]);
    await expect(list({ packs: true }, { flags: { env: 'none' } })).rejects.toMatchObject({
      code: 'environment.not_found',
    });
  });

  test('R-004-14: reports the file that CONCIERGE_CONFIG_PATH names, and what is wrong with it', async () => {
    const mine = { 'mine.yaml': 'specialists: { mine: { description: d, workflow: op.draw } }' };
    const env = { CONCIERGE_CONFIG_PATH: 'mine.yaml' };
    const { json } = await list({ packs: true }, { env }, { ...FILES, ...mine });
    expect(json).toMatchObject([{ id: 'engineering' }, { id: 'research' }, { id: 'mine', from: 'mine.yaml:1' }]);
    expect((await list({ packs: true }, { env })).notes).toContain('which is not there');
  });
});

describe('ability list --capabilities', () => {
  test('R-004-02 to R-004-07: lists the keywords and packs of each, in order', async () => {
    const { text, json } = await list({ capabilities: true });
    const capabilities = json as { id: string; packs: string[] }[];
    expect(capabilities.map(({ id, packs }) => [id, packs])).toEqual([
      ['code_execution', ['engineering']],
      ['software_testing', ['engineering']],
      ['file_io', ['engineering']],
      ['systematic_review', []],
      ['citation_extraction', []],
      ['web_search', []],
      ['charting', ['charts']],
    ]);
    expect(capabilities.at(-1)).toEqual({
      id: 'charting',
      description: 'Draws.',
      keywords: ['chart', 'plot'],
      needs: 'network',
      packs: ['charts'],
      from: 'registry/capabilities.yaml:2',
      dropped_in: ['shut', 'closed'],
    });
    expect(text).toMatch(
      /\ncharting +charts +registry\/capabilities\.yaml:2 +network, not in shut, closed +chart, plot +Draws\.$/,
    );
    expect(text).toMatch(/\nweb_search +none +built-in +network, not in shut, closed +search the web, /);
  });
});

describe('the command line', () => {
  const program = () => buildProgram(NOWHERE, { exit: EXIT.ok });

  test('completes both flags', () => {
    const { candidates } = findExpected(program(), ['list', '--']) as { candidates: { value: string }[] };
    expect(candidates.map(({ value }) => value)).toEqual(expect.arrayContaining(['--packs', '--capabilities']));
  });

  test.each([
    ['--packs', '--usage'],
    ['--capabilities', '--packs'],
    ['--usage', '--capabilities'],
  ])('refuses %s together with %s', (...flags) => {
    expect(() => program().parse(['list', ...flags], { from: 'user' })).toThrow('cannot be used with');
  });
});

test.each([{ flags: { ...NOWHERE.flags, env: 'nope' } }, { env: { ABILITY_ENV: 'nope' } }])(
  'an unknown environment is refused: %j',
  async (more) => {
    const { root } = temporaryProject(FILES);
    await expect(run({ ...NOWHERE, cwd: root, ...more }, [], {})).rejects.toMatchObject({
      code: 'environment.not_found',
    });
  },
);

describe('the stored list of a project that has run something', () => {
  const definition = 'registry/low-level/op.draw.yaml';

  function stored(more: ProjectFiles = {}) {
    const { root } = temporaryProject({ ...FILES, ...more });
    mkdirSync(join(root, '.system'));
    const cache = join(root, '.system/cache/list.json');
    const ids = async (changes: Partial<Context> = {}): Promise<string[]> => {
      const printed: { id: string; summary: string }[] = [];
      const terminal = { ...SILENT_TERMINAL, printJson: (value: unknown) => void printed.push(...(value as [])) };
      const context = { ...NOWHERE, cwd: root, terminal, ...changes };
      await run({ ...context, flags: { ...context.flags, ...changes.flags, json: true } }, [], {});
      return printed.map(({ id, summary }) => `${id}: ${summary}`);
    };
    return { root, cache, ids };
  }

  test('answers as long as no byte of a definition has changed', async () => {
    const { root, cache, ids } = stored();
    const first = await ids();
    const kept = JSON.parse(readFileSync(cache, 'utf8'));
    kept.answer.abilities[0].summary = 'From the store.';
    writeFileSync(cache, JSON.stringify(kept));
    expect(await ids()).toEqual(['op.draw: From the store.']);
    const text = readFileSync(join(root, definition), 'utf8');
    writeFileSync(join(root, definition), text.replace(/summary: ./, 'summary: Z'));
    expect(await ids()).toEqual([first[0]?.replace(/: ./, ': Z')]);
  });

  test('is one for each environment', async () => {
    const { ids } = stored(lowLevel('op.dev', SCRIPT, 'scope: { environments: [dev] }'));
    const inShut = { flags: { ...NOWHERE.flags, env: 'shut' } };
    expect(await ids()).toHaveLength(2);
    expect(await ids(inShut)).toHaveLength(1);
    expect(await ids({ env: { ABILITY_ENV: 'dev' } })).toHaveLength(2);
  });

  test('reports the problems of the definitions each time', async () => {
    const { root } = stored({ 'registry/low-level/broken.yaml': 'operation_key: [' });
    for (const _ of ['first', 'stored']) {
      const notes: string[] = [];
      const terminal = { ...SILENT_TERMINAL, print: () => {}, note: (text: string) => void notes.push(text) };
      await run({ ...NOWHERE, cwd: root, terminal }, [], {});
      expect(notes.join()).toContain('registry/low-level/broken.yaml');
    }
  });

  test('is not used with a pack file elsewhere, and not made in a project without `.system`', async () => {
    const { cache, ids } = stored();
    await ids({ env: { [PACKS_VARIABLE]: 'packs.yaml' } });
    expect(existsSync(cache)).toBe(false);
    const { root } = temporaryProject(FILES);
    await run({ ...NOWHERE, cwd: root, terminal: { ...SILENT_TERMINAL, print: () => {} } }, [], {});
    expect(existsSync(join(root, '.system'))).toBe(false);
  });
});
