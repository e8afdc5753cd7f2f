/**
 * The names in traces: those of the OpenTelemetry conventions for GenAI and MCP (`2026-10` of
 * `open-telemetry/semantic-conventions-genai`, in development), else `ability.*`. See docs/traces.md.
 */

/** Values of `gen_ai.operation.name`, which also begin the names of these spans. */
export const OPERATIONS = {
  /** A task of any ability. */
  task: 'invoke_workflow',
  /** A task whose ability is an agent. */
  agent: 'invoke_agent',
  /** One attempt of a call of a low-level ability. */
  tool: 'execute_tool',
  chat: 'chat',
  /** One request for vectors. */
  embeddings: 'embeddings',
} as const;

/** Prefix of span names outside the conventions. */
export const OWN_SPANS = {
  step: 'step',
  hook: 'hook',
  /** Whether a task may be created; a trace of its own, since the task does not exist yet. */
  preflight: 'preflight',
  /** A session event that fires hooks; a trace of its own. */
  event: 'event',
  /** The decision about a message, for a workflow that conducts a conversation; a trace of its own. */
  decide: 'decide',
} as const;

/** Keys of attributes. */
export const ATTRIBUTES = {
  operation: 'gen_ai.operation.name',
  workflow: 'gen_ai.workflow.name',
  agent: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  tool: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCall: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  requestMaxTokens: 'gen_ai.request.max_tokens',
  outputType: 'gen_ai.output.type',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  mcpMethod: 'mcp.method.name',
  mcpProtocol: 'mcp.protocol.version',
  transport: 'network.transport',
  httpMethod: 'http.request.method',
  httpStatus: 'http.response.status_code',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  errorType: 'error.type',
  project: 'ability.project',
  environment: 'ability.environment',
  taskKey: 'ability.task.key',
  taskId: 'ability.task.id',
  taskStatus: 'ability.task.status',
  taskVersion: 'ability.task.version',
  plan: 'ability.plan.digest',
  createdAt: 'ability.task.created_at',
  stepPath: 'ability.step.path',
  stepVerb: 'ability.step.verb',
  stepStatus: 'ability.step.status',
  stepCall: 'ability.step.call',
  attempts: 'ability.step.attempts',
  attempt: 'ability.call.attempt',
  effects: 'ability.call.effects',
  implementation: 'ability.call.implementation',
  kind: 'ability.call.kind',
  mcpServer: 'ability.mcp.server',
  hook: 'ability.hook.id',
  hookPhase: 'ability.hook.phase',
  hookDecision: 'ability.hook.decision',
  hookHandler: 'ability.hook.handler',
} as const;

/** The standard variables that enable traces, and the one that enables contents; the SDK reads all others. */
export const TRACE_VARIABLES = {
  disabled: 'OTEL_SDK_DISABLED',
  exporter: 'OTEL_TRACES_EXPORTER',
  endpoint: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  tracesEndpoint: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  protocol: 'OTEL_EXPORTER_OTLP_PROTOCOL',
  tracesProtocol: 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  content: 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT',
} as const;

/** The variable from which a process takes its trace context, and which it passes on; W3C `traceparent`. */
export const TRACEPARENT_VARIABLE = 'TRACEPARENT';

/** Global of the workflow sandbox, set if the worker writes traces; otherwise workflows report no spans. */
export const SANDBOX_FLAG = '__ABILITY_TRACES__';

/** Attributes of a span, without undefined ones. */
export type SpanAttributes = { [key: string]: string | number | boolean | string[] | undefined };

/** A step that has ended, as a workflow reports it for its span, outside of its history. */
export interface StepSpan extends Pick<HookSpan, 'seal' | 'within' | 'id'> {
  /** Id of the step in its task, see `stepInstanceOf`. */
  instance: string;
  path: string;
  verb: string;
  status: string;
  call?: string;
  attempts?: number;
  /** ISO 8601. */
  started_at: string;
  finished_at: string;
  error?: string;
}

/** A hook that a workflow itself answered, as reported for its span; it takes no measurable time. */
export interface HookSpan {
  /** Mark of the seal of the task, see `sealMark`. */
  seal: string;
  /** Id of the enclosing step; absent: the task itself. */
  within?: string;
  id: string;
  phase: string;
  status: string;
  decision: string;
  /** ISO 8601. */
  at: string;
}
