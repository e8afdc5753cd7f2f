import { Readable } from 'node:stream';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { FileValue, PlanOutputFile } from '../../contracts/files.js';
import type { Json } from '../../contracts/json.js';
import { endingOf, safeFileName } from '../../text/file-name.js';
import type { CallFiles } from '../files/call-files.js';
import { type Entry, takeChosen } from '../files/choose-files.js';

type Content = CallToolResult['content'];
type Block = Content[number];

interface Left extends Entry {
  at: number;
  bytes: Buffer;
  mediaType: string | undefined;
}

/**
 * Keeps resources, images and sounds as files, as the contract names them: resources by the last part of their
 * address, the others as `image-1.png`, `audio-1.wav`. Links are not followed. @returns the content with `file`
 * for the bytes of each kept block. @throws CallFailure `file.missing`, `file.too_large`.
 */
export async function takeResources(
  content: Content,
  contract: Readonly<Record<string, PlanOutputFile>>,
  files: CallFiles,
): Promise<Json[]> {
  const counts = new Map<string, number>();
  const left = content.flatMap((block, at): Left[] => leftBy(block, at, counts));
  const kept = new Map<number, FileValue>();
  await takeChosen(contract, left, files, async ({ path, at, bytes, mediaType }) => {
    const earlier = kept.get(at);
    const file = earlier ?? (await files.keep(async () => Readable.from([bytes]), { name: path, mediaType }));
    kept.set(at, file);
    return file;
  });
  return content.map((block, at) => {
    const file = kept.get(at);
    return file ? withFile(block, file) : (block as unknown as Json);
  });
}

function leftBy(block: Block, at: number, counts: Map<string, number>): Left[] {
  if (block.type === 'resource') {
    const { uri, mimeType: mediaType } = block.resource;
    const bytes =
      'blob' in block.resource ? Buffer.from(block.resource.blob, 'base64') : Buffer.from(block.resource.text);
    return [{ path: nameOf(uri), isFile: true, at, bytes, mediaType }];
  }
  if (block.type !== 'image' && block.type !== 'audio') return [];
  const number = (counts.get(block.type) ?? 0) + 1;
  counts.set(block.type, number);
  const path = `${block.type}-${number}${endingOf(block.mimeType)}`;
  return [{ path, isFile: true, at, bytes: Buffer.from(block.data, 'base64'), mediaType: block.mimeType }];
}

function nameOf(uri: string): string {
  const [path = ''] = uri.split(/[?#]/);
  const last = path.slice(path.lastIndexOf('/') + 1);
  try {
    return safeFileName(decodeURIComponent(last));
  } catch {
    return safeFileName(last);
  }
}

function withFile(block: Block, file: FileValue): Json {
  if (block.type !== 'resource') {
    const { data: _, ...rest } = block as Extract<Block, { type: 'image' | 'audio' }>;
    return { ...(rest as unknown as { [key: string]: Json }), file };
  }
  const { uri, mimeType } = block.resource;
  return { type: 'resource', resource: { uri, ...(mimeType !== undefined && { mimeType }), file } };
}
