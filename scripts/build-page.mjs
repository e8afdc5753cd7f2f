// Bundles the page for people into dist/page: one script with all that it needs, a style sheet, and what loads them. Its user
// needs no network and builds nothing.
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'src/page');
const TARGET = join(ROOT, 'dist/page');

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
const bundle = await rolldown({
  input: join(SOURCE, 'main.tsx'),
  platform: 'browser',
  tsconfig: join(SOURCE, 'tsconfig.json'),
});
await bundle.write({ dir: TARGET, format: 'esm', minify: true, entryFileNames: 'page.js', codeSplitting: false });
await bundle.close();
for (const name of readdirSync(SOURCE))
  if (/\.(html|css|svg)$/.test(name)) cpSync(join(SOURCE, name), join(TARGET, name));
