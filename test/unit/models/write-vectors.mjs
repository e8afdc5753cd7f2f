// Writes 500 vectors into a file, again and again; says so after the first time.
import { createHash } from 'node:crypto';
import { writeVectorFile } from '../../../build/models/vector-store.js';

const [, , file, name, times] = process.argv;
const vectors = new Map(
  Array.from({ length: 500 }, (_, at) => {
    return [createHash('sha256').update(`${name} ${at}`).digest('hex'), new Float32Array(256).fill(at)];
  }),
);
for (let at = 0; at < Number(times); at += 1) {
  writeVectorFile(file, vectors);
  if (at === 0) process.stdout.write('written\n');
}
