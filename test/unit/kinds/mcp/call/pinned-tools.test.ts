import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../../../src/contracts/plan.js';
import { importFile } from '../../../../../src/definitions/read-imports.js';
import { definitionOf, toolDigest } from '../../../../../src/kinds/mcp/call/listed-tools.js';
import { PinnedTools } from '../../../../../src/kinds/mcp/call/pinned-tools.js';
import { SecretSource } from '../../../../../src/planning/secrets/secret-source.js';
import { digestOf } from '../../../../../src/rules/canonical.js';
import { temporaryProject } from '../../../temporary-project.js';
import { type Behaviour, fakeConnection, poolOf, SERVER, toolNamed } from './fake-connection.js';

const TOOL = toolNamed('do', { description: 'Does it.' });
const DIGEST = toolDigest(TOOL as never);
const CHANGED = toolNamed('do', { description: 'Does more.' });
const NO_HOOKS = { pre_create: [], pre_call: [], post_call: [] };
const DOWN = new Error('pipe broken');

/** A store in memory, which accepts nothing if it is full. */
function memoryStore(isFull = false) {
  const kept = new Map<string, string>();
  return {
    kept,
    put: async (bytes: Uint8Array) => {
      if (isFull) throw new Error('disk full');
      const text = Buffer.from(bytes).toString();
      kept.set(digestOf(JSON.parse(text)), text);
      return '';
    },
    holds: async (digest: string) => kept.has(digest),
    get: async (digest: string) => {
      const text = kept.get(digest);
      if (text === undefined) throw new Error('not there');
      return Buffer.from(text);
    },
  };
}

/** An operation that calls a tool. */
const calling = (key: string, tool = 'do', mcp: object = {}) => ({
  key,
  hooks: NO_HOOKS,
  implementation: {
    id: key,
    kind: 'mcp',
    timeout_ms: 20_000,
    mcp: { server: SERVER, tool, output: 'structured', ...mcp },
  },
});
const asking = (operation: object) => ({ id: 'h', handler: { kind: 'ability', operation } });

interface Given extends Behaviour {
  isProtected?: boolean;
  hooks?: object;
  isFull?: boolean;
  root?: string;
}

/** Pins the tools of a plan with these operations, as one server describes them. */
async function pin(
  operations: object[],
  { isProtected = false, hooks = NO_HOOKS, isFull, root, ...server }: Given = {},
) {
  const { connection } = fakeConnection({ tools: [TOOL], ...server });
  const store = memoryStore(isFull);
  const tools = new PinnedTools(poolOf(connection), store, root ?? '/nowhere');
  const plan = {
    ability: { id: 'a', kind: 'workflow', hooks },
    operations: Object.fromEntries(operations.map((each) => [(each as { key: string }).key, each])),
    environment: { name: 'dev', protected: isProtected, vars: {} },
  } as unknown as Plan;
  const call = { secrets: new SecretSource('/nowhere', 'dev', {}), signal: new AbortController().signal };
  const pinned = await tools.pin(plan, call);
  return { ...pinned, given: plan, kept: store.kept };
}
const pinIn = (operation: unknown) =>
  (operation as ReturnType<typeof calling> & { implementation: { mcp: { pinned?: string } } }).implementation.mcp
    .pinned;

describe('a plan', () => {
  test('that calls no tool is unchanged', async () => {
    const script = { key: 's', hooks: NO_HOOKS, implementation: { id: 's', kind: 'script', script: {} } };
    const { plan, given, warnings } = await pin([script]);
    expect(plan).toBe(given);
    expect(warnings).toEqual([]);
  });

  test('gets the digest of each tool that it calls, and the store gets its description', async () => {
    const other = toolNamed('other');
    const script = { key: 's', hooks: NO_HOOKS, implementation: { id: 's', kind: 'script', script: {} } };
    const { plan, warnings, kept } = await pin([calling('one'), calling('two', 'other'), script], {
      tools: [TOOL, other],
    });
    expect(pinIn(plan.operations.one)).toBe(DIGEST);
    expect(pinIn(plan.operations.two)).toBe(toolDigest(other as never));
    expect(plan.operations.s).toBe(script);
    expect(warnings).toEqual([]);
    expect(JSON.parse(kept.get(DIGEST) ?? '')).toEqual(definitionOf(TOOL as never));
  });

  test('gets the digests of the tools that its hooks call', async () => {
    const { plan } = await pin([], { hooks: { ...NO_HOOKS, pre_call: [asking(calling('guard'))] } });
    const [hook] = plan.ability.hooks.pre_call as never as { handler: { operation: object } }[];
    expect(pinIn(hook?.handler.operation)).toBe(DIGEST);
  });

  test('has one warning for a tool that several parts call', async () => {
    const guard = asking(calling('guard'));
    const { warnings } = await pin([], { hooks: { ...NO_HOOKS, pre_call: [guard], post_call: [guard] }, tools: DOWN });
    expect(warnings).toHaveLength(1);
  });
});

