/** Writes the workflow bundle that the worker loads, into the folder of the compiled twin. Run it after `tsc`. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('./workflows.js', import.meta.url)),
  logger: new DefaultLogger('WARN'),
});
await writeFile(new URL('../workflow-bundle.js', import.meta.url), code);
