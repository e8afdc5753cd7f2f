import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { EXIT } from '../../../src/contracts/states.js';
import { checkFormat } from '../../../src/definitions/check-format.js';
import { FORMATS, type FormatName } from '../../../src/definitions/schemas/schema-files.js';
import { isProblem, readYaml } from '../../../src/definitions/yaml-source.js';
import { buildProgram } from '../../../src/doors/cli/program/program.js';

const ROOT = join(import.meta.dirname, '../../..');
const pages = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
].filter((path) => path.endsWith('.md'));
/**
 * The blocks of all pages, except those that name their file or state what is wrong with them: these have their
 * own tests.
 */
const blocks = pages.flatMap((path) =>
  [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', text = '']) => ({ path, language, text }),
  ),
);

const PROJECT = 'format: 1\nproject: acme\n';
const OPERATION = 'operation_key: x\nsummary: An example.\n';

/** The format of a block by its first key, and the text to put around it if it is a part of a file. */
const FORMAT_OF: Record<string, { format: FormatName; around?: string; indent?: string }> = {
  operation_key: { format: 'low-level' },
  hooks: { format: 'hooks' },
  ability: { format: 'cases' },
  abilities: { format: 'config' },
  services: { format: 'config' },
  format: { format: 'project' },
  environments: { format: 'project', around: PROJECT },
  policy: { format: 'project', around: `${PROJECT}environments: { prod: {} }\n` },
  access: { format: 'project', around: `${PROJECT}environments: { prod: {} }\n` },
  people: { format: 'project', around: PROJECT },
  doors: { format: 'project', around: `${PROJECT}environments: { prod: {} }\n` },
  secrets: { format: 'project', around: `${PROJECT}environments: { prod: {} }\n` },
  placements: { format: 'project', around: `${PROJECT}environments: { prod: {} }\n` },
  models: { format: 'project', around: `${PROJECT}environments: { prod: {} }\n` },
  implementation: { format: 'low-level', around: OPERATION },
  input_schema: { format: 'low-level', around: OPERATION },
  script: { format: 'low-level', around: `${OPERATION}implementation:\n  kind: script\n`, indent: '  ' },
  api: { format: 'low-level', around: `${OPERATION}implementation:\n  kind: api\n`, indent: '  ' },
  steps: { format: 'high-level', around: 'id: x\ntype: workflow\nversion: 1\nsummary: An example.\n' },
};
/** First keys of files that belong to other programs. */
const FOREIGN = ['scrape_configs', 'groups', 'apiVersion', 'receivers'];

/**
 * Definitions and parts of them. docs/definitions.md has its own test, which knows the format of each of its
 * tables.
 */
const yamls = blocks
  .filter(({ path, language }) => language === 'yaml' && path !== 'docs/definitions.md')
  .map((block) => ({ ...block, value: parse(block.text) as Record<string, unknown> }))
  .map((block) => ({ ...block, key: Object.keys(block.value)[0] as string }));

/** The result of reading a block: a `value`, or what is wrong with it. */
function readBlock({ text, value, key }: (typeof yamls)[number]): unknown {
  const whole: FormatName = value.type === 'agent' ? 'agent' : 'high-level';
  const { format, around = '', indent = '' } = FORMAT_OF[key] ?? { format: whole };
  const source = readYaml('x.yaml', around + text.replaceAll(/^(?=.)/gm, indent));
  return isProblem(source) ? source : checkFormat(FORMATS[format].format, source);
}

describe('the definitions in the pages', () => {
  test('are of known kinds', () => {
    const unknown = yamls.filter(({ key }) => key !== 'id' && !(key in FORMAT_OF) && !FOREIGN.includes(key));
    expect(unknown.map(({ path, key }) => `${path}: ${key}`)).toEqual([]);
  });

  test.each(yamls.filter(({ key }) => !FOREIGN.includes(key)))('$path: $key is valid: $text', (block) => {
    expect(readBlock(block)).toHaveProperty('value');
  });

  test.each(yamls.filter(({ key }) => FOREIGN.includes(key)))('$path: $key is YAML', ({ text }) => {
    expect(parseDocument(text).errors).toEqual([]);
  });
});

test.each(blocks.filter(({ language }) => language === 'json'))('$path: is valid JSON: $text', ({ text }) => {
  expect(() => JSON.parse(text)).not.toThrow();
});

const program = buildProgram({ env: {}, terminal: { print: () => {}, width: () => 80 } } as never, { exit: EXIT.ok });

/** The `ability` commands in a shell line, each as a list of words. */
function commandsIn(line: string): string[][] {
  const code = line.replace(/(^|\s)#.*$/, '');
  return [
    ...code.matchAll(/(?:^|[\s(;&|])(?:npx |pnpm exec )?(?:--no )?ability ((?:[^|&;<>()"']|"[^"]*"|'[^']*')+)/g),
  ].map(([, rest = '']) =>
    [...rest.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replaceAll(/["']/g, '')),
  );
}

/** What a command line has that its command does not accept; undefined if the command accepts everything. */
function whyRefused(words: readonly string[]): string | undefined {
  let command: Command = program as unknown as Command;
  const left = [...words];
  for (;;) {
    const next = command.commands.find((one) => one.name() === left[0] || one.aliases().includes(left[0] ?? ''));
    if (!next) break;
    command = next;
    left.shift();
  }
  if (command === (program as unknown as Command)) return `there is no command ${left[0]}`;
  const options = [...command.options, ...program.options];
  let given = 0;
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (!/^-{1,2}[a-z]/.test(word)) {
      given += 1;
      continue;
    }
    const option = options.find(({ long, short }) => long === word || short === word);
    if (!option) return `${command.name()} has no ${word}`;
    if (option.required && left.shift() === undefined) return `${word} lacks its value`;
  }
  const { registeredArguments } = command as unknown as {
    registeredArguments: { required: boolean; variadic: boolean }[];
  };
  const least = registeredArguments.filter(({ required }) => required).length;
  const isOpen = registeredArguments.some(({ variadic }) => variadic) || command.commands.length > 0;
  return given < least || (!isOpen && given > registeredArguments.length)
    ? `${command.name()} takes other arguments than ${given}`
    : undefined;
}

describe('the commands in the pages', () => {
  const shell = blocks.filter(({ language }) => ['sh', 'bash', ''].includes(language));
  const commands = shell.flatMap(({ path, text }) =>
    text
      .replaceAll(/\\\n\s*/g, ' ')
      .split('\n')
      .flatMap((line) => commandsIn(line).map((words) => ({ path, typed: words.join(' '), words }))),
  );

  test('are more than a hundred', () => {
    expect(commands.length).toBeGreaterThan(100);
  });

  test.each(commands)('$path: ability $typed', ({ words }) => {
    expect(whyRefused(words)).toBeUndefined();
  });

  test('a wrong command is detected', () => {
    expect(
      ['run x --verbos', 'rum x', 'run', 'task show a b'].map((line) => whyRefused(line.split(' ')) !== undefined),
    ).toEqual([true, true, true, true]);
  });
});