describe('a tool that cannot be inspected', () => {
  test('is a warning with the reason, and remains unpinned', async () => {
    const { plan, warnings } = await pin([calling('one')], { tools: DOWN, stderr: 'no database' });
    expect(warnings).toEqual([expect.stringMatching(/^one is not pinned.* do .*pipe broken$/)]);
    expect(pinIn(plan.operations.one)).toBeUndefined();
  });

  test('is only a warning if its definition pins it, since it is compared when it is called', async () => {
    const { plan, warnings } = await pin([calling('one', 'do', { pinned: DIGEST })], {
      tools: DOWN,
      isProtected: true,
    });
    expect(warnings).toEqual([expect.stringMatching(/^one: do cannot be inspected now.*pipe broken$/)]);
    expect(pinIn(plan.operations.one)).toBe(DIGEST);
  });

  test.each<[string, unknown[] | Error, string, string]>([
    ['whose server is down', DOWN, 'unavailable.connection', 'MCP server files is up'],
    ['that is not listed', [], 'mcp.tool_missing', 'Its tools'],
  ])('%s keeps a task out of a protected environment', async (_, tools, seen, suggestion) => {
    await expect(pin([calling('one')], { tools, isProtected: true })).rejects.toMatchObject({
      code: 'mcp.not_pinned',
      details: { server: 'files', tool: 'do', seen },
      suggestion: expect.stringContaining(suggestion),
    });
  });

  test('because its answer cannot be read is reported as such', async () => {
    const unreadable = {
      askTools: () => {
        throw new RangeError('too deep');
      },
    };
    const tools = new PinnedTools(poolOf(unreadable as never), memoryStore(), '/nowhere');
    const plan = {
      ability: { id: 'a', kind: 'workflow', hooks: NO_HOOKS },
      operations: { one: calling('one') },
      environment: { name: 'dev', protected: false, vars: {} },
    } as unknown as Plan;
    const call = { secrets: new SecretSource('/nowhere', 'dev', {}), signal: new AbortController().signal };
    const { warnings } = await tools.pin(plan, call);
    expect(warnings).toEqual([expect.stringContaining('list of tools cannot be read: too deep')]);
  });
});

test('a tool that can be inspected may be pinned in a protected environment', async () => {
  const { plan, warnings } = await pin([calling('one')], { isProtected: true });
  expect([pinIn(plan.operations.one), warnings]).toEqual([DIGEST, []]);
});

test('while a task is planned, a server gets ten seconds at most, and no more than a call of it', async () => {
  const timeouts: number[] = [];
  const tools = new PinnedTools(
    { use: async (_: object, { timeoutMs }: { timeoutMs: number }) => timeouts.push(timeoutMs) && TOOL } as never,
    memoryStore(),
    '/nowhere',
  );
  const short = { ...calling('two'), implementation: { ...calling('two').implementation, timeout_ms: 700 } };
  const plan = {
    ability: { id: 'a', kind: 'workflow', hooks: NO_HOOKS },
    operations: { one: calling('one'), two: short },
    environment: { name: 'dev', protected: false, vars: {} },
  };
  await tools.pin(plan as never, {
    secrets: new SecretSource('/nowhere', 'dev', {}),
    signal: new AbortController().signal,
  });
  expect(timeouts).toEqual([10_000, 700]);
});

