import { describe, expect, test } from 'vitest';
import { readScript } from '../../../../src/authoring/script-reading/read-script.js';
import { parametersOf } from '../../../../src/authoring/script-reading/reading.js';

const python = (code: string) => readScript('ops/x.py', code);
const node = (code: string) => readScript('ops/x.mjs', code);
const parametersIn = ({ commands }: ReturnType<typeof readScript>) => commands.map(parametersOf);

describe('argparse', () => {
  test('yields types, choices, defaults, lists, counts and positions', () => {
    const read = python(`#!/usr/bin/env python3
# Copyright someone
# Licensed under something
"""
Reports on a CSV.  # not a comment
"""
import argparse, os
p = argparse.ArgumentParser(description="other")
p.add_argument("-n", "--least", type=int, default=1,
               help="the least " "number (default: %(default)s)")
p.add_argument('--format', choices=['csv', "json"], default='csv')
p.add_argument('--column', action='append', required=True)
p.add_argument('--quiet', '-q', action='store_true')
p.add_argument('-v', action='count')
p.add_argument('--pair', nargs=2, type=float)
g = p.add_mutually_exclusive_group()
g.add_argument('--on', default='x')
p.add_argument('files', nargs='+')
args = p.parse_args()
token = os.environ["TOKEN"]
`);
    expect(parametersIn(read)[0]).toMatchObject([
      {
        name: 'least',
        flag: '--least',
        isJoined: true,
        takes: 'one',
        type: 'integer',
        default: 1,
        help: 'the least number',
      },
      { name: 'format', choices: ['csv', 'json'], default: 'csv', isRequired: false },
      { name: 'column', takes: 'each', isRequired: true },
      { name: 'quiet', flag: '--quiet', takes: 'nothing' },
      { name: 'v', flag: '-v', takes: 'count' },
      { name: 'pair', takes: 'several', type: 'number', items: { min: 2, max: 2 } },
      { name: 'on', takes: 'one' },
      { name: 'files', takes: 'several', items: { min: 1 }, isRequired: true },
    ]);
    expect(parametersIn(read)[0]?.[6]).not.toHaveProperty('default');
    expect(read.summary).toBe('Reports on a CSV.  # not a comment');
    expect(read.todos).toEqual([expect.stringContaining('needs the variable TOKEN')]);
  });

  test('yields each command separately, with the options before its name', () => {
    const read = python(`import argparse
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--db')
    sub = parser.add_subparsers(dest='what')
    a = sub.add_parser('add', help='Adds one')
    a.add_argument('name')
    b = sub.add_parser(name='list-all')
    b.add_argument('--limit', type=int)
    parser.parse_args()
`);
    expect(
      read.commands.map(({ words, parts, summary }) => [
        words,
        summary,
        parts.map((part) => (typeof part === 'string' ? part : part.name)),
      ]),
    ).toEqual([
      [['add'], 'Adds one', ['db', 'add', 'name']],
      [['list-all'], undefined, ['db', 'list-all', 'limit']],
    ]);
  });

  test.each([
    ["for n in names:\n    p.add_argument('--' + n)", 'line 4: add this argument; the script computes what it is'],
    ["p.add_argument('rest', nargs=argparse.REMAINDER)", 'line 3: add rest; `nargs` says'],
    ["p.add_argument('--at', action=Own)", "line 3: add --at; `action=Own` is the script's own"],
    ["p.add_argument('--a', **more)", 'line 3: add this argument --a; the script computes what it is'],
    ['answer = input("Sure? ")', 'line 3: the script asks at the terminal'],
  ])('leaves %j to its author', (code, todo) => {
    expect(python(`import argparse\np = argparse.ArgumentParser()\n${code}\np.parse_args()`).todos).toEqual([
      expect.stringContaining(todo),
    ]);
  });
});

test('click yields options, arguments and the commands of a group', () => {
  const read = python(`import click
@click.group()
@click.option('--debug/--no-debug', default=False)
def cli(debug): pass

@cli.command()
@click.argument('source', type=click.Path(exists=True))
@click.option('-f', '--format', type=click.Choice(['csv', 'json']), default='csv', help='Form.')
@click.option('--tag', multiple=True)
@click.option('--limit', default=10)
def show_all(source, format, tag, limit):
    """Shows all."""
`);
  expect(read.commands).toMatchObject([{ words: ['show-all'], summary: 'Shows all.' }]);
  expect(parametersIn(read)[0]).toMatchObject([
    { name: 'debug', flag: '--debug', takes: 'nothing' },
    { name: 'source', takes: 'one', isRequired: true },
    { name: 'format', choices: ['csv', 'json'], default: 'csv' },
    { name: 'tag', takes: 'each' },
    { name: 'limit', type: 'number', default: 10 },
  ]);
});

