import { afterAll, beforeAll, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';
import { type OtlpReceiver, startReceiver, treeOf } from '../fixtures/servers/otlp-receiver.js';

let project: ProjectFolder;
let receiver: OtlpReceiver;

beforeAll(async () => {
  receiver = await startReceiver();
  project = makeProject({
    'ability.yaml': projectFile(),
    ...operation('say.trace', 'return process.env.TRACEPARENT ?? null;'),
    ...workflow('traced', 'steps: [{ id: say, call: say.trace }]\noutput: "${{ steps.say.output }}"'),
  });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
  await receiver.stop();
});

test('the runtime that a command starts writes its traces into the trace of the command, and sends all before it ends (issue 15, item 6)', async () => {
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '3600000',
    TRACEPARENT: `00-${trace}-${span}-01`,
  };
  const { json } = await abilityJson(['run', 'traced'], { cwd: project.root, env });
  expect(json).toMatchObject({
    status: 'succeeded',
    output: expect.stringMatching(new RegExp(`^00-${trace}-.{16}-01$`)),
  });
  expect(receiver.spans).toEqual([]);
  await ability(['down'], { cwd: project.root });
  expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([trace]));
  expect(treeOf(receiver.spans, span)).toEqual(['invoke_workflow traced', '  step say', '    execute_tool say.trace']);
  const tool = receiver.spans.find(({ name }) => name === 'execute_tool say.trace');
  expect(json.output).toBe(`00-${trace}-${tool?.spanId}-01`);
});
