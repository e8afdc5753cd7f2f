import { describe, expect, test } from 'vitest';
import { listTasks } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { CallQueue } from '../../src/doors/mcp/call-queue.js';
import { metaTools } from '../../src/doors/mcp/tools.js';
import type { Agent } from '../fixtures/mcp-agent.js';
import { doorProject, runAs as run } from '../fixtures/mcp-door-project.js';
import { operation } from '../fixtures/project-folder.js';

/** How many tools come before those of abilities. */
const FIXED = metaTools('run').size;

const { running: project, agent, raw: connectClient } = doorProject();

describe('abilities as separate tools', () => {
  const names = async ({ client }: Agent) => (await client.listTools()).tools.map(({ name }) => name).slice(FIXED);

  test('have the schemas and effects of the ability, in the order of their ids', async () => {
    const probe = await agent({}, { expose: ['math.*', 'nothing', 'ask*'] });
    expect(await names(probe)).toEqual(['ask_people', 'math_add', 'nothing']);
    const add = (await probe.client.listTools()).tools.find(({ name }) => name === 'math_add');
    expect(add).toMatchObject({
      title: 'math.add',
      inputSchema: { type: 'object', required: ['a', 'b'], properties: { a: { type: 'integer' } } },
      outputSchema: { properties: { output: { required: ['sum'] } }, required: ['status'] },
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
    expect((await probe.call('math_add', { a: 2, b: 3 })).told).toMatchObject({
      status: 'succeeded',
      output: { sum: 5 },
    });
    expect(await probe.call('math_add', { a: 2 })).toMatchObject({ isError: true, told: { code: 'input.invalid' } });
    expect((await probe.call('ask_people')).told).toMatchObject({ status: 'waiting_approval' });
  });

  test.each(['2026-07-28', '2025-11-25'] as const)(
    'change while an agent that speaks %s is connected, which is notified',
    async (protocol) => {
      const glob = `late.${protocol.slice(0, 4)}.*`;
      const [one, two] = [glob.replace('*', 'one'), glob.replace('*', 'two')];
      project().write(operation(one, 'return 1;'));
      const toolLists: string[][] = [];
      const onChanged = (_: Error | null, tools: { name: string }[] | null): void => {
        toolLists.push((tools ?? []).map(({ name }) => name).slice(FIXED));
      };
      const listChanged = { tools: { onChanged } };
      const probe = await agent({ protocol, client: { listChanged } }, { expose: [glob] });
      expect(await names(probe)).toEqual([one.replaceAll('.', '_')]);
      project().write(operation(two, 'return 2;'));
      await expect
        .poll(() => toolLists.at(-1), { timeout: 20_000 })
        .toEqual([one, two].map((id) => id.replaceAll('.', '_')));
      // A tool that is gone, or that now means another ability, runs nothing.
      project().write({ [`registry/low-level/${one}.yaml`]: '# gone' });
      await expect(probe.call(one.replaceAll('.', '_'))).rejects.toThrow('no tool');
    },
  );

  test('have no name that could mean two abilities', async () => {
    project().write({ ...operation('twin.a_b', 'return 1;'), ...operation('twin.a.b', 'return 2;') });
    const notes: string[] = [];
    const probe = await agent({}, { expose: ['twin.*'], note: (text) => notes.push(text) });
    expect(await names(probe)).toEqual([]);
    await expect(probe.call('twin_a_b')).rejects.toThrow('no tool');
  });
});

describe('many and hostile calls', () => {
  test('of 1,000 calls at once each is run or refused, and none is lost', async () => {
    const probe = await agent({}, { calls: new CallQueue({ atOnce: 4, waiting: 8 }) });
    const answers = await Promise.all(Array.from({ length: 1000 }, () => run(probe, 'nothing')));
    const busy = answers.filter(({ told, isError }) => isError && told.code === 'door.busy');
    const begun = answers.filter(({ isError }) => !isError);
    expect(answers.filter((answer) => !busy.includes(answer) && !begun.includes(answer))).toEqual([]);
    expect([begun.length, busy.length]).toEqual([12, 988]);
    // If others wait for its place, a call may be answered with a handle.
    for (const { told } of begun) {
      expect((await probe.call('task_result', { task: told.task, wait: 50 })).told.status).toBe('succeeded');
    }
    const session = String(begun[0]?.meta['ability-runtime/session_id']);
    await expect
      .poll(async () => (await listTasks(project().connection, { session, limit: 1000 })).length, { timeout: 20_000 })
      .toBe(12);
  });

  test('invalid arguments are refused, and the door stays open', async () => {
    const probe = await agent();
    const raw = await connectClient();
    const deep = JSON.parse(`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`) as JsonObject;
    const hostile: JsonObject[] = [
      { id: 'math.add', input: JSON.parse('{"__proto__": {"a": 1}}') },
      { id: 'math.add', input: { constructor: { prototype: 1 } } },
      { id: 'math.add', input: deep },
      { id: 'math.add', input: 'text' },
      { id: ['math.add'] },
      { id: 'math.add', input: {}, more: true },
      { id: 'math.add', input: {}, key: '../up' },
      { id: 'math.add', input: {}, plan: 'none' },
      { id: 'math.add', input: { text: 'x'.repeat(10_000_000) } },
      {},
    ];
    for (const args of hostile) {
      const { result } = await raw.ask('tools/call', { name: 'ability_run', arguments: args });
      expect(result).toMatchObject({ isError: true, structuredContent: { status: 'refused', code: 'input.invalid' } });
    }
    expect((await raw.ask('tools/call', { name: 'constructor', arguments: {} })).error).toMatchObject({ code: -32602 });
    expect(await probe.call('task_result', { task: 'x'.repeat(1_000_000) })).toMatchObject({ isError: true });
    expect(await probe.call('ability_search', { limit: 1e9 })).toMatchObject({ isError: true });
    expect((await run(probe, 'math.add', { a: 1, b: 1 })).told).toMatchObject({ output: { sum: 2 } });
  });
});
