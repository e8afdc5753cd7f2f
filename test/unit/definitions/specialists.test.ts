import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recruitIn } from '../../../src/choosing/recruit/recruit.js';
import { RegistryLoader } from '../../../src/definitions/load-registry.js';
import type { Registry } from '../../../src/definitions/registry.js';
import { listSpecialists, packOf } from '../../../src/definitions/specialists.js';
import type { ProjectFiles } from '../../fixtures/project-folder.js';
import { errorOf } from '../error-of.js';
import { registryOf, temporaryProject } from '../temporary-project.js';

/** As in the document. */
const DOCUMENT = `# CONCIERGE_CONFIG_PATH YAML example
specialists:
  data_analysis:
    description: "Analyse datasets, produce charts, run statistical models."
    keywords: ["analyse", "dataset", "statistics", "chart"]
    workflow: data_analysis
    capabilities:
      - code_execution
      - file_io
    builder: "myorg.packs.data:build_data_analysis_pack"
`;
const CHARTS = 'capabilities:\n  charting: { description: Draws., keywords: [chart] }\n';
const pack = (id: string, more = ''): string => `specialists:\n  ${id}: { description: d, workflow: w${more} }\n`;

const packsOf = (registry: Registry) => listSpecialists(registry).packs;
const idsOf = (registry: Registry): string[] => packsOf(registry).map(({ id }) => id);
const chosenFor = (registry: Registry, prompt: string) => recruitIn(registry, { environment: 'dev', prompt });
const named = (root: string, path: string) => new RegistryLoader(root, { CONCIERGE_CONFIG_PATH: path });

describe('packs', () => {
  test('R-004-14, R-004-15, C-48: the pack of the document loads unchanged, after the built-in ones, and can be recruited', () => {
    const registry = registryOf({ 'registry/packs.yaml': DOCUMENT });
    expect(registry.problems).toEqual([]);
    expect(idsOf(registry)).toEqual(['engineering', 'research', 'data_analysis']);
    expect(packsOf(registry)[2]).toEqual({
      id: 'data_analysis',
      description: 'Analyse datasets, produce charts, run statistical models.',
      keywords: ['analyse', 'dataset', 'statistics', 'chart'],
      workflow: 'data_analysis',
      capabilities: ['code_execution', 'file_io'],
      builder: 'myorg.packs.data:build_data_analysis_pack',
      from: { file: 'registry/packs.yaml', line: 3, column: 3 },
    });
    expect(chosenFor(registry, 'a chart of the dataset')).toEqual({
      specialist_id: 'data_analysis',
      required_capabilities: [],
      routing_method: 'keyword_fallback',
    });
  });

  test('R-004-13: a pack with the id of a built-in one replaces it, at the same position', () => {
    const registry = registryOf({ 'registry/packs.yaml': pack('engineering', ', capabilities: [web_search]') });
    expect(idsOf(registry)).toEqual(['engineering', 'research']);
    expect(chosenFor(registry, 'web search').specialist_id).toBe('engineering');
    expect(chosenFor(registry, 'pytest').routing_method).not.toBe('capability_routing');
  });

  test('the built-in packs are used if there is no file', () => {
    const registry = registryOf({});
    expect(idsOf(registry)).toEqual(['engineering', 'research']);
    expect(listSpecialists(registry).capabilities).toHaveLength(6);
    expect(packsOf(registry).map(({ from }) => from)).toEqual([null, null]);
  });

  test('R-004-21: the pack that ran is the one whose workflow ran, and no other', () => {
    const two = ['a', 'b'].map((id) => `  ${id}: { description: d, workflow: own }\n`).join('');
    const registry = registryOf({ 'registry/packs.yaml': `specialists:\n${two}` });
    expect(packOf(registry, 'engineering', ['research', 'op.read'])).toBe('research');
    expect(packOf(registry, 'b', ['own'])).toBe('b');
    expect(packOf(registry, 'research', ['own'])).toBe('a');
    expect(packOf(registry, 'research', ['op.read'])).toBeNull();
    expect(packOf(registry, 'research', [])).toBeNull();
  });

  test('are in .system/registry in a project that has it', () => {
    expect(idsOf(registryOf({ '.system/registry/packs.yaml': pack('own') }))).toContain('own');
  });
});