test('a description that cannot be stored is a warning, and the tool is pinned', async () => {
  const { plan, warnings } = await pin([calling('one')], { isFull: true });
  expect(warnings).toEqual([expect.stringMatching(/description of do could not be stored \(disk full\)/)]);
  expect(pinIn(plan.operations.one)).toBe(DIGEST);
});

describe('a tool pinned by its definition', () => {
  const pinned = calling('one', 'do', { pinned: DIGEST });

  test('may be called while its description is unchanged', async () => {
    const { plan, warnings } = await pin([pinned]);
    expect([pinIn(plan.operations.one), warnings]).toEqual([DIGEST, []]);
  });

  test('is refused if its description has changed', async () => {
    await expect(pin([pinned], { tools: [CHANGED] })).rejects.toMatchObject({ code: 'mcp.definition_changed' });
  });

  /** A project that imported the tool. */
  const imported = () => {
    const { root, write } = temporaryProject();
    const state = {
      format: 1,
      kind: 'mcp',
      name: 'files',
      location: 'x',
      prefix: 'files',
      operations: {},
      pinned: { [DIGEST]: definitionOf(TOOL as never) },
    };
    write({ [importFile(root, 'mcp', 'files').slice(root.length + 1)]: JSON.stringify(state) });
    return root;
  };

  test('is compared with its description at the import', async () => {
    await expect(pin([pinned], { tools: [CHANGED], root: imported() })).rejects.toMatchObject({
      code: 'mcp.definition_changed',
      details: { changes: [{ at: 'description', before: '"Does it."', after: '"Does more."' }] },
    });
  });

  test('is stored as it was imported, since another import may replace it', async () => {
    const { kept } = await pin([pinned], { root: imported() });
    expect(JSON.parse(kept.get(DIGEST) ?? '')).toEqual(definitionOf(TOOL as never));
    expect((await pin([pinned])).kept.size).toBe(0);
  });

  test('may be called even if the store is full, since the import still has it', async () => {
    expect((await pin([pinned], { root: imported(), isFull: true })).warnings).toEqual([]);
  });
});

describe('before a call', () => {
  const compare = async (pinned: string | undefined, tool: object, known?: object) => {
    const store = memoryStore();
    if (known) await store.put(Buffer.from(JSON.stringify(definitionOf(known as never))));
    const tools = new PinnedTools(poolOf(fakeConnection({}).connection), store, '/nowhere');
    return tools.compare(calling('one', 'do', { pinned }).implementation as never, tool as never);
  };

  test.each<[string, string | undefined, object]>([
    ['that is described as it was', DIGEST, TOOL],
    ['that was not pinned', undefined, CHANGED],
  ])('a tool %s may be called', async (_, pinned, tool) => {
    await compare(pinned, tool);
  });

  test('a changed tool is refused with the difference', async () => {
    await expect(compare(DIGEST, CHANGED, TOOL)).rejects.toMatchObject({
      code: 'mcp.definition_changed',
      message: expect.stringMatching(/it was not called\n.*Does it\..*Does more\./),
      details: { pinned: DIGEST, found: toolDigest(CHANGED as never), changes: [{ at: 'description' }] },
    });
  });

  test('a tool that changed in one place has no number of further changes', async () => {
    const error = await compare(DIGEST, CHANGED, TOOL).catch((thrown: unknown) => thrown);
    expect(error).not.toMatchObject({ details: { more: expect.anything() } });
    expect((error as Error).message).not.toMatch(/more$/);
  });

  test('a tool that changed in many places is refused with the number of changes that are not shown', async () => {
    const properties = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`p${n}`, {}]));
    const after = { ...TOOL, inputSchema: { type: 'object', properties: { first: {}, ...properties } } };
    const before = { ...TOOL, inputSchema: { type: 'object', properties: { first: {} } } };
    await expect(compare(toolDigest(before as never), after, before)).rejects.toMatchObject({
      message: expect.stringMatching(/and 5 more$/),
      details: { more: 5 },
    });
  });

  test('a changed tool is refused even if its description was lost', async () => {
    await expect(compare(DIGEST, CHANGED)).rejects.toMatchObject({
      code: 'mcp.definition_changed',
      message: expect.stringContaining('difference cannot be shown'),
      details: { changes: [] },
    });
  });
});
