import { describe, expect, test } from 'vitest';
import { CallLog } from '../../../../../src/activities/call/call-log.js';
import { ATTRIBUTES } from '../../../../../src/contracts/traces.js';
import { callMcp } from '../../../../../src/kinds/mcp/call/call-mcp.js';
import type { PinnedTools } from '../../../../../src/kinds/mcp/call/pinned-tools.js';
import { markNumbers } from '../../../../../src/text/lossless-json/marked-json.js';
import { runWithin } from '../../../../../src/tracing/current-span.js';
import { callFiles, MemoryFiles } from '../../../../fixtures/memory-files.js';
import { fakeConnection, mcpCall, poolOf, SERVER, toolNamed } from './fake-connection.js';

const text = (...texts: string[]) => texts.map((each) => ({ type: 'text', text: each }));
const IMAGE = { type: 'image', mimeType: 'image/png', data: 'aGk=' };
/** Larger than a JSON number can hold. */
const BIG = '12345678901234567890';
const PROMISE = { outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } };

/** A result as the transport passes it on, with marks for numbers that a JSON number cannot hold. */
const marked = (json: string) => JSON.parse(markNumbers(json)) as object;

interface More {
  mcp?: object;
  tool?: object;
  call?: object;
  compare?: () => Promise<void>;
}

/** Calls the tool `do`, which answers with this result. */
function called(result: object, { mcp = {}, tool = {}, call = {}, compare = async () => {} }: More = {}) {
  const { connection, calls } = fakeConnection({ tools: [toolNamed('do', tool)], result });
  const implementation = { id: 'i', kind: 'mcp', mcp: { server: SERVER, tool: 'do', output: 'structured', ...mcp } };
  const tools = { compare } as unknown as PinnedTools;
  const output = callMcp(implementation as never, mcpCall(call) as never, { pool: poolOf(connection), tools });
  return { output, calls };
}