describe('commander', () => {
  test('yields options, arguments and defaults', () => {
    const read = node(`#!/usr/bin/env node
'use strict';
// Converts it.
import { Command, Option } from 'commander';
const program = new Command();
program
  .version('1.0.0')
  .requiredOption('-i, --input-dir <dir>', 'where from')
  .option('-p, --port <n>', 'port', parseInt, 80)
  .option('--tags <tags...>')
  .option('--no-cache', \`never\`)
  .addOption(new Option('-s, --size <size>', 'how large').choices(['s', 'l']).default('s'))
  .argument('<file>', 'the file')
  .argument('[out]')
  .action(() => {});
program.parse();
`);
    expect(parametersIn(read)[0]).toMatchObject([
      { name: 'input_dir', flag: '--input-dir', isJoined: true, isRequired: true, help: 'where from' },
      { name: 'port', type: 'integer', default: 80 },
      { name: 'tags', takes: 'several' },
      { name: 'no_cache', flag: '--no-cache', takes: 'nothing', help: 'never' },
      { name: 'size', choices: ['s', 'l'], default: 's' },
      { name: 'file', takes: 'one', isRequired: true, help: 'the file' },
      { name: 'out', takes: 'one', isRequired: false },
    ]);
    expect(read).toMatchObject({ summary: 'Converts it.', todos: [] });
  });

  test('yields each command separately', () => {
    const read = node(`const { program } = require('commander');
const flags = '--x';
program.option('-v, --verbose');
program.command('deploy <env>').description('Deploys').option('--dry-run').action(run);
const undo = program.command('undo').option(flags);
undo.argument('[steps...]');
program.parse(process.argv);`);
    expect(
      read.commands.map(({ words, parts }) => [
        words,
        parts.map((part) => (typeof part === 'string' ? part : part.name)),
      ]),
    ).toEqual([
      [['deploy'], ['verbose', 'deploy', 'dry_run', 'env']],
      [['undo'], ['verbose', 'undo', 'steps']],
    ]);
    expect(read.todos).toEqual(['line 5: add this option; the script computes what it is']);
  });
});

test.each([
  [
    "import { parseArgs } from 'node:util';\nconst options = { name: { type: 'string', short: 'n', default: 'x' }, all: { type: 'boolean' }, tag: { type: 'string', multiple: true } };\nparseArgs({ options, allowPositionals: true });",
    [
      ['name', 'one'],
      ['all', 'nothing'],
      ['tag', 'each'],
      ['args', 'several'],
    ],
  ],
  [
    "const yargs = require('yargs/yargs');\nyargs(process.argv.slice(2)).option('name', { alias: 'n', demandOption: true, type: 'string' }).option('n2', { type: 'number', default: 3 }).argv;",
    [
      ['name', 'one'],
      ['n2', 'one'],
    ],
  ],
  [
    'const [, , file, out] = process.argv;',
    [
      ['file', 'one'],
      ['out', 'one'],
    ],
  ],
  ['console.log(1);', []],
])('node takes the parameters that %j declares', (code, expected) => {
  const read = node(code);
  expect(read.todos).toEqual([]);
  expect(parametersIn(read)[0]?.map(({ name, takes }) => [name, takes])).toEqual(expected);
});

test.each([
  ["import minimist from 'minimist';", 'does not read those of `minimist`'],
  ["if (process.argv.includes('--all')) run();", 'the script computes which it reads'],
])('%j is left to its author', (code, todo) => {
  expect(node(code).todos).toEqual([expect.stringContaining(todo)]);
});

test.each([
  ['import json\nprint(json.dumps({}))\n', 'json'],
  ['import json\nprint("hi")\nprint(json.dumps({}))\n', 'text'],
  ['import csv, sys\ncsv.writer(sys.stdout).writerow([1])\n', 'csv'],
])('%j prints %s', (code, form) => {
  expect(python(code).prints).toBe(form);
});
