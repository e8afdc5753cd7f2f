import { isJsonObject, type Json } from '../../contracts/json.js';
import type { LANGUAGES } from '../choices.js';
import { dedented } from '../dedented.js';

/** One of {@link LANGUAGES}. */
export type Language = (typeof LANGUAGES)[number];

/** The extension that names the interpreter of a language. */
export const EXTENSIONS: Record<Language, string> = { node: 'mjs', python: 'py', shell: 'sh' };

/** What the stub of a script answers until somebody writes the work. */
export interface StubAnswer {
  /** Fields of the input that it gives back. */
  echo: readonly string[];
  /** What it answers besides; where it is no map, all that it answers. */
  fixed: Json;
}

/** A script that keeps the protocol of files: input as JSON from one, output as JSON to another. Source: R-002-13. */
export function scriptStub(language: Language, title: string, answer: StubAnswer): string {
  return STUBS[language](title.replaceAll(/\s+/g, ' '), answer);
}

const STUBS: Record<Language, (title: string, answer: StubAnswer) => string> = {
  node: (title, { echo, fixed }) => dedented`
    // ${title}
    // The input is JSON in the file after --input; the output goes as JSON into the file after --output.
    import { readFileSync, writeFileSync } from 'node:fs';
    import { parseArgs } from 'node:util';

    const { values: files } = parseArgs({ options: { input: { type: 'string' }, output: { type: 'string' } } });
    const input = JSON.parse(readFileSync(files.input, 'utf8'));

    // The work goes here. It has failed when this ends with another exit code than 0; say why on stderr.
    const output = ${isMap(fixed) ? inBraces([...membersOf(fixed), ...echoed(echo, (name) => `input[${name}]`)]) : JSON.stringify(fixed)};

    ${echo.length === 0 ? 'void input;\n' : ''}writeFileSync(files.output, JSON.stringify(output));
  `,
  python: (title, { echo, fixed }) => dedented`
    # ${title}
    # The input is JSON in the file after --input; the output goes as JSON into the file after --output.
    import argparse
    import json

    parser = argparse.ArgumentParser()
    parser.add_argument("--input")
    parser.add_argument("--output")
    files = parser.parse_args()
    with open(files.input, encoding="utf-8") as file:
        given = json.load(file)

    # The work goes here. It has failed when this ends with another exit code than 0; say why on stderr.
    output = ${isMap(fixed) ? inBraces([...membersOf(fixed, pythonOf), ...echoed(echo, (name) => `given[${name}]`)]) : pythonOf(fixed)}

    with open(files.output, "w", encoding="utf-8") as file:
        json.dump(output, file)
  `,
  shell: (title, { echo, fixed }) => dedented`
    #!/bin/sh
    # ${title}
    # The input is JSON in the file after --input; the output goes as JSON into the file after --output.
    set -eu
    while [ $# -gt 1 ]; do
      case "$1" in
        --input) input=$2 ;;
        --output) output=$2 ;;
      esac
      shift 2
    done

    # The work goes here. It has failed when this ends with another exit code than 0; say why on stderr.
    ${echo.length > 0 && isMap(fixed) && Object.keys(fixed).length === 0 ? 'cat "$input" > "$output"' : heredoc(fixed)}
  `,
};

function heredoc(value: Json): string {
  return `: "$input"\ncat > "$output" <<'JSON'\n${JSON.stringify(value)}\nJSON`;
}

function isMap(value: Json): value is { [key: string]: Json } {
  return isJsonObject(value);
}

function membersOf(value: { [key: string]: Json }, write: (value: Json) => string = JSON.stringify): string[] {
  return Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${write(item)}`);
}

function echoed(names: readonly string[], read: (name: string) => string): string[] {
  return names.map((name) => `${JSON.stringify(name)}: ${read(JSON.stringify(name))}`);
}

function inBraces(members: string[]): string {
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function pythonOf(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`;
  return inBraces(membersOf(value, pythonOf));
}