describe('the output of a tool', () => {
  test.each<[string, object, More, unknown]>([
    ['is its texts, one on each line', { content: text('a', 'b') }, {}, { text: 'a\nb' }],
    ['is an empty text without any', { content: [] }, {}, { text: '' }],
    [
      'has all content where some is no text',
      { content: [...text('a'), IMAGE] },
      {},
      { text: 'a', content: [...text('a'), IMAGE] },
    ],
    ['is its structure where there is one', { content: text('a'), structuredContent: { n: 1 } }, {}, { n: 1 }],
    [
      'is the JSON of its texts where the definition says so',
      { content: text('[1,', '2]'), structuredContent: { n: 1 } },
      { mcp: { output: 'json' } },
      [1, 2],
    ],
    ['is the structure that it promises', { content: [], structuredContent: { n: 1 } }, { tool: PROMISE }, { n: 1 }],
    [
      'keeps large integers as text where the definition says so',
      marked(`{ "content": [], "structuredContent": { "n": ${BIG} } }`),
      { tool: PROMISE, mcp: { big_integers: 'text' } },
      { n: BIG },
    ],
    [
      'keeps large integers of a JSON text as well',
      { content: text(`[${BIG}]`) },
      { mcp: { output: 'json', big_integers: 'text' } },
      [BIG],
    ],
  ])('%s', async (_, result, more, output) => {
    expect(await called(result, more).output).toEqual(output);
  });

  test.each<[string, object, More, string, string]>([
    [
      'that is not JSON where the definition wants it',
      { content: text('hi') },
      { mcp: { output: 'json' } },
      'mcp.output_invalid',
      'not JSON: hi',
    ],
    [
      'with a number that would be changed',
      { content: text(`[${BIG}]`) },
      { mcp: { output: 'json' } },
      'mcp.output_invalid',
      `integer ${BIG}`,
    ],
    [
      'with such a number in its structure',
      marked(`{ "content": [], "structuredContent": { "n": ${BIG} } }`),
      {},
      'mcp.output_invalid',
      '(at /n)',
    ],
    [
      'with such a number in its content',
      marked(`{ "content": [{ "type": "text", "text": "a" }, { "type": "x", "n": ${BIG} }] }`),
      {},
      'mcp.output_invalid',
      '(at /content/1/n)',
    ],
    [
      'with an unsafe key',
      { content: [], structuredContent: JSON.parse('{"__proto__":1}') },
      {},
      'mcp.output_invalid',
      '__proto__',
    ],
    [
      'without the structure that it promises',
      { content: text('a') },
      { tool: PROMISE },
      'mcp.output_invalid',
      'promises structured content but returned none',
    ],
    [
      'with another structure than it promises',
      { content: [], structuredContent: { n: 'x' } },
      { tool: PROMISE },
      'mcp.output_invalid',
      'does not match its schema',
    ],
    ['that reports an error', { isError: true, content: text('no', 'disk') }, {}, 'mcp.tool_error', 'failed: no\ndisk'],
    [
      'that reports an error without a text',
      { isError: true, content: [IMAGE] },
      {},
      'mcp.tool_error',
      'it does not say why',
    ],
    [
      'that reports an error, whatever structure it promises',
      { isError: true, content: text('no') },
      { tool: PROMISE },
      'mcp.tool_error',
      'failed: no',
    ],
  ])('%s is refused', async (_, result, more, code, message) => {
    await expect(called(result, more).output).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test('that reports an error keeps its text in the details, without secrets', async () => {
    const log = new CallLog(undefined, '', 1);
    log.hide('correct-horse');
    const { output } = called({ isError: true, content: text('bad token correct-horse') }, { call: { log } });
    await expect(output).rejects.toMatchObject({
      message: 'files do failed: bad token ***',
      details: { text: 'bad token ***' },
    });
  });

  test('that is not JSON comes with advice on how to read it', async () => {
    const { output } = called({ content: text('hi') }, { mcp: { output: 'json' } });
    await expect(output).rejects.toMatchObject({ suggestion: expect.stringContaining('output: json') });
  });
});

describe('the files that a contract names', () => {
  const withFiles = async (result: object, more: More = {}) => {
    const store = new MemoryFiles();
    const files = callFiles({}, store);
    const outputFiles = { picture: { glob: 'image-1.png' } };
    const output = await called(result, { ...more, call: { files, outputFiles } }).output;
    return { output, made: files.made, texts: [...store.kept.values()].map(String) };
  };

  test('are stored, and replace the bytes in the content', async () => {
    const { output, made, texts } = await withFiles({ content: [...text('a'), IMAGE] });
    expect(texts).toEqual(['hi']);
    expect(made).toMatchObject({ picture: { name: 'image-1.png', bytes: 2 } });
    expect(output).toEqual({
      text: 'a',
      content: [...text('a'), { type: 'image', mimeType: 'image/png', file: made.picture }],
    });
  });

  test.each<[string, object, More, unknown]>([
    ['its structure', { content: [IMAGE], structuredContent: { content: 'mine' } }, {}, { content: 'mine' }],
    ['its JSON', { content: [...text('{"content":1}'), IMAGE] }, { mcp: { output: 'json' } }, { content: 1 }],
  ])('are stored, and do not change %s', async (_, result, more, output) => {
    const found = await withFiles(result, more);
    expect(found.output).toEqual(output);
    expect(found.texts).toEqual(['hi']);
  });

  test('that are missing fail the call', async () => {
    await expect(withFiles({ content: text('a') })).rejects.toMatchObject({ code: 'file.missing' });
  });

  test('stay in the content if the contract names none', async () => {
    expect(await called({ content: [IMAGE] }).output).toEqual({ text: '', content: [IMAGE] });
  });
});

describe('a call', () => {
  const DONE = { content: text('done') };

  test('passes on its input, its key, its trace and its limits, and no output schema', async () => {
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { output, calls } = called(
      { content: [], structuredContent: { n: 1 } },
      { tool: PROMISE, call: { input: { a: 1 }, trace } },
    );
    await output;
    expect(calls).toMatchObject([
      {
        request: { name: 'do', arguments: { a: 1 }, _meta: { 'idempotency-key': 't-1/a', traceparent: trace } },
        options: { timeout: 500, maxTotalTimeout: 500, signal: expect.any(AbortSignal) },
      },
    ]);
    expect(calls[0]?.options.toolDefinition).toMatchObject({ name: 'do' });
    expect(calls[0]?.options.toolDefinition).not.toHaveProperty('outputSchema');
  });

  test('without a trace passes on none', async () => {
    const { output, calls } = called(DONE);
    await output;
    expect(calls[0]?.request._meta).toEqual({ 'idempotency-key': 't-1/a' });
  });

  test.each<[string, More, string]>([
    [
      'whose tool differs from its pin',
      { compare: () => Promise.reject(Object.assign(new Error('changed'), { code: 'mcp.definition_changed' })) },
      'mcp.definition_changed',
    ],
    ['whose tool runs only as a task', { tool: { execution: { taskSupport: 'required' } } }, 'mcp.task_required'],
    ['whose tool is not there', { mcp: { tool: 'gone' } }, 'mcp.tool_missing'],
    [
      'whose tool has an output schema that cannot be checked',
      { tool: { outputSchema: { type: 'object', properties: { n: { type: 'no-type' } } } } },
      'definition.invalid',
    ],
  ])('%s is not made', async (_, more, code) => {
    let begun = 0;
    const { output, calls } = called(DONE, { ...more, call: { begin: async () => void (begun += 1) } });
    await expect(output).rejects.toMatchObject({ code });
    expect([begun, calls.length]).toEqual([0, 0]);
  });

  test('is logged with the protocol and how it ended', async () => {
    const lineOf = async (result: object) => {
      const log = new CallLog(undefined, '', 1);
      await called(result, { call: { log } }).output.catch(() => {});
      return log.tailOf('tool' as never);
    };
    expect(await lineOf(DONE)).toMatch(/^MCP 2026-07-28: files do -> ok \(\d{1,4} ms\)$/);
    expect(await lineOf({ ...DONE, isError: true })).toMatch(/-> error \(\d{1,4} ms\)$/);
    expect(await lineOf(new Error('pipe broken'))).toMatch(/files do -> pipe broken$/);
  });

  test('names its protocol in the span of the call', async () => {
    const attributes: object[] = [];
    const open = { set: (more: object) => void attributes.push(more), fail: () => {} };
    await runWithin({ tracer: {}, context: {}, open } as never, () => called(DONE).output);
    expect(attributes).toEqual([{ [ATTRIBUTES.mcpProtocol]: '2026-07-28' }]);
  });

  test('that loses its connection may have had its effect', async () => {
    await expect(called(new Error('pipe broken')).output).rejects.toMatchObject({
      code: 'unavailable.connection',
      unclear: true,
    });
  });
});
