import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const textOf = (file: string): string => readFileSync(`${ROOT}/${file}`, 'utf8');
const filesIn = (folder: string): string[] =>
  readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

const page = textOf('docs/contributing/new-parts.md');
const sections = page.split(/^## /m).slice(1);
const rowsOf = (section: string): string[] => [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, file = '']) => file);

describe('docs/contributing/new-parts.md', () => {
  test.each(sections.map((section) => [section.split('\n', 1)[0], section]))(
    '%s: lists files that exist',
    (_, section = '') => {
      const rows = rowsOf(section);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.filter((file) => !existsSync(`${ROOT}/src/${file}`))).toEqual([]);
    },
  );

  test('names no other path that does not exist', () => {
    const paths = [...page.matchAll(/`([\w./-]+\/[\w./-]*)`/g)].map(([, path = '']) => path);
    const real = paths.filter((path) => path !== 'src/' && !path.includes('NAME'));
    expect(real.filter((path) => !['src', '.'].some((root) => existsSync(`${ROOT}/${root}/${path}`)))).toEqual([]);
  });

  test('names tests that exist', () => {
    const known = new Set(filesIn('test').map((name) => basename(name, '.test.ts')));
    const [, ...texts] = page.split(/^Tests: /m);
    const words = texts.flatMap((text) => {
      const named = text.split(/Docs: |\n\n/)[0]?.matchAll(/`([a-z-]+)`/g) ?? [];
      return [...named].map(([, name = '']) => name);
    });
    expect(words.length).toBeGreaterThan(10);
    expect(words.filter((name) => !known.has(name))).toEqual([]);
  });

  test('lists every file that distinguishes the kinds of implementations, and no other', () => {
    // Only code that distinguishes the kinds names all of them.
    const names = ['script', 'mcp', 'api'].map(
      (kind) => new RegExp(`'${kind}'|\\b${kind}:|\\.${kind}\\b|/${kind}/(kind|format)\\.`),
    );
    const found = filesIn('src').filter((file) => names.every((name) => name.test(textOf(`src/${file}`))));
    expect(rowsOf(sections[0] ?? '').sort()).toEqual(found.sort());
  });
});