describe('R-004-14, C-48: the file that CONCIERGE_CONFIG_PATH names', () => {
  test('is read in place of registry/packs.yaml, also outside of the project', () => {
    const other = temporaryProject({ 'config.yaml': DOCUMENT });
    const { root } = temporaryProject({ 'registry/packs.yaml': pack('own'), 'mine.yaml': pack('mine') });
    const registry = named(root, join(other.root, 'config.yaml')).load();
    expect(registry.problems).toEqual([]);
    expect(idsOf(registry)).toEqual(['engineering', 'research', 'data_analysis']);
    expect(idsOf(named(root, 'mine.yaml').load())).toContain('mine');
    expect(idsOf(named(root, '').load())).toContain('own');
  });

  test('is not part of the project, so that the definitions are the same with it', () => {
    const { root } = temporaryProject({ 'mine.yaml': pack('mine') });
    expect(named(root, 'mine.yaml').load().digest).toBe(new RegistryLoader(root, {}).load().digest);
  });

  test('is reported if it is missing, and then no one is recruited', () => {
    const { root } = temporaryProject({ 'registry/packs.yaml': pack('own') });
    const registry = named(root, 'none.yaml').load();
    expect(registry.problems).toMatchObject([{ code: 'definition.invalid', location: { file: 'none.yaml' } }]);
    expect(errorOf(() => chosenFor(registry, 'pytest')).message).toContain('CONCIERGE_CONFIG_PATH names none.yaml');
  });
});

describe('a broken file recruits no one, rather than another pack', () => {
  test.each<[string, ProjectFiles, string]>([
    ['a key that no pack has', { 'registry/packs.yaml': pack('own', ', model: big') }, 'definition.invalid'],
    [
      'a pack without a workflow',
      { 'registry/packs.yaml': 'specialists: { own: { description: d } }' },
      'definition.invalid',
    ],
    ['a file of something else', { 'registry/packs.yaml': 'packs: {}' }, 'definition.invalid'],
    ['YAML that is none', { 'registry/packs.yaml': 'specialists: [' }, 'definition.syntax'],
    [
      'no keywords',
      { 'registry/capabilities.yaml': 'capabilities: { a: { description: d, keywords: [] } }' },
      'definition.invalid',
    ],
    [
      'a blank keyword',
      { 'registry/capabilities.yaml': 'capabilities: { a: { description: d, keywords: [" "] } }' },
      'definition.invalid',
    ],
    [
      'another need',
      { 'registry/capabilities.yaml': 'capabilities: { a: { description: d, keywords: [b], needs: gpu } }' },
      'definition.invalid',
    ],
    [
      'one pack in two files',
      { 'registry/packs.yaml': pack('own'), 'registry/packs.yml': pack('own') },
      'definition.duplicate',
    ],
    ['a name nearly right', { 'registry/capabilites.yaml': CHARTS }, 'definition.unread'],
    ['another name nearly right', { 'registry/pack.yml': pack('own') }, 'definition.unread'],
  ])('%s', (_, files, code) => {
    const registry = registryOf(files);
    expect(registry.problems.map((problem) => problem.code)).toContain(code);
    expect(errorOf(() => chosenFor(registry, 'pytest'))).toMatchObject({ code });
  });

  test('a link that leads out of the project', () => {
    const other = temporaryProject({ 'packs.yaml': pack('own') });
    const { root } = temporaryProject({ 'registry/low-level/.keep': '' });
    symlinkSync(join(other.root, 'packs.yaml'), join(root, 'registry/packs.yaml'));
    const registry = new RegistryLoader(root, {}).load();
    expect(registry.problems).toMatchObject([{ message: expect.stringContaining('out of the project') }]);
    expect(errorOf(() => chosenFor(registry, 'pytest')).code).toBe('definition.invalid');
  });

  test('other files that are not read have no effect', () => {
    const registry = registryOf({ 'registry/notes.yaml': 'a: 1\n' });
    expect(registry.problems).toMatchObject([{ code: 'definition.unread' }]);
    expect(chosenFor(registry, 'pytest').specialist_id).toBe('engineering');
  });
});

test('R-004-01, R-004-13, R-004-14: a capability and a pack are added and removed by YAML alone in the life of a loader', () => {
  const project = temporaryProject({});
  const loader = new RegistryLoader(project.root, {});
  expect(chosenFor(loader.load(), 'a chart')).toMatchObject({ required_capabilities: [] });
  project.write({ 'registry/capabilities.yaml': CHARTS });
  expect(chosenFor(loader.load(), 'a chart')).toMatchObject({
    required_capabilities: ['charting'],
    routing_method: 'heuristic_fallback',
  });
  project.write({ 'registry/packs.yaml': pack('charts', ', capabilities: [charting]') });
  expect(chosenFor(loader.load(), 'test a chart')).toMatchObject({
    specialist_id: 'engineering',
    required_capabilities: ['software_testing', 'charting'],
  });
  expect(chosenFor(loader.load(), 'a chart')).toEqual({
    specialist_id: 'charts',
    required_capabilities: ['charting'],
    routing_method: 'capability_routing',
  });
  rmSync(join(project.root, 'registry/packs.yaml'));
  expect(idsOf(loader.load())).toEqual(['engineering', 'research']);
});
