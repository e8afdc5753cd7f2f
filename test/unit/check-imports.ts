import { dirname, join } from 'node:path/posix';

/** What each room may import at run time besides itself, `rules`, `kinds`, `text`, `contracts`, and `disk` outside the sandbox; drawn in docs/architecture.md. */
export const ARROWS: Record<string, readonly string[]> = {
  contracts: [],
  text: [],
  disk: [],
  kinds: [],
  rules: [],
  workflows: [],
  definitions: [],
  planning: ['definitions'],
  lint: ['definitions', 'planning'],
  authoring: ['definitions', 'planning'],
  tracing: [],
  models: ['tracing'],
  choosing: ['definitions', 'models', 'tracing'],
  activities: ['planning', 'definitions', 'choosing', 'models', 'tracing'],
  server: [],
  worker: ['activities', 'server', 'tracing'],
  // What holds a key has the input with its defaults, so a request for that key is compared after the same check.
  client: ['server', 'planning'],
  testing: ['client', 'definitions', 'planning', 'activities', 'server', 'worker'],
  shown: [],
  // It runs in a browser, and knows the operations by their types alone.
  page: [],
  operations: ['shown', 'client', 'definitions', 'planning', 'authoring', 'choosing', 'models', 'server', 'worker'],
  // The command line opens the other doors; the door over HTTP has that of MCP in it.
  'doors/cli': ['doors/guard', 'doors/http', 'doors/mcp', 'doors/runtime'],
  'doors/guard': [],
  'doors/http': ['doors/mcp'],
  'doors/library': [],
  'doors/mcp': [],
  'doors/runtime': ['doors/cli', 'doors/http'],
};

/** What each door may import. */
export const BEHIND_DOORS =
  'operations shown client definitions planning lint authoring choosing server worker testing'.split(' ');

/** Packages for the rooms whose code runs in Temporal's sandbox or everywhere; other rooms may use any. */
const PACKAGES: Record<string, (name: string) => boolean> = {
  contracts: () => false,
  text: (name) => !name.startsWith('node:') && !name.startsWith('@temporalio/'),
  rules: (name) => !name.startsWith('node:') && !name.startsWith('@temporalio/'),
  kinds: () => false,
  page: (name) => /^(preact|@preact\/signals|@dagrejs\/dagre)(\/|$)/.test(name),
  workflows: (name) => name === '@temporalio/workflow' || name === '@temporalio/common',
};

/** An import that remains at run time. */
export interface RuntimeImport {
  specifier: string;
  line: number;
}

const STATEMENT = /^(?:import|export)\s+(type\s[^;']*?\sfrom\s+)?(?:[\w$*{}\s,]*?\sfrom\s+)?'([^']+)'/gm;
const DYNAMIC = /\bimport\(\s*[`'"]([^`'"]+)[`'"]/g;

/**
 * Reads the imports of a TypeScript file, formatted as biome formats it. Imports of types alone are omitted.
 *
 * @throws if a line that begins with `import` cannot be read, so that no import is missed.
 */
export function runtimeImports(source: string): RuntimeImport[] {
  const statements = [...source.matchAll(STATEMENT)];
  const starts = new Set(statements.map((match) => match.index));
  for (const { index } of source.matchAll(/^import\b/gm)) {
    if (!starts.has(index)) throw new Error(`an import in line ${lineOf(source, index)} cannot be read`);
  }
  const found = statements.filter(([, type]) => type === undefined).map((match) => [match.index, match[2]] as const);
  const dynamic = [...source.matchAll(DYNAMIC)].map((match) => [match.index, match[1]] as const);
  return [...found, ...dynamic].map(([index, specifier = '']) => ({ specifier, line: lineOf(source, index) }));
}

/**
 * Files that import each other through any number of others, types included: each circle once, as its files in the
 * order of their imports. What is imported only when it is needed is omitted.
 *
 * @param sources text by path from the root of the repository.
 */
export function importCircles(sources: ReadonlyMap<string, string>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    const begin = way.indexOf(file);
    if (begin >= 0) circles.push([...way.slice(begin), file].join(' -> '));
    if (begin >= 0 || done.has(file)) return;
    for (const [, , specifier = ''] of (sources.get(file) ?? '').matchAll(STATEMENT)) {
      const path = join(dirname(file), specifier).replace(/\.js$/, '');
      const target = sources.has(`${path}.tsx`) ? `${path}.tsx` : `${path}.ts`;
      if (specifier.startsWith('.') && sources.has(target)) visit(target, [...way, file]);
    }
    done.add(file);
  };
  for (const file of sources.keys()) visit(file, []);
  return circles;
}

/**
 * The imports of a file that the architecture does not allow.
 *
 * @param file its path from the root of the repository, such as `src/text/glob.ts`.
 */
export function forbiddenImports(file: string, source: string): string[] {
  const room = roomOf(file);
  return runtimeImports(source)
    .filter(({ specifier }) => !isAllowed(room, file, specifier))
    .map(({ specifier, line }) => `${file}:${line} imports ${specifier}`);
}

function isAllowed(room: string, file: string, specifier: string): boolean {
  if (!specifier.startsWith('.')) return PACKAGES[room]?.(specifier) ?? true;
  const target = roomOf(join(dirname(file), specifier));
  if (target === room) return true;
  if (room === 'contracts') return false;
  if (room === 'text' || room === 'disk') return target === 'contracts';
  if (room === 'kinds') return ['text', 'contracts'].includes(target);
  if (target === 'disk') return !['rules', 'workflows'].includes(room);
  if (room.startsWith('doors/') && BEHIND_DOORS.includes(target)) return true;
  return ['rules', 'kinds', 'text', 'contracts'].includes(target) || (ARROWS[room]?.includes(target) ?? false);
}

/** The part of a kind that a room reads is in its folder, and may import what that room may. */
const PARTS: Record<string, string> = {
  format: 'definitions',
  resolve: 'planning',
  lint: 'lint',
  scaffold: 'authoring',
  call: 'activities',
};

function roomOf(path: string): string {
  const part = PARTS[/^src\/kinds\/[a-z]+\/([a-z]+)[-/.]/.exec(path)?.[1] ?? ''];
  if (part !== undefined) return part;
  return /^src\/(doors\/[a-z]+|[a-z]+)\//.exec(path)?.[1] ?? path;
}

function lineOf(source: string, index: number): number {
  return source.slice(0, index).split('\n').length;
}
