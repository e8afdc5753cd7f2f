import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readTraceSettings } from '../../../src/tracing/open-tracer.js';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
const on = { state: 'on', recordsContents: false };

describe('the environment (issue 15, item 6)', () => {
  test.each([
    ['nothing', {}],
    ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    ['an exporter of none', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
    ['a disabled SDK', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'True' }],
    ['contents without an exporter', { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' }],
  ])('leaves traces off with %s', (_, env) => {
    expect(readTraceSettings(env)).toEqual({ state: 'off' });
  });

  test.each([
    ['an endpoint', ENDPOINT],
    ['an endpoint of traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }],
    ['an exporter', { OTEL_TRACES_EXPORTER: 'otlp' }],
  ])('turns them on with %s, without contents', (_, env) => {
    expect(readTraceSettings(env)).toEqual(on);
  });

  test('may name the protocol for traces apart from the general one', () => {
    const both = {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    };
    expect(readTraceSettings(both)).toEqual(on);
  });

  test.each(['true', 'TRUE', 'SPAN_ONLY', 'span_and_event'])('lets contents be recorded with %s', (value) => {
    const env = { ...ENDPOINT, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value };
    expect(readTraceSettings(env)).toEqual({ ...on, recordsContents: true });
  });

  test.each(['false', '', '1', 'yes', 'no_content', 'event_only'])(
    'does not let contents be recorded with %j',
    (value) => {
      const env = { ...ENDPOINT, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value };
      expect(readTraceSettings(env)).toEqual(on);
    },
  );

  test.each([
    [{ OTEL_TRACES_EXPORTER: 'console' }, /console/],
    [{ OTEL_TRACES_EXPORTER: 'otlp,console' }, /otlp,console/],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /grpc/],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, /http\/json/],
  ])('is refused by name if it requests %j', (env, reason) => {
    expect(readTraceSettings({ ...ENDPOINT, ...env })).toMatchObject({
      state: 'unsupported',
      reason: expect.stringMatching(reason),
      suggestion: expect.stringMatching(/./),
    });
  });
});

test('nothing of OpenTelemetry is loaded before traces are on', () => {
  const root = fileURLToPath(new URL('../../../src', import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const textOf = (file: string): string => readFileSync(`${root}/${file}`, 'utf8');
  const users = files.filter((file) => textOf(file).includes("'@opentelemetry/"));
  expect(users).toEqual(['tracing/otlp-tracer.ts']);
  const loaders = files.filter((file) => /^(import|export)\s(?!type\s)[^;]*otlp-tracer\.js'/m.test(textOf(file)));
  expect(loaders).toEqual([]);
  expect(textOf('tracing/open-tracer.ts')).toContain("await import('./otlp-tracer.js')");
});
