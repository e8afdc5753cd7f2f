// Writes src/planning/input/json-schema/metaschema.ts: the check of a JSON Schema against the metaschema, as code. Compiling it takes
// ajv 30 ms. With --check, exits with 1 if the file is not what would be written.
//   node scripts/write-metaschema.mjs [--check]
import { readFileSync, writeFileSync } from 'node:fs';
import { _, Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { rolldown } from 'rolldown';

const target = new URL('../src/planning/input/json-schema/metaschema.ts', import.meta.url);
const id = 'https://json-schema.org/draft/2020-12/schema';

/** As the keyword of exact-keywords.ts, whose function cannot be written as code. */
const uniqueItems = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: { message: 'must NOT have duplicate items', params: () => _`{}` },
  code(context) {
    const { data } = context;
    context.fail(_`new Set(${data}.map((item) => JSON.stringify(item))).size !== ${data}.length`);
  },
};

// The settings of validators.ts, except for the engine of regular expressions: those of JSON Schema itself are simple.
const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  useDefaults: true,
  allowUnionTypes: true,
  strictNumbers: true,
  ownProperties: true,
  logger: false,
  code: { source: true, esm: true },
});
ajv.removeKeyword('uniqueItems');
ajv.addKeyword(uniqueItems);
const source = standalone.default(ajv, { validateMetaschema: id });

if (source.includes('require(')) throw new Error(`Unknown import: ${/require\([^)]*\)\S*/.exec(source)[0]}`);
// Leaves out the parts of the metaschema that its check does not read.
const name = 'metaschema';
const plugin = { name, resolveId: (id) => (id === name ? id : null), load: (id) => (id === name ? source : null) };
const bundle = await rolldown({ input: name, plugins: [plugin] });
const { output } = await bundle.generate({ minify: true });
const code = output[0].code.replace(
  /export\{(\w+) as validateMetaschema\};\s*$/,
  'export const validateMetaschema = $1 as ValidateFunction;',
);
if (code === output[0].code) throw new Error('The export is not where it was');
const text = `// @ts-nocheck
// Written by scripts/write-metaschema.mjs with ajv ${ajvVersion()}: the metaschema of draft 2020-12 as a function. See validators.ts.
import type { ValidateFunction } from 'ajv';

${code}
`;

function ajvVersion() {
  return JSON.parse(readFileSync(new URL('../node_modules/ajv/package.json', import.meta.url), 'utf8')).version;
}

if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('metaschema.ts is not what scripts/write-metaschema.mjs writes. Run it.');
  process.exit(1);
}
