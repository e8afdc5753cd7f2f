const USAGE = 'usage_of_all';

/** `log.generate`, an operation that an AI developer scaffolds as a whole, once a project. */
export async function scaffoldLogGenerate(record) {
  if (record.has('registry/low-level/log.generate.yaml')) return;
  record.files({
    'scripts/generate-log.mjs': [
      "import { readFileSync, writeFileSync } from 'node:fs';",
      'const [input, output] = process.argv.slice(2);',
      "const { message } = JSON.parse(readFileSync(input, 'utf8'));",
      'writeFileSync(output, JSON.stringify({ line: `${new Date().toISOString()} ${message}` }));',
      '',
    ].join('\n'),
  });
  await scaffold(record, 'low-level', {
    operation_key: 'log.generate',
    summary: 'Generate a line of a log.',
    effects: 'read',
    input_schema: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
    output_schema: { type: 'object', required: ['line'], properties: { line: { type: 'string' } } },
    implementation: scriptOf('scripts/generate-log.mjs'),
  });
}

/** A hook after all abilities that leaves a line of usage for each call; once a project. */
export async function scaffoldUsage(record) {
  if (
    record.has('registry/hooks/PostAbilityCall.yaml') &&
    record.text('registry/hooks/PostAbilityCall.yaml').includes(USAGE)
  )
    return;
  await record.run([
    'scaffold',
    'hook',
    USAGE,
    '--phase',
    'PostAbilityCall',
    '--handler',
    'builtin',
    '--builtin',
    'usage',
  ]);
}

/** Scaffolds a whole definition. */
export function scaffold(record, kind, definition) {
  return record.run(['scaffold', kind, '--from', '-'], { input: JSON.stringify(definition) });
}

/** An implementation by a program that reads its input from one file and writes its output to another. */
export function scriptOf(path) {
  return { kind: 'script', script: { path, args_template: '{input_file} {output_file}', timeout_sec: 60 } };
}
