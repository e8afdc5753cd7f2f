import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { CallFailure } from '../../../../../src/activities/call/call-failure.js';
import { SessionLost } from '../../../../../src/kinds/mcp/call/connection.js';
import { failureOf, findTool } from '../../../../../src/kinds/mcp/call/mcp-failure.js';
import { type Behaviour, fakeConnection, mcpCall, SERVER, toolNamed } from './fake-connection.js';

interface Options extends Behaviour {
  called?: boolean;
  stop?: AbortSignal;
}

/** The failure made from an error of the SDK, for a request that was a call unless stated otherwise. */
function failure(error: unknown, { called = true, stop = new AbortController().signal, ...behaviour }: Options = {}) {
  const { connection } = fakeConnection(behaviour);
  return failureOf(error, { what: 'files do', connection, user: mcpCall({ stop }) as never, called });
}

const timeOut = new SdkError(SdkErrorCode.RequestTimeout, 'timed out');
const ofType = (resultType: unknown) => new SdkError(SdkErrorCode.UnsupportedResultType, 'unsupported', { resultType });
const http = (status: number) => new SdkHttpError(SdkErrorCode.ConnectionClosed, 'http', { status, text: '' } as never);
const lacking = (data?: unknown) =>
  new ProtocolError(ProtocolErrorCode.MissingRequiredClientCapability, 'missing', data);

describe('why a request failed', () => {
  test.each<[string, unknown, Options, string, RegExp, boolean]>([
    ['a time-out', timeOut, {}, 'timeout.call', /^files do did not answer within 500 ms$/, true],
    ['an aborted call', new Error('x'), { stop: AbortSignal.abort() }, 'timeout.call', /within 500 ms/, true],
    ['a refusal', new ProtocolError(-32602, 'bad input'), {}, 'mcp.tool_error', /refused the call: .*bad input/, false],
    [
      'an invalid result',
      new SdkError(SdkErrorCode.InvalidResult, 'no content'),
      {},
      'mcp.output_invalid',
      /returned an invalid result: no content/,
      false,
    ],
    ['a result of another type', ofType('later'), {}, 'mcp.output_invalid', /of the type `later`/, true],
    ['a result whose type is not a string', ofType(7), {}, 'mcp.output_invalid', /a result of another type/, true],
    [
      'a result without a type',
      new SdkError(SdkErrorCode.UnsupportedResultType, 'unsupported', null),
      {},
      'mcp.output_invalid',
      /a result of another type/,
      true,
    ],
    [
      'a result without any data',
      new SdkError(SdkErrorCode.UnsupportedResultType, 'unsupported'),
      {},
      'mcp.output_invalid',
      /a result of another type/,
      true,
    ],
    [
      'an output above the limit',
      new Error('x'),
      { overflowed: true },
      'output.too_large',
      /more than an output/,
      false,
    ],
    [
      'a lost connection',
      new Error('pipe broken'),
      {},
      'unavailable.connection',
      /lost its connection: pipe bro/,
      true,
    ],
    ['another HTTP status', http(500), {}, 'unavailable.connection', /lost its connection/, true],
    ['an answer that is a task', ofType('task'), {}, 'mcp.task_required', /answered with a task of MCP/, true],
    ['a request for input', ofType('input_required'), {}, 'mcp.input_required', /asked for input/, true],
    [
      'a page to open',
      new ProtocolError(ProtocolErrorCode.UrlElicitationRequired, 'open'),
      {},
      'mcp.input_required',
      /open a page first/,
      false,
    ],
    ['an unnamed requirement', lacking(), {}, 'mcp.input_required', /\(not named\)/, false],
    [
      'requirements that are not a map',
      lacking({ requiredCapabilities: 'all' }),
      {},
      'mcp.input_required',
      /\(not named\)/,
      false,
    ],
    [
      'two requirements',
      lacking({ requiredCapabilities: { roots: {}, sampling: {} } }),
      {},
      'mcp.input_required',
      /\(roots, sampling\)/,
      false,
    ],
    [
      'a requirement of another extension',
      lacking({ requiredCapabilities: { extensions: { 'x/other': {} } } }),
      {},
      'mcp.input_required',
      /\(extensions\)/,
      false,
    ],
    [
      'a requirement of tasks',
      lacking({ requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }),
      {},
      'mcp.task_required',
      /answers with tasks of MCP only/,
      false,
    ],
  ])('%s', (_, error, options, code, message, unclear) => {
    expect(failure(error, options)).toMatchObject({ code, message: expect.stringMatching(message), unclear });
    expect(failure(error, options).message).toMatch(/^files do /);
  });

  test.each([404, 400])('the status %i means a session unknown to the server: nothing was called', (status) => {
    const lost = failure(http(status));
    expect(lost).toBeInstanceOf(SessionLost);
    expect(lost).toMatchObject({ code: 'unavailable.connection', unclear: false });
    expect(lost.message).toContain('was not called');
  });

  test.each([
    ['a time-out', timeOut],
    ['a lost connection', new Error('x')],
    ['an answer that is a task', ofType('task')],
    ['a result of another type', ofType('later')],
  ])('%s of a listing had no effect', (_, error) => {
    expect(failure(error, { called: false }).unclear).toBe(false);
  });

  test('is reported with the end of what the server wrote, if it did not answer or broke off', () => {
    const stderr = 'no database';
    expect(failure(timeOut, { stderr }).message).toMatch(/ms\nno database$/);
    expect(failure(new Error('x'), { stderr }).message).toMatch(/\nno database$/);
    expect(failure(ofType('later'), { stderr }).message).not.toContain(stderr);
  });

  test('is the failure that a part of the transport raised, at any depth among the causes', () => {
    const own = new CallFailure({ code: 'denied.host', message: 'no' });
    expect(failure(own)).toBe(own);
    expect(failure(new Error('outer', { cause: own }), { stop: AbortSignal.abort() })).toBe(own);
  });

  test('keeps the error as its cause', () => {
    const error = new Error('x');
    expect(failure(error).cause).toBe(error);
    const task = ofType('task');
    expect(failure(task).cause).toBe(task);
  });
});

describe('a tool', () => {
  const find = (tool: string, behaviour: Behaviour) =>
    findTool({ server: SERVER, tool } as never, fakeConnection(behaviour).connection, mcpCall() as never);

  test('is found by its name', async () => {
    expect(await find('b', { tools: [toolNamed('a'), toolNamed('b')] })).toMatchObject({ name: 'b' });
  });

  test.each<[string, unknown[], string]>([
    ['a similar name', ['read_files', 'write'], 'read_files'],
    ['all names if none is similar', ['alpha', 'beta'], 'Its tools: alpha, beta.'],
  ])('that is not listed is missing, with %s', async (_, names, suggestion) => {
    await expect(find('read_file', { tools: names.map((name) => toolNamed(String(name))) })).rejects.toMatchObject({
      code: 'mcp.tool_missing',
      suggestion: expect.stringContaining(suggestion),
    });
  });

  test('that is described incorrectly is invalid, not missing', async () => {
    await expect(find('a', { tools: [{ name: 'a' }] })).rejects.toMatchObject({
      code: 'mcp.tool_invalid',
      message: expect.stringContaining('`inputSchema` is missing'),
    });
  });

  test('was not called if the listing fails', async () => {
    await expect(find('a', { tools: new Error('pipe broken') })).rejects.toMatchObject({
      code: 'unavailable.connection',
      message: expect.stringMatching(/^The MCP server files lost its connection/),
      unclear: false,
    });
  });
});
