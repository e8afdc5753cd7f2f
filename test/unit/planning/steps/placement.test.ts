import { describe, expect, test } from 'vitest';
import { PLACEMENTS } from '../../../../src/contracts/names.js';
import { RegistryLoader } from '../../../../src/definitions/load-registry.js';
import { PLACEMENT_RULES } from '../../../../src/definitions/registry.js';
import {
  DEFAULT_CLOUD_SERVERS,
  DEFAULT_LOCAL_SERVERS,
  extractServerName,
  isCloudServer,
  isLocalServer,
  placementOfTool,
  placementRules,
  resolvePlacement,
} from '../../../../src/planning/steps/placement.js';
import { registryOf, temporaryProject } from '../../temporary-project.js';

const rules = placementRules({});

test('R-001-10: a placement is local or cloud, and nothing else', () => {
  expect([...PLACEMENTS].sort()).toEqual(['cloud', 'local']);
});

describe('R-001-11: the server of a tool', () => {
  test.each([
    ['filesystem:read_file', 'filesystem'],
    ['fs:read', 'fs'],
    ['memory:store', 'memory'],
    ['mcp__code__analyze', 'code'],
    ['shell', 'shell'],
    [' mcp__a__b:tool ', 'mcp__a__b'],
  ])('of %s is %s', (tool, server) => {
    expect(extractServerName(tool)).toBe(server);
  });
});

describe('R-001-12, R-001-17: where a server may run', () => {
  test.each(['filesystem', 'sqlite', 'unknown-server', ''])('C-28: %j is local', (server) => {
    expect([isLocalServer(server, rules), isCloudServer(server, rules)]).toEqual([true, false]);
  });

  test.each(['tavily', 'memory'])('%s may run in the cloud', (server) => {
    expect([isLocalServer(server, rules), isCloudServer(server, rules)]).toEqual([false, true]);
  });

  test('R-001-13: the nine servers that access their own machine are local', () => {
    expect(DEFAULT_LOCAL_SERVERS).toHaveLength(9);
    const named = ['filesystem', 'fs', 'process', 'shell', 'docker', 'kubernetes', 'ssh', 'sqlite', 'archive'];
    expect(named.filter((server) => !isLocalServer(server, rules))).toEqual([]);
    expect([...DEFAULT_LOCAL_SERVERS].sort()).toEqual([...named].sort());
  });

  test('R-001-14, C-28: every server that the examples treat as cloud is a cloud server', () => {
    const named = ['memory', 'tavily', 'pml', 'json', 'github', 'slack', 'api', 'http'];
    expect([...DEFAULT_CLOUD_SERVERS].sort()).toEqual(named.sort());
    expect(named.every((server) => isCloudServer(server, rules))).toBe(true);
  });
});

describe('R-001-17: where a tool runs', () => {
  test.each([
    ['filesystem:read_file', 'local'],
    ['mcp__memory__store', 'cloud'],
    [':nameless', 'local'],
  ] as const)('%s is %s', (tool, placement) => {
    expect(placementOfTool(tool, rules)).toBe(placement);
  });
});

describe('R-001-15, R-001-28: where an ability runs that uses tools', () => {
  test.each([
    ['R-001-02', ['filesystem:read_file', 'pml:search'], undefined, 'local'],
    ['R-001-03', ['pml:search', 'tavily:search', 'memory:store'], undefined, 'cloud'],
    ['R-001-06, any local one decides', ['memory:store', 'filesystem:read'], undefined, 'local'],
    ['R-001-28, all of the cloud', ['memory:store', 'tavily:search'], undefined, 'cloud'],
    ['R-001-05, none', [], undefined, 'cloud'],
    ['R-001-04, written', ['filesystem:read_file'], 'cloud', 'cloud'],
    ['R-001-04, written the other way', ['memory:store'], 'local', 'local'],
    ['R-001-21, C-30: null', null, undefined, 'cloud'],
    ['R-001-21, C-30: blank names only', ['', '  ', null, undefined], undefined, 'cloud'],
    ['R-001-21: blank names beside one of a server', ['', null, 'docker:ps'], undefined, 'local'],
  ] as const)('%s: %j, %s -> %s', (_, tools, explicit, placement) => {
    expect(resolvePlacement(tools, rules, explicit)).toBe(placement);
  });
});

