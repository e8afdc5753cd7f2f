import { dedented } from '../dedented.js';
import { schemaLine } from '../schema-line.js';

/** The example of a new project: an ability, its script and a case. Relative to the project root. */
export function exampleFiles(registry: string, environment: string): Record<string, string> {
  const ability = `${registry}/low-level/hello.yaml`;
  const cases = `${registry}/low-level/hello.test.yaml`;
  return {
    [ability]: `${schemaLine({ kind: 'low-level', path: ability, registry })}
operation_key: hello
version: 1
summary: Greet a person.
effects: read   # changes nothing, so it may be tried again
input_schema:
  type: object
  required: [name]
  properties:
    name: { type: string, minLength: 1 }
output_schema:
  type: object
  required: [text]
  properties:
    text: { type: string }
implementation:
  kind: script
  script: { path: scripts/tools/hello.mjs, timeout_sec: 60 }
`,
    [cases]: `${schemaLine({ kind: 'cases', path: cases, registry })}
# Run with: ability test hello
ability: hello
cases:
  - name: whoever is named is greeted
    environment: ${environment}
    input: { name: World }
    mocks: { run: { live: true } }   # the script is really run; it only computes
    expect: { output: { text: "Hello, World!" } }

  - name: nobody cannot be greeted
    environment: ${environment}
    input: { name: "" }
    expect: { status: unavailable, error: input.invalid, calls: [] }
`,
    'scripts/tools/hello.mjs': dedented`
      // Greets somebody. The input is JSON in the file after --input; the output goes as JSON into the file after --output.
      import { readFileSync, writeFileSync } from 'node:fs';
      import { parseArgs } from 'node:util';

      const { values: files } = parseArgs({ options: { input: { type: 'string' }, output: { type: 'string' } } });
      const { name } = JSON.parse(readFileSync(files.input, 'utf8'));

      writeFileSync(files.output, JSON.stringify({ text: \`Hello, \${name}!\` }));
    `,
  };
}
