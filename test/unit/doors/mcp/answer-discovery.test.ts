import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/contracts/json.js';
import { answerDiscovery } from '../../../../src/doors/mcp/answer-discovery.js';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const discovery = (more: JsonObject = {}, _meta: JsonObject = META): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 'd', method: 'server/discover', params: { _meta }, ...more });

/** What is answered to messages that arrive in these pieces, and what is left of them. */
async function opened(pieces: (string | Buffer)[]): Promise<{ answers: string; left: string }> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const left = text(answerDiscovery(stdin, stdout, true));
  for (const piece of pieces) stdin.write(piece);
  stdin.end();
  const rest = await left;
  stdout.end();
  return { answers: await text(stdout), left: rest };
}

test('the first message is answered in whatever pieces it comes, and the rest is left as it is', async () => {
  const line = `${discovery()}\n`;
  const bytes = Buffer.from(`${line}{"more":"é"}\n{"unfinished":`);
  const whole = await opened([bytes]);
  expect(JSON.parse(whole.answers)).toMatchObject({
    id: 'd',
    result: { supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true } } },
  });
  expect(whole.left).toBe('{"more":"é"}\n{"unfinished":');
  expect(await opened([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
  // Later ones are for the SDK.
  expect((await opened([line, line])).left).toBe(line);
});

test.each([
  ['another method', discovery({ method: 'initialize' })],
  ['another version', discovery({}, { ...META, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' })],
  ['no capabilities', discovery({}, { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' })],
  ['no id', discovery({ id: null })],
  ['no JSON', 'server/discover'],
  ['a line that does not end', `{"a":"${'x'.repeat(100_000)}`],
  ['nothing', ''],
])('%s is left to the SDK', async (_, line) => {
  expect(await opened([`${line}\nnext\n`])).toEqual({ answers: '', left: `${line}\nnext\n` });
});
