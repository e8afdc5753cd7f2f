import { expect, test } from 'vitest';
import { takeResources } from '../../../../../src/kinds/mcp/call/call-mcp.js';
import { callFiles, MemoryFiles } from '../../../../fixtures/memory-files.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const image = (text: string) => ({ type: 'image', mimeType: 'image/png', data: base64(text) });
const resource = (uri: string, more: object) => ({ type: 'resource', resource: { uri, ...more } });

/** What the content becomes if the contract names these paths, and what is stored. */
async function taken(content: object[], contract: Record<string, object>) {
  const store = new MemoryFiles();
  const blocks = await takeResources(content as never, contract as never, callFiles({}, store));
  return { blocks: blocks as Record<string, never>[], texts: [...store.kept.values()].map(String) };
}

test('resources are stored under the last part of their address, as text or as bytes', async () => {
  const content = [
    resource('file:///a/b.txt?x#y', { text: 'hello', mimeType: 'text/plain' }),
    resource('x:/dir/c.bin', { blob: base64('bytes') }),
  ];
  const { blocks, texts } = await taken(content, { one: { glob: 'b.txt' }, other: { glob: 'c.bin' } });
  expect(texts).toEqual(['hello', 'bytes']);
  expect(blocks).toEqual([
    {
      type: 'resource',
      resource: {
        uri: 'file:///a/b.txt?x#y',
        mimeType: 'text/plain',
        file: expect.objectContaining({ name: 'b.txt' }),
      },
    },
    { type: 'resource', resource: { uri: 'x:/dir/c.bin', file: expect.objectContaining({ name: 'c.bin' }) } },
  ]);
});

test('images and sounds are numbered by their kind', async () => {
  const sound = { type: 'audio', mimeType: 'audio/wav', data: base64('s') };
  const { blocks, texts } = await taken([image('1'), sound, image('2')], {
    picture: { glob: 'image-2.png' },
    sound: { glob: 'audio-1.wav' },
  });
  expect(texts.toSorted()).toEqual(['2', 's']);
  expect(blocks[0]).toEqual(image('1'));
  expect(blocks[2]).toEqual({
    type: 'image',
    mimeType: 'image/png',
    file: expect.objectContaining({ name: 'image-2.png' }),
  });
  expect(blocks[2]).not.toHaveProperty('data');
});

test('texts and links are unchanged', async () => {
  const content = [
    { type: 'text', text: 'hi' },
    { type: 'resource_link', uri: 'file:///a', name: 'a' },
  ];
  expect((await taken(content, {})).blocks).toEqual(content);
});

test('a file that the contract names and the answer lacks is reported as missing', async () => {
  await expect(taken([image('1')], { other: { glob: 'none.txt' } })).rejects.toMatchObject({ code: 'file.missing' });
});
