// Bundles the SDK's thread for workflows with what it needs alone, into dist/workflow-thread-VERSION.cjs.
//
// As the SDK starts it, such a thread loads the whole API of the server, a client for gRPC and some hundred files: 0.7 s of a
// processor, of which it uses two messages and one error. A worker takes this bundle where the installed SDK has this
// version, and the SDK's own otherwise (src/worker/workflow-threads.ts).
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const require = createRequire(import.meta.url);
const dist = fileURLToPath(new URL('../dist', import.meta.url));
/** What the thread, and what it loads, name of the messages. */
const NAMED = [
  'coresdk.workflow_activation.WorkflowActivation',
  'coresdk.workflow_completion.WorkflowActivationCompletion',
  'temporal.api.common.v1.Payload',
];

/** The named messages with all that their fields reach, as protobufjs describes them. */
function describeNamed() {
  const root = require('@temporalio/proto/protos/json-module');
  const kept = new Set();
  const keep = (type) => {
    if (kept.has(type)) return;
    kept.add(type);
    for (const field of type.fieldsArray ?? []) {
      field.resolve();
      if (field.resolvedType) keep(field.resolvedType);
    }
  };
  for (const name of NAMED) keep(root.lookupTypeOrEnum(name));
  /** A namespace, or a type around others, that holds anything kept. */
  const prune = (node, full) => {
    const nested = {};
    for (const [name, child] of Object.entries(full.nested ?? {})) {
      const at = node.get(name);
      const below = child.nested ? prune(at, child) : undefined;
      if (kept.has(at)) nested[name] = { ...child, nested: below?.nested };
      else if (below && Object.keys(below.nested).length > 0) nested[name] = below;
    }
    return { nested };
  };
  return prune(root, root.toJSON({ keepComments: false }));
}

/** Modules that are put in place of others, by what their paths end with. */
const REPLACED = [
  [
    /@temporalio[\\/]proto[\\/]protos[\\/]json-module\.js$/,
    () =>
      `const $protobuf = require('protobufjs/light');
module.exports = ($protobuf.roots.default ||= new $protobuf.Root()).addJSON(${JSON.stringify(describeNamed().nested)});`,
  ],
  // One file has no other beside it.
  [
    /source-map[\\/]lib[\\/]read-wasm\.js$/,
    (path) => {
      const wasm = readFileSync(join(dirname(path), 'mappings.wasm')).toString('base64');
      return `module.exports = async () => new Uint8Array(Buffer.from('${wasm}', 'base64')).buffer;`;
    },
  ],
  // Only errors of calls to a server are made with it, which no workflow has.
  [/@grpc[\\/]grpc-js[\\/]build[\\/]src[\\/]index\.js$/, () => 'exports.Metadata = class Metadata {};'],
];

const unused = new Set(REPLACED);
const { version } = require('@temporalio/worker/package.json');
const bundle = await rolldown({
  input: require.resolve('@temporalio/worker/lib/workflow/workflow-worker-thread.js'),
  platform: 'node',
  // It finds the native part beside itself.
  external: [/^@temporalio\/core-bridge\/common/],
  plugins: [
    {
      name: 'what-the-thread-needs',
      resolveId: (name, importer) =>
        name === './common' && /core-bridge[\\/]index\.js$/.test(importer ?? '')
          ? { id: '@temporalio/core-bridge/common.js', external: true }
          : null,
      load: (id) => {
        const replaced = REPLACED.find(([path]) => path.test(id));
        unused.delete(replaced);
        return replaced?.[1](id) ?? null;
      },
    },
  ],
});
const file = `workflow-thread-${version}.cjs`;
await bundle.write({ dir: dist, format: 'cjs', entryFileNames: file, codeSplitting: false });
await bundle.close();
if (unused.size > 0)
  throw new Error(`the SDK's thread has changed: it loads nothing that ends with ${[...unused].map(([path]) => path)}`);
for (const name of readdirSync(dist)) if (/^workflow-thread-/.test(name) && name !== file) rmSync(join(dist, name));
