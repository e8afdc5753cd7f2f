import { parse } from 'es-module-lexer';
import { attempt } from '../../../text/attempt.js';
import { type ImportSite, lineCounter } from './import-site.js';

/** Finds `import`, `export from`, `import()` and `require`, also in TypeScript. */
export function javascriptImports(text: string): ImportSite[] {
  const modules = moduleImports(text);
  const isModule = modules?.isModule ?? false;
  const calls = !isModule || text.includes('createRequire') ? requireCalls(text) : [];
  return [...(modules?.sites ?? []), ...calls];
}

function moduleImports(text: string): { sites: ImportSite[]; isModule: boolean } | undefined {
  const lineOf = lineCounter(text);
  // Node may still run it as CommonJS.
  return attempt(() => {
    const [imports, , , isModule] = parse(text);
    const sites = imports.flatMap((found): ImportSite[] => {
      if (found.type === 'import-meta') return [];
      const line = lineOf(found.importStart);
      const written = text.slice(found.start, found.end).trim();
      if (found.specifier === undefined || (found.type === 'dynamic' && found.glob)) {
        return [{ line, text: `import(${written})`, wanted: { kind: 'computed' } }];
      }
      return [{ line, text: found.specifier, wanted: { kind: 'module', specifier: found.specifier, by: 'import' } }];
    });
    return { sites, isModule };
  });
}

const REQUIRE = /(?<![.\w$])require(?:\.resolve)?\s*\(\s*(?:(['"`])((?:(?!\1)[^\\\n$])*)\1\s*[,)]|(?=[^'"`)\s]|`))/g;

function requireCalls(text: string): ImportSite[] {
  if (!text.includes('require')) return [];
  const code = withoutComments(text, isRequired);
  const lineOf = lineCounter(code);
  return [...code.matchAll(REQUIRE)].map(({ 0: all, 2: specifier, index }) => {
    const line = lineOf(index);
    if (specifier === undefined) return { line, text: `${all.trim()}...)`, wanted: { kind: 'computed' } };
    return { line, text: specifier, wanted: { kind: 'module', specifier, by: 'require' } };
  });
}

/** Whether the string at this offset is the argument of `require`; other strings may contain anything. */
function isRequired(text: string, at: number): boolean {
  return text[at] === '`' || /require(?:\.resolve)?\s*\(\s*$/.test(text.slice(Math.max(0, at - 40), at));
}

/** Blanks comments, so that lines stay. @param keeps whether the string at an offset is kept; default: all. */
export function withoutComments(text: string, keeps: (text: string, at: number) => boolean = () => true): string {
  let code = '';
  let at = 0;
  while (at < text.length) {
    const character = text[at] as string;
    let end = at + 1;
    if (character === "'" || character === '"' || character === '`') end = endOfString(text, at, character);
    else if (text.startsWith('//', at)) end = orEnd(text, text.indexOf('\n', at));
    else if (text.startsWith('/*', at)) end = orEnd(text, text.indexOf('*/', at + 2), 2);
    const part = text.slice(at, end);
    const isKept = end === at + 1 || (character !== '/' && keeps(text, at));
    code += isKept ? part : part.replaceAll(/[^\n]/g, ' ');
    at = end;
  }
  return code;
}

/** The end of a string. A missing quote affects one line only, but for template literals. */
function endOfString(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === quote || (character === '\n' && quote !== '`')) return at + 1;
  }
  return text.length;
}

function orEnd(text: string, found: number, more = 0): number {
  return found < 0 ? text.length : found + more;
}