describe('R-001-16: what a project writes', () => {
  const head = 'format: 1\nproject: acme\nenvironments: { dev: {} }\n';
  const at = (yaml: string) => registryOf({ 'ability.yaml': head + yaml });

  test('C-28: an empty configuration keeps the built-in lists', () => {
    expect(placementRules(at('').project.placement)).toEqual({
      cloud: DEFAULT_CLOUD_SERVERS,
      local: DEFAULT_LOCAL_SERVERS,
    });
  });

  test('R-001-16: only the servers listed as cloud are cloud; every other server is local', () => {
    const own = placementRules(at('placement: { cloud: [search] }').project.placement);
    expect(['search', 'memory', 'unknown-server'].map((name) => placementOfTool(name, own))).toEqual([
      'cloud',
      'local',
      'local',
    ]);
  });

  test('C-29: a server listed as both is local', () => {
    const own = placementRules(at('placement: { cloud: [search], local: [search] }').project.placement);
    expect(isLocalServer('search', own)).toBe(true);
  });

  test('R-001-19, C-28: a list that is invalid is reported, and the built-in lists apply instead', () => {
    const registry = at('placement: { cloud: memory }');
    expect(placementRules(registry.project.placement)).toEqual(placementRules({}));
    expect(registry.problems).toEqual([
      expect.objectContaining({ code: 'definition.invalid', location: { file: 'ability.yaml', line: 4, column: 21 } }),
    ]);
    expect(registry.broken.get(PLACEMENT_RULES)?.suggestion).toMatch(/Until then the built-in lists of servers apply/);
  });

  test('R-001-19: the built-in lists also apply for an unknown key, but any other error there still refuses the file', () => {
    expect(placementRules(at('placement: { clod: [memory] }').project.placement)).toEqual(placementRules({}));
    expect(() => at('placement: { clod: [memory] }\npeople: 7')).toThrow(/Unknown key|people/);
  });

  test('R-001-18, R-001-20, R-001-27: each load reads the file, so a change applies at once, also to a new loader, and no first access comes too early', () => {
    const project = temporaryProject({ 'ability.yaml': `${head}placement: { cloud: [search] }` });
    const loader = new RegistryLoader(project.root);
    const rulesNow = () => placementRules(loader.load().project.placement);
    expect(isCloudServer('search', rulesNow())).toBe(true);
    project.write({ 'ability.yaml': `${head}placement: { cloud: [] }` });
    expect(isCloudServer('search', rulesNow())).toBe(false);
    const started = placementRules(new RegistryLoader(project.root).load().project.placement);
    expect(started).toEqual(rulesNow());
  });
});

test('R-001-08: a user has no placement of their own; a project that configures one gets an error', () => {
  const registry = registryOf({
    'ability.yaml':
      'format: 1\nproject: acme\nenvironments: { dev: {} }\nplacement: { user_routing_overrides: { ann: { github: local } } }\n',
  });
  expect(registry.problems).toMatchObject([
    { code: 'definition.invalid', location: { file: 'ability.yaml', line: 4 } },
  ]);
  expect(placementRules(registry.project.placement)).toEqual(placementRules({}));
});

test('R-001-29, C-33: the suite has 33 cases, grouped as in the source', ({ task }) => {
  const groups = task.file.tasks.flatMap((group) => (group.type === 'suite' ? [group] : []));
  expect(groups.map(({ name, tasks }) => [name.replace(/^.*: /, ''), tasks.length])).toEqual([
    ['the server of a tool', 6],
    ['where a server may run', 8],
    ['where a tool runs', 3],
    ['where an ability runs that uses tools', 10],
    ['what a project writes', 6],
  ]);
});
