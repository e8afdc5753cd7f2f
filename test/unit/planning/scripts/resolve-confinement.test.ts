import { describe, expect, test } from 'vitest';
import type { Confinement } from '../../../../src/definitions/formats/sandbox.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { resolvePlan } from '../../../../src/planning/resolve/resolve-plan.js';
import { resolveConfinement } from '../../../../src/planning/scripts/resolve-confinement.js';
import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, temporaryProject } from '../../temporary-project.js';

const from = {
  value: {},
  file: 'op.yaml',
  locate: (path: readonly PropertyKey[]) => ({ file: 'op.yaml', line: 1, column: 1, at: path.join('.') }),
};
const MIB = 1024 * 1024;

/** What a definition and a policy give on a machine with every program, but those that are missing. */
function planned(own: object, policy: object = {}, missing: string[] = []) {
  const registry = { root: '/srv/project', project: { policy } } as never;
  const machine = {
    inherited: () => '/bin',
    hasProgram: (places: readonly string[]) => !missing.some((name) => places.includes(`/bin/${name}`)),
  };
  return resolveConfinement(registry, own as Confinement, { from: from as never, path: [] }, machine);
}
const paths = (read: string[], write: string[] = []) => ({ network: 'none', read, write });

describe('a sandbox', () => {
  test('is narrow where it says nothing', () => {
    expect(planned({ sandbox: paths([]) })).toEqual({ sandbox: { read: [], write: [], allowed_hosts: [] } });
    expect(planned({})).toEqual({});
  });

  test('of the policy is that of what states none, and the bound of what states one', () => {
    const policy = { sandbox: paths(['data', '/opt/tool'], ['out']), allowed_hosts: ['a.test'] };
    expect(planned({}, policy)).toEqual({
      sandbox: { read: ['data', '/opt/tool'], write: ['out'], allowed_hosts: [] },
    });
    const own = paths(['data/in', 'out'], ['out/mine']);
    expect(planned({ sandbox: own }, policy).sandbox).toEqual({
      read: ['data/in', 'out'],
      write: ['out/mine'],
      allowed_hosts: [],
    });
    for (const [wider, at] of [
      [paths(['lib']), 'sandbox.read.0'],
      [paths([], ['out', 'data']), 'sandbox.write.1'],
      [{ ...paths([]), network: 'hosts' }, 'sandbox.network'],
    ] as const) {
      const error = errorOf(() => planned({ sandbox: wider }, policy));
      expect(error).toMatchObject({ code: 'definition.invalid', location: { at } });
    }
  });

  test('with hosts has those of the policy, and is refused without any', () => {
    const sandbox = { ...paths([]), network: 'hosts' };
    expect(planned({ sandbox }, { allowed_hosts: ['a.test'] }).sandbox?.allowed_hosts).toEqual(['a.test']);
    for (const policy of [{}, { allowed_hosts: [] }]) {
      expect(errorOf(() => planned({ sandbox }, policy))).toMatchObject({ location: { at: 'sandbox.network' } });
    }
  });

  test.each([
    ['..', 'has `.system`'],
    ['data/../../other', 'leads out of the project'],
    ['.', 'has `.system`'],
    ['.system', 'has `.system`'],
    ['.system/keys', 'has `.system`'],
    ['/srv', 'has `.system`'],
    ['/', 'has `.system`'],
    ['/proc/1', 'is a folder of the kernel'],
    ['/dev', 'is a folder of the kernel'],
  ])('does not open %s', (path, why) => {
    for (const sandbox of [paths([path]), paths([], [path])]) {
      const error = errorOf(() => planned({ sandbox }));
      expect(error).toMatchObject({ code: 'definition.invalid', message: expect.stringContaining(why) });
    }
    expect(planned({ sandbox: paths(['.systemd', '/srv/other']) }).sandbox?.read).toEqual(['.systemd', '/srv/other']);
  });
});

describe('limits', () => {
  test('are in bytes and seconds, the least of what was stated', () => {
    const own = { sandbox: paths([]), limits: { memory: '1GiB', cpu: '1500ms', processes: 9, user: 'mine' } };
    expect(planned(own).limits).toEqual({ memory: 1024 * MIB, cpu: 2, processes: 9, user: 'mine' });
    const policy = { limits: { memory: '512MiB', cpu: '1m', user: 'apart' } };
    expect(planned(own, policy).limits).toEqual({ memory: 512 * MIB, cpu: 2, processes: 9, user: 'apart' });
    expect(planned({}, policy).limits).toEqual({ memory: 512 * MIB, cpu: 60, user: 'apart' });
  });

  test('of processes need a box, in which they are counted', () => {
    const limits = { processes: 9 };
    for (const act of [() => planned({ limits }), () => planned({}, { limits })]) {
      expect(errorOf(act)).toMatchObject({ code: 'definition.invalid', location: { at: 'limits.processes' } });
    }
  });
});

test.each([
  ['bwrap', { sandbox: paths([]) }],
  ['prlimit', { limits: { cpu: '1s' } }],
])('without %s a plan is refused', (program, own) => {
  expect(errorOf(() => planned(own, {}, [program]))).toMatchObject({
    code: 'sandbox.unavailable',
    message: expect.stringContaining(program),
  });
  expect(planned({}, {}, [program])).toEqual({});
});

test('every plan of a process has it: scripts, guards, stdio servers and programs that are models', () => {
  const policy = { allowed_hosts: ['a.test'], sandbox: { read: ['data'] } };
  const own = { sandbox: { read: ['data/in'] } };
  const files: ProjectFiles = {
    'ability.yaml': JSON.stringify({
      ...{ format: 1, project: 'p', environments: { dev: {} }, policy },
      models: { default: { command: { path: 's.mjs', ...own } } },
    }),
    's.mjs': '// nothing',
    ...lowLevel('op', `implementation: ${JSON.stringify({ kind: 'script', script: { path: 's.mjs', ...own } })}`),
    ...lowLevel('bare', 'implementation: { kind: script, script: { path: s.mjs } }'),
    ...lowLevel('tool', 'implementation: { kind: mcp, mcp: { server: logs, tool: t } }'),
    'registry/config/servers.yaml': JSON.stringify({ mcp_servers: { logs: { command: 'node', ...own } } }),
    'registry/hooks/PreAbilityCall.yaml': JSON.stringify({
      hooks: [{ id: 'guard', blocking: true, match: {}, handler: { script: { path: 's.mjs', ...own } } }],
    }),
    'registry/high-level/helper.yaml': 'id: helper\ntype: agent\nsummary: s\ninstructions: i\n',
  };
  const registry = loadRegistry(temporaryProject(files).root);
  const operationOf = (key: string) => resolvePlan(registry, key, 'dev').plan.operations;
  const reads = (path: string) => ({ read: [path], write: [], allowed_hosts: [] });
  const { op } = operationOf('op');
  expect(op?.implementation).toMatchObject({ script: { sandbox: reads('data/in') } });
  expect(op?.hooks.pre_call[0]?.handler).toMatchObject({ script: { sandbox: reads('data/in') } });
  expect(operationOf('bare').bare?.implementation).toMatchObject({ script: { sandbox: reads('data') } });
  expect(operationOf('tool').tool?.implementation).toMatchObject({ mcp: { server: { sandbox: reads('data/in') } } });
  const model = Object.values(operationOf('helper')).find(({ implementation }) => implementation.kind === 'model');
  expect(model?.implementation).toMatchObject({ model: { script: { sandbox: reads('data/in') } } });
});
