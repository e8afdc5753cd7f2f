import { Response } from 'undici';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../../src/contracts/json.js';
import { markResponse } from '../../../../../src/kinds/mcp/call/open-transport.js';
import { type Reading, withoutMarks } from '../../../../../src/text/lossless-json/marked-json.js';

const BIG = '12345678901234567890';
const AS_TEXT: Reading = { integers: 'text', code: 'mcp.output_invalid', what: 'It' };

/** An answer whose body arrives in pieces. */
function answered(type: string | undefined, pieces: (string | Buffer)[], status = 200) {
  const body = new ReadableStream({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(Uint8Array.from(Buffer.from(piece as string)));
      controller.close();
    },
  });
  const headers = { 'x-other': 'kept', ...(type !== undefined && { 'content-type': type }) };
  return new Response(body, { status, statusText: 'Fine', headers });
}
const read = (text: string) => withoutMarks(JSON.parse(text) as Json, AS_TEXT);

describe('an answer of JSON', () => {
  test.each(['application/json', ' Application/JSON; charset=utf-8'])(
    'of the type %j keeps large integers',
    async (type) => {
      const marked = markResponse(answered(type, ['{"a": 1234567', '8901234567890}']));
      expect(read(await marked.text())).toEqual({ a: BIG });
    },
  );

  test.each([
    ['application/json', '{"id":1,"result":{"isError":null},"error":null}', '{"id":1,"result":{}}'],
    ['text/event-stream', 'data: {"id":1,"result":{"isError":null}}\n\n', 'data:{"id":1,"result":{}}\n\n'],
  ])('of the type %s may have null where a member is absent', async (type, written, expected) => {
    expect(await markResponse(answered(type, [written])).text()).toBe(expected);
  });

  test('keeps its status and its headers', () => {
    const { status, statusText, headers } = markResponse(answered('application/json', ['1'], 201));
    expect([status, statusText, headers.get('x-other')]).toEqual([201, 'Fine', 'kept']);
  });

  test('has bytes that are not UTF-8 marked, even if a piece ends inside a character', async () => {
    const letter = Buffer.from('"ä"');
    const whole = markResponse(answered('application/json', [letter.subarray(0, 2), letter.subarray(2)]));
    expect(read(await whole.text())).toBe('ä');
    const broken = await markResponse(answered('application/json', [Buffer.from([0x22, 0xff, 0x22])])).text();
    expect(() => read(broken)).toThrow(/not UTF-8/);
  });
});

describe('an answer of events', () => {
  const events = async (...pieces: (string | Buffer)[]) => markResponse(answered('text/event-stream', pieces)).text();

  test.each<[string, string[], string[]]>([
    ['in one piece', [`event: message\ndata: [${BIG}]\n\n`], ['event: message\n', '\n\n']],
    ['in many', ['event: mess', 'age\nda', 'ta: [1234567890', '1234567890]\n', '\n'], ['event: message\n', '\n\n']],
    ['with line ends of Windows', [`id: 1\r\ndata: [${BIG}]\r`, '\n\r\n'], ['id: 1\r\n', '\r\n\r\n']],
    ['with line ends of old', [`id: 1\rdata: [${BIG}]\r\r`], ['id: 1\r', '\r\r']],
    ['whose last line does not end', [`id: 1\ndata: [${BIG}]`], ['id: 1\n', '']],
  ])('%s keeps large integers in its data, and all else unchanged', async (_, pieces, [before = '', after = '']) => {
    const text = await events(...pieces);
    expect(text.startsWith(`${before}data: `)).toBe(true);
    expect(text.endsWith(after)).toBe(true);
    expect(read(text.slice(before.length + 'data: '.length, text.length - after.length))).toEqual([BIG]);
  });

  test('has no marks outside its data', async () => {
    const text = `id: ${BIG}\n: ${BIG}\ndata:1\n\n`;
    expect(await events(text)).toBe(text);
  });

  test('passes on each event as soon as it arrives', async () => {
    let send = (_: string): void => {};
    const body = new ReadableStream({
      start: (controller) => void (send = (text) => controller.enqueue(Buffer.from(text))),
    });
    const marked = markResponse(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    const reader = marked.body?.getReader();
    send('data: 1\n\ndata:');
    const read = await reader?.read();
    expect(Buffer.from(read?.value as Uint8Array).toString()).toBe('data: 1\n');
  });
});

describe('an answer without messages is passed on unchanged', () => {
  test.each<[string, Response]>([
    ['a page', answered('text/html', ['<html>'])],
    ['one without a type', answered(undefined, ['1'])],
    ['one of a type that only begins alike', answered('application/jsonl', ['1'])],
    ['a failure', answered('application/json', ['1'], 500)],
    ['one without a body', new Response(null, { status: 202, headers: { 'content-type': 'application/json' } })],
  ])('%s', (_, response) => {
    expect(markResponse(response)).toBe(response);
  });
});
